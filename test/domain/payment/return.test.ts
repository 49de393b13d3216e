// The facts that undo a success: a refund that failed later, a capture that was returned (contract §4).
import { expect } from 'chai';
import type { PaymentEvent } from '../../../src/domain/payment/events.ts';
import type { Evidence, Outcome } from '../../../src/domain/payment/outcome.ts';
import { attemptOf, openAttempts, openOverRefund, refusedReversals } from '../../../src/domain/payment/queries.ts';
import { referenceOf } from '../../../src/domain/payment/reference.ts';
import { requestRefund } from '../../../src/domain/payment/refund.ts';
import { recordReturn, unreturnable } from '../../../src/domain/payment/return.ts';
import { settleAttempt } from '../../../src/domain/payment/settle.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import { givenOf } from '../../support/given.ts';
import {
  AT,
  authorized,
  cameBack,
  cancellationRequested,
  captureRequested,
  declined,
  holdExpired,
  id,
  known,
  mismatched,
  partlySettled,
  place,
  reasonOf,
  refundRequested,
  settled,
  success,
  timing,
  wasDeclined,
  wasNotFound,
  wentThrough,
} from './story.ts';

const given = givenOf(payment);
const refunded = [...settled, refundRequested('r', 300, 'c'), wentThrough('r', 'refund', 300)];

/** The processor's report, by its own clock. */
const told = (
  name: string,
  outcome: Outcome,
  occurredAt: number | undefined,
  source: Evidence['source'] = 'notification',
) =>
  settleAttempt({
    attemptId: id(name),
    outcome,
    evidence: { source, ...(occurredAt !== undefined && { occurredAt }) },
    source,
    ...timing,
  });
const returned = (name: string, operation: 'capture' | 'refund', amount: number, evidence: Evidence): PaymentEvent => ({
  type: operation === 'capture' ? 'CaptureReturned' : 'RefundReturned',
  data: {
    attemptId: id(name),
    evidence,
    amount,
    currencyCode: 'EUR',
    ...place,
    code: 'GENERIC_DECLINE',
    declineType: 'HARD',
  },
});

const vouched = (name: string, operation: 'capture' | 'refund', amount: number): PaymentEvent => {
  const done = wentThrough(name, operation, amount);
  return { ...done, data: { ...done.data, evidence: { source: 'operator' } } } as PaymentEvent;
};

/** A capture that was done when all was captured, and its refund. */
const late: PaymentEvent = {
  type: 'LateSuccessRecorded',
  data: {
    attemptId: id('b'),
    operation: 'capture',
    evidence: { source: 'answer' },
    processorTransactionId: 'tx_b',
    amount: 600,
    currencyCode: 'EUR',
    ...place,
  },
};
const request = refundRequested('b-refund', 600, 'b');
if (request.type !== 'RefundRequested') throw new Error(request.type);
const reversal: PaymentEvent = {
  ...request,
  data: { ...request.data, follows: { attemptId: id('b'), because: 'late_success' } },
};
const lateAndGivenBack = [
  ...settled,
  captureRequested('b', 600, false),
  late,
  reversal,
  wentThrough('b-refund', 'refund', 600),
];

