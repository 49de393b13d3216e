// The outcome of an attempt: graded by evidence, never backwards (contract §1).
import { expect } from 'chai';
import { type Checks, resumedAt } from '../../../src/domain/payment/attempt.ts';
import type { PaymentEvent } from '../../../src/domain/payment/events.ts';
import { expireAuthorization } from '../../../src/domain/payment/expire.ts';
import type { Outcome, Succeeded } from '../../../src/domain/payment/outcome.ts';
import {
  attemptOf,
  awaitsOperator,
  dueLookUpAt,
  givesTokenBack,
  isOver,
  openAttempts,
} from '../../../src/domain/payment/queries.ts';
import { settleAttempt } from '../../../src/domain/payment/settle.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import { givenOf } from '../../support/given.ts';
import {
  AT,
  actionRequired,
  answeredWrongly,
  authorizationRequested,
  authorized,
  cancellationRequested,
  captureRequested,
  created,
  DECLINE,
  declined,
  holdExpired,
  id,
  isPending,
  isUnknown,
  known,
  notFound,
  notSent,
  partlySettled,
  pending,
  pendingAnswer,
  place,
  reasonOf,
  refundRequested,
  settle,
  settled,
  success,
  timing,
  unknown,
  wasDeclined,
  wasNotFound,
  wasNotSent,
  wentThrough,
} from './story.ts';

const given = givenOf(payment);

describe('an authorization that went through', () => {
  it('is recorded with the names of the network, by which later charges refer to it', () => {
    const names = { networkTransactionId: 'n-1', transactionLinkId: 'l-1' };
    given(created(), authorizationRequested)
      .when(settle('a', { ...success('a', 1_000), authorization: names }))
      .then({
        type: 'PaymentAuthorized',
        data: {
          attemptId: id('a'),
          evidence: { source: 'answer' },
          processorTransactionId: 'tx_a',
          amount: 1_000,
          currencyCode: 'EUR',
          ...place,
          ...names,
        },
      });
  });
});

/** Of pay_1.a; what is asked of it now has this timing. */
const asks = (outcome: Outcome, source: 'answer' | 'lookup', sentAt: number, name = 'a') =>
  settleAttempt({
    attemptId: id(name),
    outcome,
    evidence: { source, sentAt },
    source,
    waits: { resumeTokenHash: 'f'.repeat(64), expiresAt: AT + 3_600_000 },
    ...timing,
  });
const requiresAction: Outcome = {
  kind: 'requires_action',
  processorTransactionId: 'tx_a',
  action: { kind: 'redirect', url: 'https://issuer.example/3ds' },
};
/** The customer was asked to act, and came back: the call that goes on is sent by AT + 15 000. */
const resumed: readonly PaymentEvent[] = [
  ...pending,
  actionRequired,
  { type: 'AuthorizationResumed', data: { attemptId: id('a'), sendBy: AT + 15_000, nextLookUpAt: AT + 40_000 } },
];

describe('an authorization whose customer came back', () => {
  it('waits for the customer again only by a word that is newer than the return', () => {
    const callEndsAt = AT + 15_000 + (timing.callEndsAt - timing.sendBy);
    const fold = (...more: readonly PaymentEvent[]) => given(...resumed, ...more);
    const returned = resumedAt(attemptOf(fold().state, id('a')) ?? expect.fail()) ?? 0;
    for (const [source, sentAt] of [
      ['answer', returned - 1],
      ['lookup', callEndsAt - 1],
    ] as const)
      for (const before of [[], [isUnknown('a', 'authorization')]])
        fold(...before)
          .when(asks(requiresAction, source, sentAt))
          .thenNothing();
    for (const [source, sentAt] of [
      ['answer', returned],
      ['lookup', callEndsAt],
    ] as const)
      expect(attemptOf(fold().when(asks(requiresAction, source, sentAt)).state, id('a'))?.state).to.equal(
        'action_required',
      );
    fold(isPending('a', 'authorization'))
      .when(asks(requiresAction, 'lookup', AT + 999_999))
      .thenNothing();
  });
});

