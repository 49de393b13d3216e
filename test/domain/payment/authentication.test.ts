// 3-D Secure as the domain decides it: who is asked, how often, and when a customer can come back no more (contract §4).
import { expect } from 'chai';
import { endAction, resumeAuthorization } from '../../../src/domain/payment/authentication.ts';
import type { Fact, PaymentEvent } from '../../../src/domain/payment/events.ts';
import type { Outcome, RequiresAction } from '../../../src/domain/payment/outcome.ts';
import { referenceOf } from '../../../src/domain/payment/reference.ts';
import { settleAttempt } from '../../../src/domain/payment/settle.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import { givenOf } from '../../support/given.ts';
import { AT, actionRequired, authorizationRequested, id, isPending, known, pending, place, settle, success, timing } from './story.ts';

const given = givenOf(payment);
const attemptId = id('a');
const HOUR_MS = 3_600_000;
/** The look-up was sent after the customer had come back, and that call was over. */
const evidence = { source: 'lookup', sentAt: AT + 60_000 } as const;

const asked: readonly PaymentEvent[] = [...pending, actionRequired];
const resumed: PaymentEvent = { type: 'AuthorizationResumed', data: { attemptId, sendBy: AT + 5_000, nextLookUpAt: AT + 30_000 } };
const fenced: PaymentEvent = { type: 'AttemptFenced', data: { attemptId, operation: 'authorization', evidence } };
const intended: PaymentEvent = { type: 'CancellationIntended', data: { attemptId: id('x') } };
const cancelled: PaymentEvent = { type: 'PaymentCancelled', data: { attemptId: id('x') } };
const expired: PaymentEvent = { type: 'CustomerActionExpired', data: { attemptId } };
const authenticated: PaymentEvent = {
  type: 'AuthenticationCompleted',
  data: { attemptId, evidence: { source: 'answer' }, threeDSecure: { responseCode: 'AUTH_SUCCESS' }, nextLookUpAt: AT + 30_000 },
};

describe('an issuer that declines because it wants the customer authenticated', () => {
  const SOFT = { code: 'AUTHENTICATION_REQUIRED', declineType: 'SOFT' } as const;
  const softly: Outcome = { kind: 'declined', ...SOFT };
  const declinedAs = (of: string, others: object = {}): PaymentEvent => ({
    type: 'AuthorizationDeclined',
    data: { attemptId: of, evidence: { source: 'answer' }, ...SOFT, amount: 1_000, currencyCode: 'EUR', ...place, ...others },
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

  it('gets the same authorization once more, with the authentication', () =>
    given(...pending)
      .when(settle('a', softly))
      .then(declinedAs(attemptId, { retriedAs: second }), askedAgain));

  it('leaves the payment PENDING, between the two and after them', () => {
    for (const more of [[], [askedAgain]])
      expect(known(given(...pending, declinedAs(attemptId, { retriedAs: second }), ...more).state).status).to.equal('PENDING');
    const approved = given(...pending, declinedAs(attemptId, { retriedAs: second }), askedAgain).when(settle('a-3ds', success('a', 1_000)));
    expect(known(approved.state).status).to.equal('AUTHORIZED');
  });

  it('gets no third authorization', () => {
    const again = given(...pending, declinedAs(attemptId, { retriedAs: second }), askedAgain).when(settle('a-3ds', softly));
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
  const askedAnew: PaymentEvent = { type: 'CustomerActionRequired', data: { ...actionRequired.data, evidence, ...waits } };

  it('ends where a fence came between the return of the customer and that', () => {
    given(...asked, resumed, fenced)
      .when(told)
      .then(expired);
    given(...asked, intended, resumed, fenced)
      .when(told)
      .then(cancelled, expired);
  });

  it('waits again where the customer came back, was asked for more, and that was pending meanwhile', () => {
    given(...asked, resumed, askedAnew, isPending('a', 'authorization'))
      .when(told)
      .then(askedAnew);
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
