// A payment as its processor shows it, held against the record.
import { expect } from 'chai';
import { hasUnknownOutcome } from '../../../src/domain/payment/derived-status.ts';
import type { PaymentEvent } from '../../../src/domain/payment/events.ts';
import { expireHold } from '../../../src/domain/payment/expire.ts';
import type { PaymentStanding, StandingRefund } from '../../../src/domain/payment/outcome.ts';
import { awaitsOperator, dueExpiryAt, dueLookUpAt } from '../../../src/domain/payment/queries.ts';
import {
  acceptDifference,
  isOnRecord,
  recordChange,
  recordStanding,
  recordUnread,
} from '../../../src/domain/payment/standing.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import { givenOf } from '../../support/given.ts';
import {
  AT,
  authorizationRequested,
  authorized,
  cancellationRequested,
  captureRequested,
  created,
  id,
  known,
  place,
  refundRequested,
  settled,
  timing,
  wasDeclined,
  wentThrough,
} from './story.ts';

const given = givenOf(payment);
const DAY = 86_400_000;
const evidence = { source: 'lookup', sentAt: AT } as const;
const word = { source: 'notification', notificationId: 'n1' } as const;
/** A hold of 1000, as it is without anybody at the processor. */
const shown = (more: Partial<PaymentStanding> = {}): PaymentStanding => ({
  kind: 'standing',
  processorTransactionId: 'tx_a',
  currencyCode: 'EUR',
  captured: 0,
  capturable: 1_000,
  captureName: 'ch_1',
  ours: [],
  refunds: [],
  ...more,
});
const refund = (more: Partial<StandingRefund> = {}): StandingRefund => ({
  name: 're_1',
  amount: 400,
  state: 'succeeded',
  ...more,
});
const outside = (number: number, processorTransactionId: string, amount: number) => ({
  attemptId: id(`outside-${number}`),
  evidence,
  processorTransactionId,
  amount,
  currencyCode: 'EUR',
  ...place,
});
const told = (answer: 'changed' | 'agrees' | 'differs', more: object = {}): PaymentEvent => ({
  type: 'StandingRecorded',
  data: { evidence, answer, ...more },
});
const ENDS = AT + 7 * DAY;
const held = wentThrough('a', 'authorization', 1_000);
const heldUntil = [
  created(),
  authorizationRequested,
  held.type === 'PaymentAuthorized' ? { ...held, data: { ...held.data, holdExpiresAt: ENDS } } : held,
];
const compare = (standing: PaymentStanding, at = AT) => recordStanding(standing, evidence, { ...timing, at });
const captured = shown({ captured: 1_000, capturable: 0 });