describe('an authorization whose customer has to act', () => {
  it('waits for nobody once a look-up since then says that it is under way', () => {
    const waits = given(...resumed.slice(0, -1));
    const attempt = attemptOf(waits.state, id('a'));
    const requiredAt = attempt?.state === 'action_required' ? attempt.requiredAt : expect.fail();
    expect(attemptOf(waits.when(asks(pendingAnswer('a'), 'lookup', requiredAt)).state, id('a'))).to.include({
      state: 'pending',
      nextLookUpAt: AT + 30_000,
    });
    waits.when(asks(pendingAnswer('a'), 'lookup', requiredAt - 1)).thenNothing();
    waits.when(asks(pendingAnswer('a'), 'answer', requiredAt)).thenNothing();
  });

  it('keeps of the authentication what merchants are told, and no cryptogram', () => {
    const told = { responseCode: 'AUTH_SUCCESS', protocolVersion: '2.2.0', challengeIssued: true, eci: '05' };
    const authorization = { threeDSecure: { ...told, cavv: 'AAABBEg0VhI0VniQEjRWAAAAAAA=' } };
    const { state } = given(...pending).when(asks({ ...success('a', 1_000), authorization }, 'answer', AT));
    expect(known(state).threeDSecure).to.deep.equal(told);
    const refused = given(...pending).when(asks({ ...declined, ...authorization }, 'answer', AT));
    expect(known(refused.state).threeDSecure).to.deep.equal(told);
  });
});

describe('an operation that no customer can act for', () => {
  it('is pending, as an authorization, where nobody can be sent to act', () => {
    const { state } = given(...pending).when(settle('a', requiresAction));
    expect(attemptOf(state, id('a'))?.state).to.equal('pending');
  });

  it('is pending where the processor says that one has to', () => {
    const { state } = given(...authorized, captureRequested('c', 1_000)).when(asks(requiresAction, 'lookup', AT, 'c'));
    expect(attemptOf(state, id('c'))?.state).to.equal('pending');
  });
});

