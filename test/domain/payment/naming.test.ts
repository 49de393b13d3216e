// The processor later names an operation that was confirmed manually under our own reference: that is not a new fact,
// and rewinds no total (contract §4).
import { expect } from 'chai';
import type { Operation } from '../../../src/domain/operation.ts';
import { isBooked } from '../../../src/domain/payment/attempt.ts';
import type { PaymentEvent } from '../../../src/domain/payment/events.ts';
import { factsOf } from '../../../src/domain/payment/operations.ts';
import type { Payment } from '../../../src/domain/payment/payment.ts';
import { attemptOf, attemptsToAskAbout, isVouched, openOverRefund } from '../../../src/domain/payment/queries.ts';
import { referenceOf } from '../../../src/domain/payment/reference.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import { givenOf } from '../../support/given.ts';
import {
  AT,
  adjustmentRequested,
  authorizationRequested,
  authorized,
  captureRequested,
  created,
  estimated,
  id,
  isUnknown,
  known,
  place,
  refundRequested,
  settle,
  success,
  wasDeclined,
  wentThrough,
} from './story.ts';

const given = givenOf(payment);

const vouched = (
  name: string,
  operation: Operation,
  amount: number,
  processorTransactionId = referenceOf(id(name)),
): PaymentEvent => ({
  type: factsOf(operation).succeeded,
  data: {
    attemptId: id(name),
    evidence: { source: 'operator' },
    processorTransactionId,
    amount,
    currencyCode: 'EUR',
    ...place,
  },
});

const bookedOf = (payment: Payment, name: string): number | undefined => {
  const attempt = attemptOf(payment, id(name));
  return attempt !== undefined && isBooked(attempt) ? attempt.bookedAmount : undefined;
};

