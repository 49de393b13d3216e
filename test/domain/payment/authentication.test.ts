// 3-D Secure as the domain decides it: who is asked, how often, and when a customer can come back no more
// (contract §4).
import { expect } from 'chai';
import { endAction, resumeAuthorization } from '../../../src/domain/payment/authentication.ts';
import type { Fact, PaymentEvent } from '../../../src/domain/payment/events.ts';
import { expireAuthorization } from '../../../src/domain/payment/expire.ts';
import type { Outcome, RequiresAction } from '../../../src/domain/payment/outcome.ts';
import { referenceOf } from '../../../src/domain/payment/reference.ts';
import { settleAttempt } from '../../../src/domain/payment/settle.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import { givenOf } from '../../support/given.ts';
import {
  AT,
  actionRequired,
  authorizationRequested,
  authorized,
  captureRequested,
  created,
  id,
  isPending,
  known,
  pending,
  place,
  settle,
  success,
  timing,
  wentThrough,
} from './story.ts';

const given = givenOf(payment);
const attemptId = id('a');
const HOUR_MS = 3_600_000;
/** The look-up was sent after the customer had come back, and that call was over. */
const evidence = { source: 'lookup', sentAt: AT + 60_000 } as const;

const asked: readonly PaymentEvent[] = [...pending, actionRequired];
const resumed: PaymentEvent = {
  type: 'AuthorizationResumed',
  data: { attemptId, sendBy: AT + 5_000, nextLookUpAt: AT + 30_000 },
};
const fenced: PaymentEvent = { type: 'AttemptFenced', data: { attemptId, operation: 'authorization', evidence } };
const intended: PaymentEvent = { type: 'CancellationIntended', data: { attemptId: id('x') } };
const cancelled: PaymentEvent = { type: 'PaymentCancelled', data: { attemptId: id('x') } };
const expired: PaymentEvent = { type: 'CustomerActionExpired', data: { attemptId } };
const authenticated: PaymentEvent = {
  type: 'AuthenticationCompleted',
  data: {
    attemptId,
    evidence: { source: 'answer' },
    threeDSecure: { responseCode: 'AUTH_SUCCESS' },
    nextLookUpAt: AT + 30_000,
  },
};

describe('an issuer that declines because it wants the customer authenticated', () => {
  const SOFT = { code: 'AUTHENTICATION_REQUIRED', declineType: 'SOFT' } as const;
  const softly: Outcome = { kind: 'declined', ...SOFT };
  const declinedAs = (of: string, others: object = {}): PaymentEvent => ({
    type: 'AuthorizationDeclined',
    data: {
      attemptId: of,
      evidence: { source: 'answer' },
      ...SOFT,
      amount: 1_000,
      currencyCode: 'EUR',
      ...place,
      ...others,
    },
  });
  const second = `${attemptId}-3ds`;
  const askedAgain: Fact<'AuthorizationRequested'> = {
    type: 'AuthorizationRequested',
    data: {
      ...authorizationRequested.data,
      attemptId: second,
      reference: referenceOf(second),
      requestedAt: AT + 60_000,
      sendBy: AT + 65_000,
      nextLookUpAt: AT + 90_000,
      follows: { attemptId, because: 'authentication_required' },
      threeDSecure: 'ask',
    },
  };

  it('gets the same authorization again, with the authentication', () =>
    given(...pending)
      .when(settle('a', softly))
      .then(declinedAs(attemptId, { retriedAs: second }), askedAgain));

  for (const [what, change] of [
    ['declines for good', { declineType: 'HARD' }],
    ['declines for another reason', { code: 'GENERIC_DECLINE' }],
  ] as const)
    it(`gets no second authorization when it ${what}`, () =>
      given(...pending)
        .when(settle('a', { ...softly, ...change } as Outcome))
        .then(declinedAs(attemptId, change)));

  it('gets no second authorization of a customer who is not there', () => {
    const absent: PaymentEvent = {
      type: 'AuthorizationRequested',
      data: { ...authorizationRequested.data, offSession: true },
    };
    given(created(), absent).when(settle('a', softly)).then(declinedAs(attemptId));
  });

  it('gets no second operation of another kind', () => {
    const again = given(...authorized, captureRequested('c', 1_000)).when(settle('c', softly));
    expect(known(again.state).attempts.map(({ attemptId: one }) => one)).to.deep.equal([id('a'), id('c')]);
  });

  it('leaves the payment PENDING, between the two and after them', () => {
    for (const more of [[], [askedAgain]])
      expect(known(given(...pending, declinedAs(attemptId, { retriedAs: second }), ...more).state).status).to.equal(
        'PENDING',
      );
    const approved = given(...pending, declinedAs(attemptId, { retriedAs: second }), askedAgain).when(
      settle('a-3ds', success('a', 1_000)),
    );
    expect(known(approved.state).status).to.equal('AUTHORIZED');
  });

  it('keeps the hold of the second authorization when the first one expires', () =>
    given(
      ...pending,
      declinedAs(attemptId, { retriedAs: second }),
      askedAgain,
      wentThrough('a-3ds', 'authorization', 1_000),
    )
      .when(expireAuthorization({ attemptId, evidence: { source: 'notification' } }))
      .then());

  it('gets no third authorization', () => {
    const again = given(...pending, declinedAs(attemptId, { retriedAs: second }), askedAgain).when(
      settle('a-3ds', softly),
    );
    again.then(declinedAs(second));
    expect(known(again.state).status).to.equal('DECLINED');
  });

  for (const [what, before] of [
    ['whose merchant wants it cancelled', [...pending, intended]],
    ['whose customer has acted already', [...asked, resumed]],
  ] as const)
    it(`gets no second authorization of a payment ${what}`, () =>
      given(...before)
        .when(settle('a', softly))
        .then(declinedAs(attemptId)));
});