describe('a refund that fails after it succeeded', () => {
  it('is returned when the processor reports the failure later than the success', () => {
    given(...refunded)
      .when(told('r', declined, AT + 5))
      .then(returned('r', 'refund', 300, { source: 'notification', occurredAt: AT + 5 }));
    const { state } = given(...refunded).when(told('r', declined, AT + 5));
    expect(known(state)).to.include({ status: 'SETTLED', amountRefunded: 0, amountRefundable: 1_000 });
    expect(attemptOf(state, id('r'))).to.include({ state: 'returned', code: 'GENERIC_DECLINE' });
    expect(known(state)).to.not.have.property('statusReason');
  });

  it('comes back when a look-up finds it refused', () => {
    given(...refunded)
      .when(told('r', declined, undefined, 'lookup'))
      .then(returned('r', 'refund', 300, { source: 'lookup' }));
  });

  it('comes back by a word of the very moment of its success', () => {
    const done = attemptOf(given(...refunded).state, id('r'))?.events.at(-1)?.at;
    expect(known(given(...refunded).when(told('r', declined, done)).state)).to.include({ amountRefunded: 0 });
  });

  it('stays done for a stale word, and for one that nobody dates', () => {
    for (const [occurredAt, source] of [
      [-1, 'notification'],
      [undefined, 'notification'],
      [undefined, 'answer'],
    ] as const)
      given(...refunded)
        .when(told('r', declined, occurredAt, source))
        .thenNothing();
  });

  it('comes back once, and its amount can be refunded again', () => {
    const before = [...refunded, cameBack('r', 'refund', 300)];
    for (const word of [declined, success('r', 300)])
      given(...before)
        .when(told('r', word, 0))
        .thenNothing();
    const { state } = given(...before).when(requestRefund({ attemptId: id('s'), refundId: 'ref_s', ...timing }));
    expect(known(state)).to.include({ amountRefunded: 0, amountRefundPending: 1_000, amountRefundable: 0 });
  });

  it('ends the same in whatever order the two words arrive', () => {
    const asked = [...settled, refundRequested('r', 300, 'c')];
    const first = given(...asked).when(told('r', success('r', 300), AT + 1)).state;
    const inOrder = told('r', declined, AT + 2)(first);
    expect(inOrder).to.deep.include({ kind: 'accepted' });
    const failedFirst: PaymentEvent = {
      type: 'RefundDeclined',
      data: {
        attemptId: id('r'),
        evidence: { source: 'notification', occurredAt: AT + 2 },
        code: 'GENERIC_DECLINE',
        declineType: 'HARD',
        amount: 300,
        currencyCode: 'EUR',
        ...place,
      },
    };
    given(...asked)
      .when(told('r', declined, AT + 2))
      .then(failedFirst);
    given(...asked, failedFirst)
      .when(told('r', success('r', 300), AT + 1))
      .thenNothing();
    expect(known(given(...asked, failedFirst).when(told('r', success('r', 300), AT + 3)).state)).to.include({
      amountRefunded: 300,
    });
  });

  describe('and took back a late capture', () => {
    const before = lateAndGivenBack;
    const operatorsWord = told(
      'b-refund',
      { ...success('b-refund', 600), processorTransactionId: referenceOf(id('b-refund')) },
      undefined,
      'operator',
    );

    it('is owed again, and an operator sees to it', () => {
      expect(refusedReversals(given(...before).state)).to.deep.equal([]);
      const { state } = given(...before).when(told('b-refund', declined, AT + 5));
      expect(refusedReversals(state).map(({ attemptId }) => attemptId)).to.deep.equal([id('b-refund')]);
      const closed = given(...before, cameBack('b-refund', 'refund', 600)).when(operatorsWord);
      expect(refusedReversals(closed.state)).to.deep.equal([]);
      const gone = given(...before, cameBack('b-refund', 'refund', 600), cameBack('b', 'capture', 600)).state;
      expect(refusedReversals(gone)).to.deep.equal([]);
    });

    it('comes back by a look-up where the processor had said that it was done, or had never refused it', () => {
      const asked = before.slice(0, -1);
      const lookedUp = told('b-refund', declined, undefined, 'lookup');
      for (const word of [
        [wasDeclined('b-refund', 'refund'), wentThrough('b-refund', 'refund', 600)],
        [vouched('b-refund', 'refund', 600)],
      ])
        given(...asked, ...word)
          .when(lookedUp)
          .then(returned('b-refund', 'refund', 600, { source: 'lookup' }));
    });

    it('is owed beside a capture that is under way', () => {
      const some = [
        ...authorized,
        captureRequested('b', 600, false),
        captureRequested('c', 500, false),
        wentThrough('c', 'capture', 500),
      ];
      const owed = [late, reversal, wasDeclined('b-refund', 'refund'), captureRequested('d', 100, false)];
      expect(refusedReversals(given(...some, ...owed).state).map(({ attemptId }) => attemptId)).to.deep.equal([
        id('b-refund'),
      ]);
    });

    it('stays closed by the operator when the processor says again that it was refused, and not after it said that it was done', () => {
      const asked = before.slice(0, -1);
      for (const refusal of [wasDeclined('b-refund', 'refund'), cameBack('b-refund', 'refund', 600)]) {
        const history = refusal.type === 'RefundDeclined' ? asked : before;
        const closed = given(...history, refusal).when(operatorsWord).state;
        for (const again of [told('b-refund', declined, AT + 90_000), told('b-refund', declined, undefined, 'lookup')])
          expect(again(closed)).to.deep.equal({ kind: 'accepted', events: [] });
        const done = told('b-refund', success('b-refund', 600), AT + 5)(closed);
        if (done.kind === 'rejected') throw new Error(done.errorId);
        const [confirmed] = done.events;
        if (confirmed === undefined) throw new Error('nothing was confirmed');
        const at = { id: 'confirmed', revision: 99, at: AT + 90_000 };
        const decision = told('b-refund', declined, AT + 90_000)(payment.evolve(closed, confirmed, at));
        expect(decision.kind === 'accepted' && decision.events.map(({ type }) => type)).to.deep.equal([
          'RefundReturned',
        ]);
      }
    });
  });
});