describe('what a processor shows of a payment', () => {
  it('is nothing new where it agrees', () => {
    given(...authorized)
      .when(compare(shown()))
      .thenNothing();
    given(...settled)
      .when(compare(captured))
      .thenNothing();
  });

  it('is a capture by somebody there', () => {
    const { state } = given(...authorized).when(compare(captured));
    expect(known(state)).to.include({ status: 'SETTLED', amountCaptured: 1_000, amountRefundable: 1_000 });
    given(...authorized)
      .when(compare(captured))
      .then({ type: 'CapturedOutside', data: { ...outside(1, 'ch_1', 1_000), final: true } });
  });

  it('is a raise and a capture of more than was authorized here', () => {
    const { state } = given(...authorized).when(compare(shown({ captured: 1_200, capturable: 0 })));
    expect(known(state)).to.include({ status: 'SETTLED', amountAuthorized: 1_200, amountCaptured: 1_200 });
  });

  it('is the end of the hold: by somebody, or by its time', () => {
    given(...authorized)
      .when(compare(shown({ capturable: 0 })))
      .then({ type: 'VoidedOutside', data: outside(1, 'tx_a', 1_000) });
    given(...authorized)
      .when(compare(shown({ capturable: 0, expired: true })))
      .then({ type: 'AuthorizationExpired', data: { amount: 1_000, currencyCode: 'EUR', ...place, evidence } });
  });

  it('is a refund by somebody there, once, which may fail later', () => {
    const refunded = { ...captured, refunds: [refund()] };
    const { state } = given(...settled).when(compare(refunded));
    expect(known(state)).to.include({ amountRefunded: 400, amountRefundable: 600 });
    const booked: PaymentEvent = {
      type: 'RefundedOutside',
      data: { ...outside(1, 're_1', 400), allocations: [{ attemptId: id('c'), amount: 400 }] },
    };
    given(...settled)
      .when(compare(refunded))
      .then(booked);
    given(...settled, booked)
      .when(compare(refunded))
      .thenNothing();
    const failed = given(...settled, booked).when(compare({ ...captured, refunds: [refund({ state: 'failed' })] }));
    expect(known(failed.state)).to.include({ amountRefunded: 0, amountRefundable: 1_000 });
  });

  it('is our own refund that failed, whatever the clocks say', () => {
    const done = [...settled, refundRequested('r', 400, 'c'), wentThrough('r', 'refund', 400)];
    const { state } = given(...done).when(
      compare({ ...captured, refunds: [refund({ name: 'tx_r', state: 'failed' })] }, AT - DAY),
    );
    expect(known(state)).to.include({ amountRefunded: 0 });
  });

  it('is what carries our reference, of an attempt that counted as refused', () => {
    const refused = [...authorized, captureRequested('c', 1_000), wasDeclined('c', 'capture')];
    const reference = known(given(...refused).state).attempts[1]?.reference ?? '';
    const { state } = given(...refused).when(
      compare({ ...captured, ours: [{ reference, operation: 'capture', amount: 1_000 }] }),
    );
    expect(known(state).attempts.map(({ attemptId }) => attemptId)).to.deep.equal([id('a'), id('c')]);
    expect(known(state)).to.include({ status: 'SETTLED', amountCaptured: 1_000 });
  });

  it('books nothing while an attempt is open that may explain it, and is read again when that has ended', () => {
    for (const open of [captureRequested('c', 1_000), cancellationRequested('v')]) {
      const before = [...authorized, open];
      given(...before)
        .when(compare(captured))
        .then(told('changed', { nextLookUpAt: AT }));
      expect(dueLookUpAt(given(...before, told('changed', { nextLookUpAt: AT })).state)).to.equal(AT + 30_000);
    }
    const ended = [
      ...authorized,
      captureRequested('c', 1_000),
      told('changed', { nextLookUpAt: AT }),
      wasDeclined('c', 'capture'),
    ];
    expect(dueLookUpAt(given(...ended).state)).to.equal(AT);
    expect(known(given(...ended).when(compare(captured)).state)).to.include({ status: 'SETTLED' });
  });

  it('is for an operator where no rule explains it, until that one has seen to it', () => {
    const cancelled = [...authorized, cancellationRequested('v'), wentThrough('v', 'cancellation', 1_000)];
    const differs = told('differs', {
      captured: 1_000,
      capturable: 0,
      refunded: 0,
      currencyCode: 'EUR',
      nextLookUpAt: AT + DAY,
    });
    for (const before of [cancelled, [...settled, told('changed', { nextLookUpAt: AT })]]) {
      const standing = before === cancelled ? captured : shown({ captured: 900, capturable: 0 });
      const { state } = given(...before).when(compare(standing));
      expect(awaitsOperator(state)).to.equal(true);
    }
    given(...cancelled)
      .when(compare(captured))
      .then(differs);
    const seen: PaymentEvent = { type: 'DifferenceAccepted', data: { evidence: { source: 'operator' } } };
    given(...cancelled, differs)
      .when(acceptDifference({ source: 'operator' }))
      .then(seen);
    const closed = given(...cancelled, differs, seen);
    expect(awaitsOperator(closed.state)).to.equal(false);
    closed.when(compare(captured)).thenNothing();
    expect(awaitsOperator(closed.when(compare(shown({ captured: 900, capturable: 0 }))).state)).to.equal(true);
  });

  it('takes the place of what only our clock has ended', () => {
    const { state, ...ending } = given(...heldUntil).when(expireHold(ENDS));
    expect(known(state)).to.include({ status: 'CANCELLED' });
    ending.then({
      type: 'AuthorizationExpired',
      data: { amount: 1_000, currencyCode: 'EUR', ...place, evidence: { source: 'clock', occurredAt: ENDS } },
    });
    const ended: PaymentEvent = {
      type: 'AuthorizationExpired',
      data: { amount: 1_000, currencyCode: 'EUR', ...place, evidence: { source: 'clock', occurredAt: ENDS } },
    };
    const later = given(...heldUntil, ended).when(compare(captured));
    expect(known(later.state)).to.include({ status: 'SETTLED', amountCaptured: 1_000 });
  });

  it('is asked for again a day later where a hold is over and still there', () => {
    given(...heldUntil)
      .when(compare(shown(), ENDS))
      .then(told('agrees', { nextLookUpAt: ENDS + DAY }));
    expect(dueExpiryAt(given(...heldUntil, told('agrees', { nextLookUpAt: ENDS + DAY })).state)).to.equal(ENDS + DAY);
  });
});