describe('a customer who comes back', () => {
  const comeBack = (at: number) =>
    resumeAuthorization('pay_1', {
      resumeTokenHash: actionRequired.data.resumeTokenHash,
      at,
      sendBy: AT + 5_000,
      callEndsAt: AT + 30_000,
    });

  it('goes on with the payment until the hour is over', () => {
    given(...asked)
      .when(comeBack(AT + HOUR_MS - 1))
      .then(resumed);
    given(...asked)
      .when(comeBack(AT + HOUR_MS))
      .thenNothing();
  });

  it('with the token of another payment is refused', () => {
    const data = { ...actionRequired.data, resumeTokenHash: 'e'.repeat(64) };
    given(...pending, { type: 'CustomerActionRequired', data })
      .when(comeBack(AT))
      .thenRejected('RequestValidationError', {
        violations: [
          { path: '$.resumeToken', description: 'Must be the token from the call of the return URL of this payment.' },
        ],
      });
    given(...pending)
      .when(comeBack(AT))
      .thenRejected('InvalidPaymentStatus');
  });

  it('goes on with nothing that is fenced', () =>
    given(...asked, fenced)
      .when(comeBack(AT))
      .thenNothing());
});

describe('an authorization that the processor says waits for the customer', () => {
  const action: RequiresAction = {
    kind: 'requires_action',
    processorTransactionId: 'tx_a',
    action: { kind: 'redirect', url: 'https://issuer.example/3ds' },
  };
  const waits = { resumeTokenHash: 'e'.repeat(64), expiresAt: AT + 2 * HOUR_MS };
  const told = settleAttempt({
    attemptId,
    outcome: action,
    evidence,
    source: 'lookup',
    at: AT + 61_000,
    sendBy: AT + 66_000,
    callEndsAt: AT + 91_000,
    waits,
  });
  const askedAnew: PaymentEvent = {
    type: 'CustomerActionRequired',
    data: { ...actionRequired.data, evidence, ...waits },
  };

  it('ends where a fence came between the return of the customer and that', () => {
    given(...asked, resumed, fenced)
      .when(told)
      .then(expired);
    given(...asked, intended, resumed, fenced)
      .when(told)
      .then(cancelled, expired);
  });

  it('waits again, for the rest of the first time, where the customer came back, was asked for more, and that was pending meanwhile', () => {
    given(...asked, resumed, askedAnew, isPending('a', 'authorization'))
      .when(told)
      .then({ ...askedAnew, data: { ...askedAnew.data, expiresAt: waits.expiresAt - (AT + 61_000 - 1_002) } });
  });

  const end = (isFenced: boolean, { wasGivenUp = false } = {}) =>
    endAction({ ...timing, attemptId, evidence, source: 'lookup', found: action, isFenced, wasGivenUp });

  it('ends when its time is over, fenced only where the processor can do that', () => {
    given(...asked)
      .when(end(true))
      .then(fenced, expired);
    given(...asked)
      .when(end(false))
      .then(expired);
  });

  it('ends by a fence, and by no look-up, where the customer has come back since', () => {
    given(...asked, resumed)
      .when(end(true))
      .then(fenced, expired);
    given(...asked, resumed)
      .when(end(false))
      .thenNothing();
  });

  it('ends, and is voided, where the processor had authorized it when its time was over', () => {
    const found = success('a', 1_000);
    const ended = given(...asked).when(
      endAction({ ...timing, attemptId, evidence, source: 'lookup', found, isFenced: false, wasGivenUp: false }),
    );
    const [authorization, reversal] = known(ended.state).attempts;
    expect(known(ended.state)).to.include({ status: 'FAILED', amountAuthorized: 0 });
    expect(authorization).to.include({ state: 'succeeded', late: true, bookedAmount: 1_000 });
    expect(reversal).to.deep.include({
      operation: 'cancellation',
      state: 'open',
      follows: { attemptId, because: 'late_success' },
    });
  });

  it('of nobody that the payment knows ends nothing', () =>
    given(...asked)
      .when(
        endAction({
          ...timing,
          attemptId: id('z'),
          evidence,
          source: 'lookup',
          found: action,
          isFenced: true,
          wasGivenUp: false,
        }),
      )
      .thenNothing());

  it('goes on where it is authenticated, or under way over there, although nobody came back', () => {
    for (const word of [isPending('a', 'authorization'), authenticated])
      given(...asked, word)
        .when(end(true))
        .thenNothing();
  });

  it('cancels no payment that is over', () => {
    given(...asked, cancelled)
      .when(end(true, { wasGivenUp: true }))
      .then(fenced, expired);
  });
});