describe('a capture that comes back', () => {
  const record = recordReturn({
    attemptId: id('c'),
    amount: 1_000,
    evidence: { source: 'notification', notificationId: 'n_1' },
  });

  it('leaves the payment as before it, and its final flag no longer releases anything', () => {
    const { state } = given(...settled).when(record);
    expect(known(state)).to.include({
      status: 'AUTHORIZED',
      amountCaptured: 0,
      amountCapturable: 1_000,
      restReleased: false,
    });
    expect(reasonOf(state)?.type).to.equal('ISSUER_DECLINE');
    expect(openAttempts(state)).to.deep.equal([]);
  });

  it('leaves less settled where another capture stands', () => {
    const both = [...partlySettled, captureRequested('d', 600), wentThrough('d', 'capture', 600)];
    const { state } = given(...both).when(told('d', declined, AT + 5));
    expect(known(state)).to.include({ status: 'PARTIALLY_SETTLED', amountCaptured: 400, amountCapturable: 600 });
  });

  it('cancels the payment where the rest is no longer held', () => {
    expect(known(given(...partlySettled, holdExpired, cameBack('c', 'capture', 400)).state)).to.include({
      status: 'CANCELLED',
      amountCaptured: 0,
      amountCapturable: 0,
    });
  });

  it('makes the payment OVER_REFUNDED by what was refunded of it', () => {
    const { state } = given(...refunded).when(record);
    expect(known(state)).to.include({ amountCaptured: 0, amountRefunded: 300, amountRefundable: 0 });
    expect(openOverRefund(state)).to.equal(300);
    expect(
      openOverRefund(given(...refunded, cameBack('c', 'capture', 1_000), cameBack('r', 'refund', 300)).state),
    ).to.equal(0);
    expect(
      known(given(...refunded, cameBack('r', 'refund', 300), cameBack('c', 'capture', 1_000)).state),
    ).to.deep.include({
      amountCaptured: 0,
      amountRefunded: 0,
    });
  });

  it('is on record once, and only as a whole', () => {
    given(...settled, cameBack('c', 'capture', 1_000))
      .when(record)
      .thenNothing();
    given(...settled)
      .when(recordReturn({ attemptId: id('c'), amount: 400, evidence: { source: 'notification' } }))
      .thenRejected('Conflict');
    given(...settled)
      .when(
        recordReturn({ attemptId: id('c'), amount: 1_000, currencyCode: 'USD', evidence: { source: 'notification' } }),
      )
      .thenRejected('Conflict');
    for (const occurredAt of [{}, { occurredAt: AT }])
      given(...authorized, captureRequested('c', 1_000))
        .when(recordReturn({ attemptId: id('c'), amount: 1_000, evidence: { source: 'notification', ...occurredAt } }))
        .thenRejected('Conflict');
    given().when(record).thenRejected('NotFound');
    given(...authorized)
      .when(record)
      .thenRejected('NotFound');
  });

  it('changes nothing where the return is older than the success', () =>
    given(...settled)
      .when(recordReturn({ attemptId: id('c'), amount: 1_000, evidence: { source: 'notification', occurredAt: -1 } }))
      .thenNothing());

  it('cannot be booked before the capture succeeded, or of other money, and says why', () => {
    const why = (name: string, amount: number, ...events: readonly PaymentEvent[]) => {
      const state = known(given(...events).state);
      return unreturnable(state, attemptOf(state, id(name)) ?? expect.fail(), { amount });
    };
    const asked = [...authorized, captureRequested('c', 1_000)];
    expect(why('c', 1_000, ...asked)).to.deep.equal({
      code: 'return_without_success',
      attemptId: id('c'),
      state: 'open',
    });
    expect(why('c', 999, ...settled)).to.deep.equal({
      code: 'return_differs',
      attemptId: id('c'),
      amount: 1_000,
      currencyCode: 'EUR',
    });
    expect(why('a', 1_000, ...mismatched)).to.include({ code: 'return_without_success', state: 'succeeded' });
    for (const onRecord of [
      [...asked, wasDeclined('c', 'capture')],
      [...settled, cameBack('c', 'capture', 1_000)],
      settled,
    ])
      expect(why('c', 1_000, ...onRecord)).to.equal(undefined);
  });

  it('is found by a look-up even against a manual confirmation, and not if it never succeeded', () => {
    const asked = [...authorized, captureRequested('c', 1_000)];
    const lookedUp = told('c', declined, undefined, 'lookup');
    given(...asked, wasDeclined('c', 'capture'), vouched('c', 'capture', 1_000))
      .when(lookedUp)
      .then(returned('c', 'capture', 1_000, { source: 'lookup' }));
    given(...asked, wasNotFound('c', 'capture'))
      .when(lookedUp)
      .thenNothing();
  });

  it('is said of nothing but captures and refunds: a stale refusal of an authorization stays a stale word', () => {
    given(...authorized)
      .when(told('a', declined, AT + 5))
      .thenNothing();
  });
});

