// The consequences of an outcome in the same decision: automatic capture, intended voids, mismatches, late successes
// (contract §4).
import { expect } from 'chai';
import { requestCapture } from '../../../src/domain/payment/change.ts';
import type { FollowUp, PaymentEvent } from '../../../src/domain/payment/events.ts';
import { recordLookUp } from '../../../src/domain/payment/look-up.ts';
import {
  attemptOf,
  awaitsOperator,
  dueLookUpAt,
  givesTokenBack,
  isOver,
  openAttempts,
  refusedReversals,
  unsettledAttempts,
} from '../../../src/domain/payment/queries.ts';
import { referenceOf } from '../../../src/domain/payment/reference.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import { givenOf } from '../../support/given.ts';
import {
  AT,
  adjustmentRequested,
  answeredWrongly,
  authorizationRequested,
  authorized,
  cancellationRequested,
  captureRequested,
  created,
  declined,
  estimated,
  holdExpired,
  id,
  known,
  notFound,
  notSent,
  pending,
  place,
  reasonOf,
  refundRequested,
  settle,
  settled,
  success,
  timing,
  wasDeclined,
  wasNotFound,
  wasNotSent,
  wentThrough,
} from './story.ts';

const given = givenOf(payment);
const followed = (attemptId: string, because: FollowUp['because'], after: string) => ({
  attemptId: id(attemptId),
  reference: referenceOf(id(attemptId)),
  requestedAt: AT + 60_000,
  sendBy: AT + 65_000,
  nextLookUpAt: AT + 90_000,
  follows: { attemptId: id(after), because },
});
const learnt = (name: string, amount: number, currencyCode = 'EUR') => ({
  attemptId: id(name),
  evidence: { source: 'answer' as const },
  processorTransactionId: `tx_${name}`,
  amount,
  currencyCode,
  ...place,
});
const late = (name: string, operation: 'authorization' | 'capture', amount: number): PaymentEvent => ({
  type: 'LateSuccessRecorded',
  data: { ...learnt(name, amount), operation },
});

describe('automatic capture', () => {
  const automatic = [created({}, { captureMode: 'AUTOMATIC' }), authorizationRequested];

  it('is requested together with the success of the authorization', () => {
    given(...automatic)
      .when(settle('a', success('a', 1_000)))
      .then(
        { type: 'PaymentAuthorized', data: learnt('a', 1_000) },
        {
          type: 'CaptureRequested',
          data: { ...followed('a-capture', 'automatic_capture', 'a'), amount: 1_000, currencyCode: 'EUR', final: true },
        },
      );
  });

  it('settles the payment; a refused one leaves it AUTHORIZED and free to be captured', () => {
    const { state } = given(...automatic).when(settle('a', success('a', 1_000)));
    expect(known(state).status).to.equal('AUTHORIZED');
    const requested = [...automatic, wentThrough('a', 'authorization', 1_000), captureRequested('a-capture', 1_000)];
    expect(known(given(...requested).when(settle('a-capture', success('c', 1_000))).state).status).to.equal('SETTLED');
    const refused = given(...requested).when(settle('a-capture', declined)).state;
    expect(known(refused).status).to.equal('AUTHORIZED');
    given(...requested, wasDeclined('a-capture', 'capture'))
      .when(requestCapture({ attemptId: id('c'), final: true, ...timing }))
      .then(captureRequested('c', 1_000));
  });
});