describe('an authorization', () => {
  it('that succeeded makes the payment AUTHORIZED, with what the processor said', () => {
    // all members of Checks, so that the fold leaves none out
    const authorization: Required<Checks> = {
      avsResult: 'MATCH',
      cvcResult: 'NO_MATCH',
      holdExpiresAt: AT + 5,
      threeDSecure: { responseCode: 'AUTH_SUCCESS' },
      possible: { multipleCaptures: true, adjustment: false },
      networkTransactionId: 'n-1',
      transactionLinkId: 'l-1',
    };
    const { state } = given(...pending).when(
      settleAttempt({
        attemptId: id('a'),
        outcome: { ...success('a', 1_000), authorization: authorization as Succeeded['authorization'] },
        evidence: { source: 'answer' },
        source: 'answer',
        at: AT,
        sendBy: AT,
        callEndsAt: AT,
      }),
    );
    expect(known(state)).to.deep.include({
      status: 'AUTHORIZED',
      amountAuthorized: 1_000,
      amountCapturable: 1_000,
      processorTransactionId: 'tx_a',
      ...authorization,
    });
    expect(attemptOf(state, id('a'))).to.include({
      state: 'succeeded',
      bookedAmount: 1_000,
      settledRevision: 3,
      answeredRevision: 2,
    });
    expect(dueLookUpAt(state)).to.equal(undefined);
  });

  it('that was declined ends the payment, and its token stays used', () => {
    const { state } = given(...pending).when(settle('a', declined));
    expect(known(state).status).to.equal('DECLINED');
    expect(known(state).statusReason).to.deep.equal(DECLINE);
    expect([isOver(state), givesTokenBack(state)]).to.deep.equal([true, false]);
  });

  it('that was declined has the processor’s name for it', () => {
    const { state } = given(...pending).when(settle('a', { ...declined, processorTransactionId: 'tx_a' } as Outcome));
    expect(known(state)).to.include({ status: 'DECLINED', processorTransactionId: 'tx_a' });
  });

  it('that an operator knows did not happen says so', () => {
    const { state } = given(...pending, isUnknown('a', 'authorization')).when(settle('a', notFound, 'operator'));
    expect(known(state).statusReason).to.deep.equal({ because: 'did_not_happen', operation: 'authorization' });
  });

  it('that a look-up finds in another amount is held over there: it is on record, and voided', () => {
    const { state } = given(...pending, isUnknown('a', 'authorization')).when(settle('a', success('a', 900), 'lookup'));
    expect(known(state)).to.include({ status: 'PENDING', amountAuthorized: 0 });
    expect(known(state).attempts.map(({ operation, state: stands }) => [operation, stands])).to.deep.equal([
      ['authorization', 'succeeded'],
      ['cancellation', 'open'],
    ]);
  });

  it('whose customer came back is not forgotten because a look-up does not find it', () => {
    given(...resumed)
      .when(settle('a', notFound))
      .thenNothing();
    expect(known(given(...resumed).when(settle('a', notFound, 'lookup')).state).status).to.equal('PENDING');
  });

  it('that was not sent fails with GATEWAY_UNAVAILABLE, and gives the token back', () => {
    for (const before of [pending, [...pending, isUnknown('a', 'authorization')]]) {
      const { state } = given(...before).when(settle('a', notSent));
      expect(known(state).status).to.equal('FAILED');
      expect(reasonOf(state)?.type).to.equal('GATEWAY_UNAVAILABLE');
      expect([isOver(state), givesTokenBack(state)]).to.deep.equal([true, true]);
    }
  });

  it('that nobody knows of stays PENDING with GATEWAY_TIMEOUT, until the processor does not know it either', () => {
    const before = given(...pending).when(settle('a', unknown)).state;
    expect(known(before)).to.include({ status: 'PENDING' });
    expect(reasonOf(before)?.type).to.equal('GATEWAY_TIMEOUT');
    expect([isOver(before), openAttempts(before).length, dueLookUpAt(before)]).to.deep.equal([false, 1, AT + 30_000]);
    const { state } = given(...pending, isUnknown('a', 'authorization')).when(settle('a', notFound, 'lookup'));
    expect(known(state).status).to.equal('FAILED');
    expect(reasonOf(state)?.type).to.equal('GATEWAY_TIMEOUT');
    expect([isOver(state), givesTokenBack(state)]).to.deep.equal([true, false]);
  });

  it('that is pending says nothing yet, and its answer is on record', () => {
    const { state } = given(...pending).when(settle('a', pendingAnswer('a')));
    expect(known(state)).to.include({ status: 'PENDING', processorTransactionId: 'tx_a' });
    expect(known(state)).to.not.have.property('statusReason');
    expect(attemptOf(state, id('a'))).to.include({ state: 'pending', answeredRevision: 2 });
    expect(attemptOf(state, id('a'))).to.not.have.property('settledRevision');
  });
});