describe('a word that the processor says again', () => {
  const asked = [...authorized, captureRequested('c', 1_000)];
  const dated = (event: PaymentEvent, occurredAt: number) =>
    ({ ...event, data: { ...event.data, evidence: { source: 'notification', occurredAt } } }) as PaymentEvent;
  const done = [...asked, dated(wentThrough('c', 'capture', 1_000), AT)];
  const refused = [...asked, dated(wasDeclined('c', 'capture'), AT)];
  const back = [...done, dated(cameBack('c', 'capture', 1_000), AT)];
  const again = (occurredAt: number, code: object = {}): PaymentEvent => ({
    type: 'OutcomeRepeated',
    data: { attemptId: id('c'), operation: 'capture', evidence: { source: 'notification', occurredAt }, ...code },
  });
  const code = { code: 'GENERIC_DECLINE', declineType: 'HARD' } as const;

  it('is on record by its newest time, so that a contrary one from before it changes nothing', () => {
    for (const [before, word, repeated] of [
      [done, success('c', 1_000), again(AT + 10)],
      [refused, declined, again(AT + 10, code)],
      [back, declined, again(AT + 10, code)],
    ] as const) {
      given(...before)
        .when(told('c', word, AT + 10))
        .then(repeated);
      const contrary = word === declined ? success('c', 1_000) : declined;
      const changed = (occurredAt: number) => {
        const decision = told('c', contrary, occurredAt)(given(...before, repeated).state);
        return decision.kind === 'accepted' && decision.events.length > 0;
      };
      expect([changed(AT + 9), changed(AT + 11)]).to.deep.equal([false, true]);
    }
    const returnedAgain = recordReturn({
      attemptId: id('c'),
      amount: 1_000,
      evidence: { source: 'notification', occurredAt: AT + 10 },
    });
    given(...back)
      .when(returnedAgain)
      .then(again(AT + 10));
  });

  it('has the time of its question where it is the answer of a call, unless it is a refusal, which has none', () => {
    const answered = (outcome: Outcome) =>
      settleAttempt({
        attemptId: id('c'),
        outcome,
        evidence: { source: 'answer', sentAt: AT + 10 },
        source: 'answer',
        ...timing,
      });
    given(...done)
      .when(answered(success('c', 1_000)))
      .then({
        type: 'OutcomeRepeated',
        data: { attemptId: id('c'), operation: 'capture', evidence: { source: 'answer', sentAt: AT + 10 } },
      });
    given(...refused)
      .when(answered(declined))
      .thenNothing();
  });

  it('leaves nothing where it is not newer, has no time, is of other money, or is about what cannot come back', () => {
    for (const [before, name, word, occurredAt] of [
      [done, 'c', success('c', 1_000), AT],
      [done, 'c', success('c', 1_000), undefined],
      [done, 'c', success('c', 999), AT + 10],
      [done, 'c', success('c', 1_000, 'USD'), AT + 10],
      [refused, 'c', declined, AT],
      [refused, 'c', declined, undefined],
      [authorized, 'a', success('a', 1_000), AT + 10],
      [mismatched, 'a', success('a', 1_000), AT + 10],
      [[...authorized, cancellationRequested('v'), wentThrough('v', 'cancellation', 0)], 'v', success('v', 0), AT + 10],
    ] as const)
      given(...before)
        .when(told(name, word, occurredAt))
        .thenNothing();
  });

  it('is on record by the time of a look-up, but not of a reversal that is looked up before each operation', () => {
    const lookedUp = (name: string, sentAt: number) =>
      settleAttempt({
        attemptId: id(name),
        outcome: declined,
        evidence: { source: 'lookup', sentAt },
        source: 'lookup',
        ...timing,
      });
    given(...refused)
      .when(lookedUp('c', AT + 10))
      .then({
        type: 'OutcomeRepeated',
        data: { attemptId: id('c'), operation: 'capture', evidence: { source: 'lookup', sentAt: AT + 10 }, ...code },
      });
    const owed = [...lateAndGivenBack.slice(0, -1), dated(wasDeclined('b-refund', 'refund'), AT)];
    given(...owed)
      .when(lookedUp('b-refund', AT + 10))
      .thenNothing();
    const { state } = given(...owed).when(told('b-refund', declined, AT + 10));
    expect(attemptOf(state, id('b-refund'))).to.include({ state: 'declined', toldAt: AT + 10 });
  });
});