describe('an intended cancellation', () => {
  const intended: PaymentEvent = { type: 'CancellationIntended', data: { attemptId: id('x') } };
  const before = [created({}, { captureMode: 'AUTOMATIC' }), authorizationRequested, intended];
  const voidRequested: PaymentEvent = {
    type: 'CancellationRequested',
    data: followed('a-void', 'intended_cancellation', 'a'),
  };

  it('is voided as soon as the authorization is known, and nothing is captured', () => {
    for (const source of ['answer', 'lookup', 'notification'] as const)
      given(...before)
        .when(settle('a', success('a', 1_000), source))
        .then({ type: 'PaymentAuthorized', data: { ...learnt('a', 1_000), evidence: { source } } }, voidRequested);
    const { state } = given(...before, wentThrough('a', 'authorization', 1_000), voidRequested).when(
      settle('a-void', success('v', 0)),
    );
    expect(known(state).status).to.equal('CANCELLED');
  });

  it('of an authorization that was declined, not sent or not found has nothing to void', () => {
    for (const [outcome, status] of [
      [declined, 'DECLINED'],
      [notSent, 'FAILED'],
      [notFound, 'FAILED'],
    ] as const) {
      const { state } = given(...before).when(settle('a', outcome));
      expect(known(state).status).to.equal(status);
      expect(openAttempts(state)).to.deep.equal([]);
    }
  });

  it('is tried again when its void could not be sent, and given up when somebody captures instead', () => {
    const unsent = [
      ...before,
      wentThrough('a', 'authorization', 1_000),
      voidRequested,
      wasNotSent('a-void', 'cancellation', AT + 30_000),
    ];
    const after = given(...unsent);
    expect(known(after.state).status).to.equal('AUTHORIZED');
    expect(dueLookUpAt(after.state)).to.equal(AT + 30_000);
    after
      .when(settle('a-void', notFound, 'lookup'))
      .then({ type: 'CancellationRequested', data: followed('a-void-2', 'intended_cancellation', 'a') });
    expect(dueLookUpAt(given(...unsent, captureRequested('c', 1_000), wasDeclined('c', 'capture')).state)).to.equal(
      undefined,
    );
  });

  it('that is tried again and again waits longer each time', () => {
    const again: PaymentEvent = {
      type: 'CancellationRequested',
      data: followed('a-void-2', 'intended_cancellation', 'a'),
    };
    const unsent = [
      ...before,
      wentThrough('a', 'authorization', 1_000),
      voidRequested,
      wasNotSent('a-void', 'cancellation', AT + 30_000),
      again,
    ];
    expect(openAttempts(given(...unsent).state).map(({ attemptId }) => attemptId)).to.deep.equal([id('a-void-2')]);
    expect(dueLookUpAt(given(...unsent, wasNotSent('a-void-2', 'cancellation', AT + 300_000)).state)).to.equal(
      AT + 300_000,
    );
  });

  it('is still wanted after another void was asked for and refused, and no longer when the hold is over', () => {
    const unsent = [
      ...before,
      wentThrough('a', 'authorization', 1_000),
      voidRequested,
      wasNotSent('a-void', 'cancellation', AT + 30_000),
    ];
    const refused = [cancellationRequested('y'), wasDeclined('y', 'cancellation')];
    expect(dueLookUpAt(given(...unsent, ...refused).state)).to.equal(AT + 30_000);
    expect(dueLookUpAt(given(...unsent, holdExpired).state)).to.equal(undefined);
  });

  it('whose void is refused leaves the payment as it was, with nothing that waits for an operator', () => {
    const refused = [
      ...before,
      wentThrough('a', 'authorization', 1_000),
      voidRequested,
      wasDeclined('a-void', 'cancellation'),
    ];
    const { state } = given(...refused);
    expect(known(state).status).to.equal('AUTHORIZED');
    expect(unsettledAttempts(state)).to.deep.equal([]);
    expect(awaitsOperator(state)).to.equal(false);
  });

  it('can be looked up in between without settling anything', () => {
    const unsent = [
      ...before,
      wentThrough('a', 'authorization', 1_000),
      voidRequested,
      wasNotSent('a-void', 'cancellation', AT + 30_000),
    ];
    const { state } = given(...unsent).when(
      recordLookUp({
        attemptId: id('a-void'),
        answer: 'unknown',
        processorTransactionId: undefined,
        evidence: { source: 'lookup' },
        nextLookUpAt: AT + 99_000,
      }),
    );
    expect(dueLookUpAt(state)).to.equal(AT + 99_000);
    expect(attemptOf(state, id('a-void'))?.state).to.equal('not_sent');
  });
});