describe('a processor that does not show a payment', () => {
  it('is asked soon, then daily, and a person learns of it after seven days', () => {
    const changed: PaymentEvent = {
      type: 'StandingRecorded',
      data: { evidence: word, answer: 'changed', nextLookUpAt: 1_000 },
    };
    given(...authorized)
      .when(recordChange(word, 1_000))
      .then(changed);
    given(...authorized, changed)
      .when(recordChange(word, 1_000))
      .thenNothing();
    const since = known(given(...authorized, changed).state).standing?.since ?? 0;
    const next = (at: number) => dueLookUpAt(given(...authorized, changed).when(recordUnread(evidence, at)).state);
    expect(next(since + 5_000)).to.equal(since + 15_000);
    expect(next(since + DAY)).to.equal(since + 2 * DAY);
    const unread = given(...authorized, changed).when(recordUnread(evidence, since + 8 * DAY)).state;
    expect(hasUnknownOutcome(known(unread), since + 8 * DAY)).to.equal(true);
    expect(hasUnknownOutcome(known(unread), since + 6 * DAY)).to.equal(false);
  });

  it('ends no hold by our clock', () => {
    const unread = given(...heldUntil).when(recordUnread(evidence, ENDS));
    expect(known(unread.state)).to.include({ status: 'AUTHORIZED' });
    expect(dueLookUpAt(unread.state)).to.equal(ENDS + DAY);
    expect(dueExpiryAt(unread.state)).to.equal(undefined);
  });
});

describe('what a message shows', () => {
  it('is on record, or what is asked for and open', () => {
    const open = known(given(...authorized, captureRequested('c', 1_000)).state);
    const about = { currencyCode: 'EUR' };
    expect(isOnRecord(open, { ...about, captured: 0, capturable: 1_000 })).to.equal(true);
    expect(isOnRecord(open, { ...about, captured: 1_000, capturable: 0 })).to.equal(true);
    expect(isOnRecord(open, { ...about, captured: 400, capturable: 0 })).to.equal(false);
    const done = known(given(...settled).state);
    expect(isOnRecord(done, { ...about, refunds: [refund()] })).to.equal(false);
    expect(isOnRecord(done, { ...about, refunds: [refund({ state: 'failed' })] })).to.equal(true);
    expect(isOnRecord(done, { ...about, captured: 1_000, refunded: 0 })).to.equal(true);
    expect(isOnRecord(done, { currencyCode: 'USD' })).to.equal(false);
  });
});