describe('what is known of an attempt', () => {
  it('grows: unknown, pending and open all settle when the processor tells', () => {
    for (const word of [[], [isUnknown('a', 'authorization')], [isPending('a', 'authorization')]]) {
      expect(
        known(given(...pending, ...word).when(settle('a', success('a', 1_000), 'notification')).state).status,
      ).to.equal('AUTHORIZED');
      expect(known(given(...pending, ...word).when(settle('a', declined, 'notification')).state).status).to.equal(
        'DECLINED',
      );
    }
    const { state } = given(...pending, isUnknown('a', 'authorization')).when(settle('a', pendingAnswer('a')));
    expect(attemptOf(state, id('a'))?.state).to.equal('pending');
    expect(known(state)).to.not.have.property('statusReason');
  });

  it('never goes back: once settled, repeated and contradicting outcomes change nothing', () => {
    for (const outcome of [
      success('a', 1_000),
      success('a', 900),
      declined,
      pendingAnswer('a'),
      unknown,
      notSent,
      notFound,
    ]) {
      for (const source of ['answer', 'lookup', 'notification'] as const)
        given(...authorized)
          .when(settle('a', outcome, source))
          .thenNothing();
    }
    for (const outcome of [declined, pendingAnswer('a'), unknown, notSent, notFound]) {
      given(...pending, wasDeclined('a', 'authorization'))
        .when(settle('a', outcome, 'notification'))
        .thenNothing();
    }
  });

  it('is not forgotten: a lost answer does not turn pending into unknown, nor pending into not found or not sent', () => {
    const before = [...pending, isPending('a', 'authorization')];
    given(...before)
      .when(settle('a', unknown))
      .thenNothing();
    given(...before)
      .when(settle('a', notSent))
      .thenNothing();
    given(...before)
      .when(settle('a', pendingAnswer('a'), 'notification'))
      .thenNothing();
    given(...pending, isUnknown('a', 'authorization'))
      .when(settle('a', unknown))
      .thenNothing();
    const { state } = given(...before).when(settle('a', notFound, 'lookup'));
    expect(known(state).status).to.equal('PENDING');
    expect(attemptOf(state, id('a'))).to.include({ state: 'pending', lookUps: 1 });
    expect(known(given(...before).when(settle('a', notFound, 'operator')).state).status).to.equal('FAILED');
  });

  it('is asked again later when a look-up settles nothing, so that nothing is due for ever', () => {
    const before = [...pending, isUnknown('a', 'authorization')];
    for (const outcome of [unknown, pendingAnswer('a')]) {
      const { state } = given(...before).when(settle('a', outcome, 'lookup'));
      expect(dueLookUpAt(state)).to.equal(AT + 300_000);
    }
    const evidence = { source: 'lookup' } as const;
    for (const [early, moves] of [
      [1, 0],
      [0, 1],
    ] as const) {
      const at = AT + 30_000 - early;
      const decision = settleAttempt({
        ...timing,
        attemptId: id('a'),
        outcome: unknown,
        evidence,
        source: 'lookup',
        at,
      })(given(...before).state);
      expect(decision).to.have.property('events').that.has.length(moves);
    }
  });

  it('of an attempt that the payment does not have is NotFound', () => {
    given(...pending)
      .when(settle('z', declined))
      .thenRejected('NotFound');
    given().when(settle('a', declined)).thenRejected('NotFound');
  });

  it('holds its evidence in its history', () => {
    const { state } = given(...pending, isUnknown('a', 'authorization')).when(
      settle('a', success('a', 1_000), 'lookup'),
    );
    expect(attemptOf(state, id('a'))?.events).to.deep.equal([
      { id: 'event-1', type: 'AuthorizationRequested', at: 1_001, amount: 1_000 },
      { id: 'event-2', type: 'AuthorizationOutcomeUnknown', at: 1_002, evidence: 'answer' },
      { id: 'event-3', type: 'PaymentAuthorized', at: 1_003, amount: 1_000, evidence: 'lookup' },
    ]);
  });
});

