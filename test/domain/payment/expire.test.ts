// The end of an issuer's hold: by the processor's notification, or at the time that it named when it authorized.
import { expect } from 'chai';
import type { PaymentEvent } from '../../../src/domain/payment/events.ts';
import { expireAuthorization, expireHold } from '../../../src/domain/payment/expire.ts';
import { dueExpiryAt } from '../../../src/domain/payment/queries.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import { givenOf } from '../../support/given.ts';
import {
  AT,
  adjustmentRequested,
  authorized,
  cameBack,
  cancellationRequested,
  captureRequested,
  holdExpired,
  id,
  isPending,
  isUnknown,
  known,
  pending,
  place,
  refundRequested,
  settle,
  settled,
  success,
  wasDeclined,
  wasNotFound,
  wentThrough,
} from './story.ts';

const given = givenOf(payment);
const ENDS = AT + 7 * 86_400_000;
const held: PaymentEvent = wentThrough('a', 'authorization', 1_000);
const heldUntil: PaymentEvent =
  held.type === 'PaymentAuthorized' ? { ...held, data: { ...held.data, holdExpiresAt: ENDS } } : held;
const heldFor = [...pending, heldUntil];
const expiredOf = (amount: number): PaymentEvent => ({
  type: 'AuthorizationExpired',
  data: { amount, currencyCode: 'EUR', ...place, evidence: { source: 'clock', occurredAt: ENDS } },
});
const expired = expiredOf(1_000);

describe('the hold of an authorization', () => {
  it('ends when the processor said that it would, and the payment is CANCELLED', () => {
    expect(dueExpiryAt(given(...heldFor).state)).to.equal(ENDS);
    given(...heldFor)
      .when(expireHold(ENDS - 1))
      .thenNothing();
    const ending = given(...heldFor).when(expireHold(ENDS));
    ending.then(expired);
    expect(known(ending.state)).to.include({ status: 'CANCELLED', amountCapturable: 0 });
    expect(dueExpiryAt(ending.state)).to.equal(undefined);
    given(...heldFor, expired)
      .when(expireHold(ENDS))
      .thenNothing();
  });

  it('never ends automatically if the processor named no time', () => {
    expect(dueExpiryAt(given(...authorized).state)).to.equal(undefined);
    given(...authorized)
      .when(expireHold(ENDS))
      .thenNothing();
    given().when(expireHold(ENDS)).thenNothing();
  });

  it('ends for the rest of what was captured in part, and the status stays', () => {
    const partly = [...heldFor, captureRequested('c', 400, false), wentThrough('c', 'capture', 400)];
    const ending = given(...partly).when(expireHold(ENDS));
    ending.then(expiredOf(600));
    expect(known(ending.state)).to.include({
      status: 'PARTIALLY_SETTLED',
      amountCaptured: 400,
      amountCapturable: 0,
      amountRefundable: 400,
    });
  });

  it('is nobody’s matter once all is captured, voided or given up', () => {
    for (const over of [
      [captureRequested('c', 1_000), wentThrough('c', 'capture', 1_000)],
      [captureRequested('c', 1_000, false), wentThrough('c', 'capture', 1_000)],
      [captureRequested('c', 400, true), wentThrough('c', 'capture', 400)],
      [cancellationRequested('v'), wentThrough('v', 'cancellation', 0)],
    ]) {
      expect(dueExpiryAt(given(...heldFor, ...over).state)).to.equal(undefined);
      given(...heldFor, ...over)
        .when(expireHold(ENDS))
        .thenNothing();
    }
  });

  for (const [name, request] of [
    ['capture', captureRequested('x', 1_000)],
    ['cancellation', cancellationRequested('x')],
    ['adjustment', adjustmentRequested('x', 900)],
  ] as const) {
    it(`waits for the outcome of the ${name}, and ends at once when that never happened`, () => {
      for (const doubt of [[], [isUnknown('x', name)], [isPending('x', name)]]) {
        expect(dueExpiryAt(given(...heldFor, request, ...doubt).state)).to.equal(undefined);
        given(...heldFor, request, ...doubt)
          .when(expireHold(ENDS + 1))
          .thenNothing();
      }
      for (const end of [wasDeclined('x', name), wasNotFound('x', name)]) {
        given(...heldFor, request, end)
          .when(expireHold(ENDS))
          .then(expired);
      }
    });
  }

  it('waits for no refund, which takes nothing of it', () => {
    const partly = [
      ...heldFor,
      captureRequested('c', 400, false),
      wentThrough('c', 'capture', 400),
      refundRequested('r', 100, 'c'),
    ];
    given(...partly)
      .when(expireHold(ENDS))
      .then(expiredOf(600));
  });

  it('that ended is no longer captured; a capture that the processor reports after all is refunded', () => {
    const late = given(...heldFor, captureRequested('c', 1_000), wasNotFound('c', 'capture'), expired).when(
      settle('c', success('c', 1_000)),
    );
    const [recorded, reversal] = late.state.status === 'CANCELLED' ? known(late.state).attempts.slice(1) : [];
    expect(recorded).to.include({ attemptId: 'pay_1.c', late: true });
    expect(reversal).to.deep.include({
      operation: 'refund',
      follows: { attemptId: 'pay_1.c', because: 'late_success' },
    });
  });

  describe('that a notification ends', () => {
    const evidence = { source: 'notification' } as const;
    const expire = expireAuthorization({ attemptId: id('a'), evidence });
    const nothingHeld: PaymentEvent = { type: 'AuthorizationExpired', data: { ...place, evidence } };
    const finally400 = [...heldFor, captureRequested('c', 400, true), wentThrough('c', 'capture', 400)];

    it('ends before the time that was said', () => {
      given(...heldFor)
        .when(expire)
        .then(holdExpired);
    });

    for (const [status, before, captured] of [
      ['SETTLED', settled, 1_000],
      ['PARTIALLY_SETTLED', finally400, 400],
    ] as const) {
      it(`is on record where the payment is ${status}: a capture that comes back later can be captured no more`, () => {
        const told = given(...before).when(expire);
        told.then(nothingHeld);
        expect(known(told.state)).to.include({
          status,
          amountCaptured: captured,
          amountCapturable: 0,
          amountRefundable: captured,
        });
        const { state } = given(...before, nothingHeld, cameBack('c', 'capture', captured));
        expect(known(state)).to.include({ status: 'CANCELLED', amountCaptured: 0, amountCapturable: 0 });
      });
    }

    it('leaves a payment SETTLING until its capture is confirmed, or refused', () => {
      const settling = [...heldFor, captureRequested('c', 1_000), isPending('c', 'capture')];
      const told = given(...settling).when(expire);
      told.then(nothingHeld);
      expect(known(told.state)).to.include({ status: 'SETTLING', amountCapturable: 0 });
      expect(known(given(...settling, nothingHeld, wentThrough('c', 'capture', 1_000)).state).status).to.equal(
        'SETTLED',
      );
      expect(known(given(...settling, nothingHeld, wasDeclined('c', 'capture')).state).status).to.equal('CANCELLED');
    });

    it('is on record once, and not after a void', () => {
      const voided = [cancellationRequested('v'), wentThrough('v', 'cancellation', 0)];
      const rest = [...heldFor, captureRequested('c', 400, false), wentThrough('c', 'capture', 400)];
      for (const before of [
        [...settled, nothingHeld],
        [...heldFor, expired],
        [...heldFor, ...voided],
        [...rest, ...voided],
      ])
        given(...before)
          .when(expire)
          .thenNothing();
    });
  });
});