describe('a look-up that names what an operator vouched for', () => {
  it('leaves the total to the adjustment after it', () => {
    const before = [
      ...estimated,
      adjustmentRequested('b', 2_000),
      isUnknown('b', 'adjustment'),
      vouched('b', 'adjustment', 2_000),
      adjustmentRequested('d', 500),
      wentThrough('d', 'adjustment', 500),
    ];
    const { state } = given(...before).when(settle('b', success('b', 2_000), 'lookup'));
    expect(known(state)).to.include({ amount: 500, amountAuthorized: 500, amountCapturable: 500 });
    expect(attemptOf(state, id('b'))).to.include({ processorTransactionId: 'tx_b', bookedAmount: 2_000 });
  });

  it('leaves the total to an adjustment when it names the authorization', () => {
    const before = [
      created({}, { authorizationType: 'ESTIMATED' }),
      authorizationRequested,
      vouched('a', 'authorization', 1_000),
      adjustmentRequested('d', 500),
      wentThrough('d', 'adjustment', 500),
    ];
    const { state } = given(...before).when(
      settle('a', { ...success('a', 1_000), authorization: { avsResult: 'MATCH', holdExpiresAt: AT + 5 } }, 'lookup'),
    );
    expect(known(state)).to.include({ amount: 500, amountAuthorized: 500, amountCapturable: 500 });
    expect(known(state)).to.include({ processorTransactionId: 'tx_a', avsResult: 'MATCH', holdExpiresAt: AT + 5 });
  });

  it('books a capture by what the processor took, once, and what was refunded beyond that is shown', () => {
    const refunded = [
      ...authorized,
      captureRequested('c', 600),
      vouched('c', 'capture', 600),
      refundRequested('r', 600, 'c'),
      wentThrough('r', 'refund', 600),
    ];
    const confirmed: PaymentEvent = {
      type: 'SuccessConfirmed',
      data: {
        attemptId: id('c'),
        operation: 'capture',
        evidence: { source: 'lookup' },
        processorTransactionId: 'tx_c',
        amount: 500,
        currencyCode: 'EUR',
        vouchedAmount: 600,
        ...place,
      },
    };
    given(...refunded)
      .when(settle('c', success('c', 500), 'lookup'))
      .then(confirmed);
    const named = given(...refunded, confirmed).state;
    expect(known(named)).to.include({
      status: 'PARTIALLY_SETTLED',
      amountCaptured: 500,
      amountRefunded: 600,
      amountRefundable: 0,
    });
    expect([openOverRefund(named), bookedOf(named, 'c')]).to.deep.equal([100, 500]);
    given(...refunded, confirmed)
      .when(settle('c', success('c', 500), 'lookup'))
      .thenNothing();
  });

  it('is a word of the processor that has its own name for it, and no second word of an operator', () => {
    const before = [...authorized, captureRequested('c', 600), vouched('c', 'capture', 600)];
    for (const [word, source] of [
      [success('c', 600), 'operator'],
      [{ ...success('c', 500), processorTransactionId: referenceOf(id('c')) }, 'lookup'],
    ] as const)
      given(...before)
        .when(settle('c', word, source))
        .thenNothing();
    expect(attemptsToAskAbout(given(...before).state)).to.have.length(1);
  });

  it('is not asked for about a capture that an operator says did not happen, or that came when the payment was over', () => {
    const gone: PaymentEvent = {
      type: 'CaptureNotFound',
      data: { attemptId: id('c'), evidence: { source: 'operator' } },
    };
    const told = { attemptId: id('c'), operation: 'capture', evidence: { source: 'operator' }, ...place } as const;
    const late: PaymentEvent = {
      type: 'LateSuccessRecorded',
      data: { ...told, processorTransactionId: referenceOf(id('c')), amount: 600, currencyCode: 'EUR' },
    };
    for (const word of [gone, late])
      expect(attemptsToAskAbout(given(...authorized, captureRequested('c', 600), word).state), word.type).to.deep.equal(
        [],
      );
  });

  it('books a capture by what the processor took also where the operator knew its name', () => {
    const before = [...authorized, captureRequested('c', 600), vouched('c', 'capture', 600, 'tx_c')];
    expect(attemptsToAskAbout(given(...before).state).map(({ attemptId }) => attemptId)).to.deep.equal([id('c')]);
    const { state } = given(...before).when(settle('c', success('c', 500), 'lookup'));
    expect(known(state)).to.include({ amountCaptured: 500, amountRefundable: 500 });
    expect(attemptsToAskAbout(state)).to.deep.equal([]);
    const refund = [
      ...authorized,
      captureRequested('c', 600),
      wentThrough('c', 'capture', 600),
      refundRequested('r', 300, 'c'),
    ];
    expect(
      attemptsToAskAbout(given(...refund, vouched('r', 'refund', 300, 'tx_r')).state),
      'a refund is of all or nothing',
    ).to.deep.equal([]);
  });

  it('is not believed about another amount of a refund or an adjustment, more than was captured, or another currency', () => {
    const refund = [
      ...authorized,
      captureRequested('c', 600),
      wentThrough('c', 'capture', 600),
      refundRequested('r', 300, 'c'),
    ];
    const adjustment = [...estimated, adjustmentRequested('b', 2_000), vouched('b', 'adjustment', 2_000)];
    for (const [before, name, word] of [
      [[...refund, vouched('r', 'refund', 300)], 'r', success('r', 200)],
      [adjustment, 'b', success('b', 1_999)],
      [[...authorized, captureRequested('c', 600), vouched('c', 'capture', 600)], 'c', success('c', 601)],
      [[...authorized, captureRequested('c', 600), vouched('c', 'capture', 600)], 'c', success('c', 600, 'USD')],
    ] as const) {
      given(...before)
        .when(settle(name, word, 'lookup'))
        .thenNothing();
      expect(known(given(...before).state).attempts.some(isVouched)).to.equal(true);
    }
  });
});

describe('an adjustment that was done after all', () => {
  it('changes nothing of the one that was done after it', () => {
    const before = [
      ...estimated,
      adjustmentRequested('b', 2_000),
      wasDeclined('b', 'adjustment'),
      adjustmentRequested('d', 500),
      wentThrough('d', 'adjustment', 500),
    ];
    const { state } = given(...before).when(settle('b', success('b', 2_000), 'notification'));
    expect(known(state)).to.include({ amount: 500, amountAuthorized: 500, amountCapturable: 500 });
    expect(attemptOf(state, id('b'))).to.include({ state: 'succeeded', bookedAmount: 2_000 });
  });

  it('below what is captured or on its way has no place: no amount stays authorized that is captured or released', () => {
    const before = [
      ...estimated,
      adjustmentRequested('b', 300),
      wasDeclined('b', 'adjustment'),
      captureRequested('c', 301, false),
    ];
    const { state } = given(...before).when(settle('b', success('b', 300), 'notification'));
    expect(known(state)).to.include({
      amount: 1_000,
      amountAuthorized: 1_000,
      amountCapturePending: 301,
      amountCapturable: 699,
    });
    expect(attemptOf(state, id('b'))).to.include({ state: 'succeeded', late: true });
    const justEnough = given(
      ...estimated,
      adjustmentRequested('b', 300),
      wasDeclined('b', 'adjustment'),
      captureRequested('c', 300, false),
    );
    expect(known(justEnough.when(settle('b', success('b', 300), 'notification')).state)).to.include({
      amountAuthorized: 300,
      amountCapturable: 0,
    });
  });
});