describe('a capture', () => {
  const requested = [...authorized, captureRequested('c', 400, false)];

  it('that follows automatically is requested once', () => {
    const automatic = [
      created({}, { captureMode: 'AUTOMATIC' }),
      authorizationRequested,
      wentThrough('a', 'authorization', 1_000),
    ];
    given(...automatic, captureRequested('c', 1_000))
      .when(settle('c', success('c', 1_000)))
      .then(wentThrough('c', 'capture', 1_000));
  });

  it('whose answer was lost, and that a notification tells in another amount, is not believed', () => {
    const { state } = given(...requested, isUnknown('c', 'capture')).when(
      settle('c', success('c', 401), 'notification'),
    );
    expect(attemptOf(state, id('c'))).to.deep.include({
      state: 'unknown',
      reported: { amount: 401, currencyCode: 'EUR' },
    });
  });

  it('that was refused, not sent or not found leaves the status and gives its amount back', () => {
    for (const [outcome, reason] of [
      [declined, 'ISSUER_DECLINE'],
      [notSent, 'GATEWAY_UNAVAILABLE'],
      [notFound, 'GATEWAY_TIMEOUT'],
    ] as const) {
      const { state } = given(...requested).when(settle('c', outcome));
      expect(known(state)).to.include({ status: 'AUTHORIZED', amountCapturable: 1_000, amountCapturePending: 0 });
      expect(reasonOf(state)?.type).to.equal(reason);
      expect([isOver(state), givesTokenBack(state)]).to.deep.equal([false, false]);
    }
  });

  it('explains a refusal until the next operation', () => {
    const { state } = given(...requested, wasDeclined('c', 'capture'), captureRequested('d', 1_000));
    expect(known(state)).to.not.have.property('statusReason');
  });

  it('that nobody knows of keeps its status with GATEWAY_TIMEOUT', () => {
    const { state } = given(...requested).when(settle('c', unknown));
    expect(known(state)).to.include({ status: 'AUTHORIZED', amountCapturable: 600, amountCapturePending: 400 });
    expect(reasonOf(state)?.type).to.equal('GATEWAY_TIMEOUT');
  });

  it('of less than asked is booked as reported', () => {
    const { state } = given(...requested).when(settle('c', success('c', 399)));
    expect(known(state)).to.include({ status: 'PARTIALLY_SETTLED', amountCaptured: 399, amountCapturable: 601 });
    const final = given(...authorized, captureRequested('c', 1_000)).when(settle('c', success('c', 999))).state;
    expect(known(final)).to.include({ status: 'PARTIALLY_SETTLED', amountCaptured: 999, amountCapturable: 0 });
    const least = given(...requested).when(settle('c', success('c', 1))).state;
    expect(known(least)).to.include({ amountCaptured: 1, amountCapturable: 999 });
  });

  it('in another currency, of more than asked, or of nothing is never believed: unknown, with APPLICATION_ERROR', () => {
    for (const outcome of [
      success('c', 400, 'USD'),
      success('c', 401),
      success('c', 0),
      success('c', -1),
      success('c', 1.5),
    ]) {
      const { state } = given(...requested).when(settle('c', outcome));
      expect(known(state)).to.include({
        status: 'AUTHORIZED',
        amountCaptured: 0,
        amountCapturable: 600,
        amountCapturePending: 400,
      });
      expect(reasonOf(state)?.type).to.equal('APPLICATION_ERROR');
      expect(attemptOf(state, id('c'))?.state).to.equal('unknown');
    }
  });

  it('that is not believed is looked up further also when the attempt was taken for over before', () => {
    for (const over of [wasNotSent, wasNotFound, wasDeclined]) {
      const mismatched = given(...requested, over('c', 'capture')).when(
        settle('c', success('c', 400, 'USD'), 'notification'),
      );
      expect(attemptOf(mismatched.state, id('c'))).to.include({ state: 'unknown' });
      expect(dueLookUpAt(mismatched.state)).to.equal(AT + 300_000);
    }
  });

  const inDollars = answeredWrongly('c', 'capture', 400, 'USD');
  /** A success in dollars, found by a look-up. */
  const foundInDollars: PaymentEvent = {
    type: 'MismatchRecorded',
    data: {
      processorTransactionId: 'tx_c',
      amount: 400,
      currencyCode: 'USD',
      ...place,
      attemptId: id('c'),
      operation: 'capture',
      evidence: { source: 'lookup' },
    },
  };

  it('that is not believed is looked up until the processor’s record says the same, and settled by an operator', () => {
    const answered = given(...requested).when(settle('c', success('c', 400, 'USD'), 'answer'));
    expect(dueLookUpAt(answered.state)).to.equal(AT + 30_000);
    given(...requested, inDollars)
      .when(settle('c', success('c', 400, 'USD'), 'notification'))
      .thenNothing();
    for (const before of [[], [inDollars]]) {
      const found = given(...requested, ...before).when(settle('c', success('c', 400, 'USD'), 'lookup'));
      expect(dueLookUpAt(found.state)).to.equal(undefined);
      expect(awaitsOperator(found.state)).to.equal(true);
      expect(known(found.state)).to.include({ amountCapturePending: 400, amountCapturable: 600 });
      for (const source of ['lookup', 'notification'] as const)
        given(...requested, ...before, foundInDollars)
          .when(settle('c', success('c', 400, 'USD'), source))
          .thenNothing();
      const closed = given(...requested, ...before, foundInDollars).when(
        settle('c', success('c', 400), 'operator'),
      ).state;
      expect(known(closed)).to.include({ status: 'PARTIALLY_SETTLED', amountCaptured: 400 });
      expect(awaitsOperator(closed)).to.equal(false);
    }
    const { state } = given(...requested, inDollars).when(settle('c', success('c', 400), 'operator'));
    expect(known(state)).to.include({ status: 'PARTIALLY_SETTLED', amountCaptured: 400 });
    expect(known(state)).to.not.have.property('statusReason');
  });

  it('that is not accepted does not vanish because it is not found, nor by a manual confirmation', () => {
    const mismatched = given(...requested, inDollars);
    const { state } = mismatched.when(settle('c', notFound, 'lookup'));
    expect(attemptOf(state, id('c'))).to.deep.include({
      state: 'unknown',
      reported: { amount: 400, currencyCode: 'USD' },
    });
    mismatched.when(settle('c', notFound, 'operator')).thenRejected('InvalidPaymentStatus');
  });
});