describe('an authorization answered in another amount or currency', () => {
  const voidRequested: PaymentEvent = {
    type: 'CancellationRequested',
    data: followed('a-void', 'answer_mismatch', 'a'),
  };

  it('is never AUTHORIZED on: PENDING with APPLICATION_ERROR, voided, then FAILED', () => {
    for (const [amount, currencyCode] of [
      [999, 'EUR'],
      [1_001, 'EUR'],
      [1_000, 'USD'],
    ] as const) {
      const noted = answeredWrongly('a', 'authorization', amount, currencyCode);
      given(...pending)
        .when(settle('a', success('a', amount, currencyCode)))
        .then(noted, voidRequested);
      const during = given(...pending, noted, voidRequested);
      expect(known(during.state)).to.include({
        status: 'PENDING',
        amountAuthorized: 0,
        amountCapturable: 0,
        processorTransactionId: 'tx_a',
      });
      expect(reasonOf(during.state)?.type).to.equal('APPLICATION_ERROR');
      during.when(settle('a', success('a', 1_000), 'notification')).thenNothing();
      const { state } = during.when(settle('a-void', success('v', 0)));
      expect(known(state).status).to.equal('FAILED');
      expect(reasonOf(state)?.type).to.equal('APPLICATION_ERROR');
      expect([isOver(state), givesTokenBack(state)]).to.deep.equal([true, false]);
    }
  });

  it('stays PENDING while the void does not go through, and is tried again', () => {
    const noted = answeredWrongly('a', 'authorization', 999);
    const { state } = given(...pending, noted, voidRequested).when(settle('a-void', notSent));
    expect(known(state).status).to.equal('PENDING');
    expect(dueLookUpAt(state)).to.equal(AT + 60_000 + 30_000);
  });

  it('awaits an operator once the void is refused, while no other void is on its way and the hold is not over', () => {
    const refused = [
      ...pending,
      answeredWrongly('a', 'authorization', 999),
      voidRequested,
      wasDeclined('a-void', 'cancellation'),
    ];
    const owed = (...later: readonly PaymentEvent[]) => {
      const { state } = given(...refused, ...later);
      const names = refusedReversals(state).map(({ attemptId }) => attemptId);
      expect(awaitsOperator(state)).to.equal(names.length > 0);
      expect(unsettledAttempts(state).map(({ attemptId }) => attemptId)).to.include.members(names);
      return names;
    };
    expect(owed()).to.deep.equal([id('a-void')]);
    expect(owed(cancellationRequested('x'))).to.deep.equal([]);
    expect(owed(cancellationRequested('x'), wasDeclined('x', 'cancellation'))).to.deep.equal([id('a-void')]);
    expect(owed(cancellationRequested('x'), wentThrough('x', 'cancellation', 0))).to.deep.equal([]);
    expect(
      owed({ type: 'AuthorizationExpired', data: { ...place, evidence: { source: 'notification' } } }),
    ).to.deep.equal([]);
  });
});