describe('a success that is reported after a refusal or a return', () => {
  const asked = [...authorized, captureRequested('c', 1_000)];
  const dated = (event: PaymentEvent, occurredAt?: number) =>
    ({
      ...event,
      data: { ...event.data, evidence: { source: 'notification', ...(occurredAt !== undefined && { occurredAt }) } },
    }) as PaymentEvent;
  const captured = (
    before: readonly PaymentEvent[],
    at: number | undefined,
    source: Evidence['source'] = 'notification',
  ) => known(given(...before).when(told('c', success('c', 1_000), at, source)).state).amountCaptured;

  it('is booked where it is newer, where the refusal has no time, and always where it is an operator’s', () => {
    const refused = [...asked, dated(wasDeclined('c', 'capture'), AT)];
    expect([captured(refused, AT), captured(refused, AT + 1)]).to.deep.equal([0, 1_000]);
    expect(captured([...asked, wasDeclined('c', 'capture')], 1)).to.equal(1_000);
    const back = [...settled, dated(cameBack('c', 'capture', 1_000), AT)];
    expect([captured(back, AT), captured(back, AT + 1)]).to.deep.equal([0, 1_000]);
    for (const before of [refused, back]) expect(captured(before, AT - 1, 'operator')).to.equal(1_000);
  });
});