describe('a refund, an adjustment and a cancellation', () => {
  it('is not accepted with a different amount or currency than requested, and stays reserved', () => {
    for (const outcome of [success('r', 299), success('r', 301), success('r', 300, 'USD')]) {
      const { state } = given(...settled, refundRequested('r', 300, 'c')).when(settle('r', outcome));
      expect(known(state)).to.include({ amountRefunded: 0, amountRefundPending: 300, amountRefundable: 700 });
      expect(reasonOf(state)?.type).to.equal('APPLICATION_ERROR');
    }
  });

  it('that was refused leaves everything as it was', () => {
    const { state } = given(...partlySettled, refundRequested('r', 300, 'c')).when(settle('r', declined));
    expect(known(state)).to.include({ status: 'PARTIALLY_SETTLED', amountRefundable: 400 });
    expect(known(state)).to.not.have.property('statusReason');
    const held = given(...authorized, cancellationRequested('v')).when(settle('v', declined)).state;
    expect(known(held)).to.include({ status: 'AUTHORIZED', amountCapturable: 1_000 });
    expect(known(held).statusReason).to.deep.equal({ ...DECLINE, operation: 'cancellation' });
  });

  it('a void has no amount to compare', () => {
    const { state } = given(...authorized, cancellationRequested('v')).when(settle('v', success('v', 1_000)));
    expect(known(state).status).to.equal('CANCELLED');
  });
});

describe('an authorization that expires', () => {
  const expire = expireAuthorization({ attemptId: id('a'), evidence: { source: 'notification' } });

  it('cancels an AUTHORIZED payment, and releases the rest of a PARTIALLY_SETTLED one', () => {
    given(...authorized)
      .when(expire)
      .then(holdExpired);
    expect(known(given(...authorized, holdExpired).state)).to.include({ status: 'CANCELLED', amountCapturable: 0 });
    expect(known(given(...partlySettled, holdExpired).state)).to.include({
      status: 'PARTIALLY_SETTLED',
      amountCapturable: 0,
      amountCaptured: 400,
    });
  });

  it('does nothing when the payment is over, or when it is known already', () => {
    given(...authorized, holdExpired)
      .when(expire)
      .thenNothing();
    given(...partlySettled, holdExpired)
      .when(expire)
      .thenNothing();
    given(...pending, wasDeclined('a', 'authorization'))
      .when(expire)
      .thenNothing();
    given().when(expire).thenRejected('NotFound');
  });

  it('before it is known to exist cancels the payment when it is, and captures nothing', () => {
    const early = [created({}, { captureMode: 'AUTOMATIC' }), authorizationRequested, holdExpired];
    expect(known(given(...early).state).status).to.equal('PENDING');
    const { state } = given(...early).when(settle('a', success('a', 1_000), 'notification'));
    expect(known(state).status).to.equal('CANCELLED');
    expect(openAttempts(state)).to.deep.equal([]);
  });

  it('while a capture is on its way waits for the capture', () => {
    const before = [...authorized, captureRequested('c', 400, false), holdExpired];
    expect(known(given(...before).state).status).to.equal('AUTHORIZED');
    expect(known(given(...before, wentThrough('c', 'capture', 400)).state)).to.include({
      status: 'PARTIALLY_SETTLED',
      amountCapturable: 0,
    });
    expect(known(given(...before, wasDeclined('c', 'capture')).state).status).to.equal('CANCELLED');
  });

  it('explains nothing, even if an earlier capture was refused', () => {
    const { state } = given(...authorized, captureRequested('c', 400, false), wasDeclined('c', 'capture'), holdExpired);
    expect(known(state).status).to.equal('CANCELLED');
    expect(known(state)).to.not.have.property('statusReason');
  });
});