describe('a late success', () => {
  const failed = [...pending, wasNotFound('a', 'authorization')];

  it('of an authorization stays visible and is voided; the payment stays what it was', () => {
    const lateHold = late('a', 'authorization', 1_000);
    const voidRequested: PaymentEvent = {
      type: 'CancellationRequested',
      data: followed('a-void', 'late_success', 'a'),
    };
    for (const end of [wasNotFound, wasNotSent, wasDeclined]) {
      const before = [...pending, end('a', 'authorization')];
      const status = known(given(...before).state).status;
      given(...before)
        .when(settle('a', success('a', 1_000)))
        .then(lateHold, voidRequested);
      const after = given(...before, lateHold, voidRequested);
      expect(known(after.state)).to.include({
        status,
        amountAuthorized: 0,
        amountCapturable: 0,
        processorTransactionId: 'tx_a',
      });
      expect(attemptOf(after.state, id('a'))).to.include({ state: 'succeeded', late: true });
      expect(givesTokenBack(after.state)).to.equal(false);
      const voided = after.when(settle('a-void', success('v', 0))).state;
      expect(known(voided).status).to.equal(status);
      expect(dueLookUpAt(voided)).to.equal(undefined);
    }
  });

  it('is recorded once', () => {
    const lateHold = late('a', 'authorization', 1_000);
    for (const source of ['lookup', 'notification', 'answer'] as const) {
      given(...failed, lateHold)
        .when(settle('a', success('a', 1_000), source))
        .thenNothing();
    }
  });

  it('of a capture after the payment was cancelled is refunded, in no total', () => {
    const before = [
      ...authorized,
      captureRequested('c', 400, false),
      wasNotFound('c', 'capture'),
      cancellationRequested('v'),
      wentThrough('v', 'cancellation', 0),
    ];
    given(...before)
      .when(settle('c', success('c', 400)))
      .then(late('c', 'capture', 400), {
        type: 'RefundRequested',
        data: {
          ...followed('c-refund', 'late_success', 'c'),
          refundId: id('c-refund'),
          amount: 400,
          currencyCode: 'EUR',
          allocations: [],
        },
      });
    const { state } = given(...before).when(settle('c', success('c', 400)));
    expect(known(state)).to.include({
      status: 'CANCELLED',
      amountCaptured: 0,
      amountRefundable: 0,
      amountRefundPending: 0,
    });
    expect(openAttempts(state).map(({ attemptId }) => attemptId)).to.deep.equal([id('c-refund')]);
  });

  it('of a capture that no longer fits is refunded', () => {
    const before = [
      ...authorized,
      captureRequested('b', 600, false),
      wasNotFound('b', 'capture'),
      captureRequested('c', 1_000),
    ];
    const { state } = given(...before, wentThrough('c', 'capture', 1_000)).when(
      settle('b', success('b', 600), 'notification'),
    );
    expect(known(state)).to.include({ status: 'SETTLED', amountCaptured: 1_000, amountRefundable: 1_000 });
    expect(openAttempts(state).map(({ attemptId }) => attemptId)).to.deep.equal([id('b-refund')]);
  });

  it('of a capture for which there is room is simply booked: the money moved', () => {
    for (const end of [wasNotFound, wasNotSent, wasDeclined]) {
      const { state } = given(...authorized, captureRequested('c', 400, false), end('c', 'capture')).when(
        settle('c', success('c', 400), 'notification'),
      );
      expect(known(state)).to.include({ status: 'PARTIALLY_SETTLED', amountCaptured: 400, amountCapturable: 600 });
      expect(known(state)).to.not.have.property('statusReason');
    }
  });

  it('of a refund is booked, whatever is refundable', () => {
    const room = given(...settled, refundRequested('r', 600, 'c'), wasNotFound('r', 'refund')).when(
      settle('r', success('r', 600)),
    );
    expect(known(room.state)).to.include({ amountRefunded: 600, amountRefundable: 400 });
    const before = [
      ...settled,
      refundRequested('r', 600, 'c'),
      wasNotFound('r', 'refund'),
      refundRequested('s', 700, 'c'),
    ];
    const none = given(...before).when(settle('r', success('r', 600)));
    expect(known(none.state)).to.include({ amountRefunded: 600, amountRefundPending: 700, amountRefundable: 0 });
    expect(attemptOf(none.state, id('r')))
      .to.include({ state: 'succeeded', bookedAmount: 600 })
      .and.not.have.property('late');
  });

  it('of a void ends the hold, even if it had counted as refused', () => {
    const { state } = given(...authorized, cancellationRequested('v'), wasDeclined('v', 'cancellation')).when(
      settle('v', success('v', 0)),
    );
    expect(known(state).status).to.equal('CANCELLED');
  });

  it('of an adjustment counts while the payment is AUTHORIZED, and never takes SETTLED back', () => {
    const before = [...estimated, adjustmentRequested('j', 1_500), wasNotFound('j', 'adjustment')];
    expect(known(given(...before).when(settle('j', success('j', 1_500))).state).amountAuthorized).to.equal(1_500);
    const captured = [...before, captureRequested('c', 1_000), wentThrough('c', 'capture', 1_000)];
    const { state } = given(...captured).when(settle('j', success('j', 1_500)));
    expect(known(state)).to.include({ status: 'SETTLED', amountAuthorized: 1_000 });
    expect(openAttempts(state)).to.deep.equal([]);
  });

  it('of an adjustment below what is being captured does not count', () => {
    const lowered = [...estimated, adjustmentRequested('j', 600), wasNotFound('j', 'adjustment')];
    const amountAfter = (capturing: number) =>
      known(given(...lowered, captureRequested('c', capturing, false)).when(settle('j', success('j', 600))).state)
        .amountAuthorized;
    expect([amountAfter(600), amountAfter(601)]).to.deep.equal([600, 1_000]);
  });

  it('of a capture in another currency after the end stays visible, and nobody guesses what to give back', () => {
    const before = [...authorized, captureRequested('c', 400), wasNotFound('c', 'capture'), cancellationRequested('v')];
    const cancelled = given(...before, wentThrough('v', 'cancellation', 0));
    const { state } = cancelled.when(settle('c', success('c', 400, 'USD')));
    expect(attemptOf(state, id('c'))).to.include({ late: true });
    expect(openAttempts(state)).to.deep.equal([]);
  });

  it('whose reversal did not happen is reversed again', () => {
    const lateHold = late('a', 'authorization', 1_000);
    const voidRequested: PaymentEvent = {
      type: 'CancellationRequested',
      data: followed('a-void', 'late_success', 'a'),
    };
    given(...failed, lateHold, voidRequested, wasNotFound('a-void', 'cancellation', AT + 30_000))
      .when(settle('a-void', notFound, 'lookup'))
      .then({ type: 'CancellationRequested', data: followed('a-void-2', 'late_success', 'a') });
    const { state } = given(...failed, lateHold, voidRequested).when(settle('a-void', declined));
    expect(dueLookUpAt(state)).to.equal(undefined);
  });

  it('whose reversal did not happen twice is reversed a third time', () => {
    const lateHold = late('a', 'authorization', 1_000);
    const voids = ['a-void', 'a-void-2'].flatMap((name): readonly PaymentEvent[] => [
      { type: 'CancellationRequested', data: followed(name, 'late_success', 'a') },
      wasNotFound(name, 'cancellation', AT + 30_000),
    ]);
    given(...failed, lateHold, ...voids)
      .when(settle('a-void-2', notFound, 'lookup'))
      .then({ type: 'CancellationRequested', data: followed('a-void-3', 'late_success', 'a') });
  });

  it('of a capture is refunded again, by the same amount, when its refund did not happen', () => {
    const refund = (name: string): PaymentEvent => ({
      type: 'RefundRequested',
      data: {
        ...followed(name, 'late_success', 'c'),
        refundId: id(name),
        amount: 400,
        currencyCode: 'EUR',
        allocations: [],
      },
    });
    const cancelled = [cancellationRequested('v'), wentThrough('v', 'cancellation', 0), late('c', 'capture', 400)];
    const unsent = [refund('c-refund'), wasNotFound('c-refund', 'refund', AT + 30_000)];
    given(...authorized, captureRequested('c', 400, false), wasNotFound('c', 'capture'), ...cancelled, ...unsent)
      .when(settle('c-refund', notFound, 'lookup'))
      .then(refund('c-refund-2'));
  });
});
