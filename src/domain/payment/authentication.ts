// 3-D Secure in an authorization: the customer has to act, comes back or does not, and an issuer that wants it gets a
// second attempt.
import { accept, type Decision, reject } from '../decider.ts';
import {
  type Attempt,
  authorizationOf,
  awaitsCustomer,
  isBooked,
  isOpen,
  keptAuthentication,
  resumedAt,
} from './attempt.ts';
import type { AttemptTiming } from './create.ts';
import { noSuchPayment, wrongStatus } from './decline-reason.ts';
import type { Fact, PaymentEvent } from './events.ts';
import { expireAuthorization } from './expire.ts';
import { followUp } from './follow-up.ts';
import type { Declined, LookUp, RequiresAction, TakenBack } from './outcome.ts';
import type { KnownPayment, Payment } from './payment.ts';
import { attemptOf, isKnown, placeOf } from './queries.ts';
import { requestedAs } from './requested-as.ts';
import { askedAgain, type Settlement, type Waiting } from './settlement.ts';
import { fencedBy, takenBack } from './taken-back.ts';

/**
 * The processor waits for the customer: on record once, with the hash of the token to come back with. `waits`: for how
 * long.
 */
export function requireAction(
  payment: KnownPayment,
  attempt: Attempt,
  { processorTransactionId, action }: RequiresAction,
  waits: Waiting,
  settlement: Settlement,
): Decision<PaymentEvent> {
  const { evidence } = settlement;
  // A fence came between the customer's return and this report: nobody is asked for an action that can no longer take
  // effect.
  if (isOpen(attempt) && attempt.fenced === true && !awaitsCustomer(attempt))
    return accept(...endedAction(payment, attempt, isGivenUp(attempt)));
  if (!isOpen(attempt) || awaitsCustomer(attempt) || isFromBeforeReturn(attempt, settlement))
    return accept(...askedAgain(attempt, settlement));
  const recorded = action.kind === 'redirect' ? action : { kind: action.kind, data: { ...action.data } };
  // A customer who left the page, and goes there again, has the rest of the first time.
  const askedAt = attempt.events.find(({ type }) => type === 'CustomerActionRequired')?.at ?? settlement.at;
  const expiresAt = action.kind === 'show' ? action.expiresAt : waits.expiresAt - (settlement.at - askedAt);
  const times = { ...waits, expiresAt };
  const data = { attemptId: attempt.attemptId, evidence, action: recorded, processorTransactionId, ...times };
  return accept({ type: 'CustomerActionRequired', data });
}

/**
 * Whether "the customer has to act" may be older than the customer's return. Newer is only the answer of the call that
 * went on then, or a look-up that was asked when that call was over. What the processor has taken up since waits for
 * nobody.
 */
function isFromBeforeReturn(
  attempt: Attempt,
  { evidence: { sentAt = 0 }, source, sendBy, callEndsAt }: Settlement,
): boolean {
  const returned = resumedAt(attempt);
  if (attempt.resumed === undefined || returned === undefined) return false;
  const answerWithinMs = callEndsAt - sendBy;
  return attempt.state === 'pending' || sentAt < (source === 'answer' ? returned : attempt.sendBy + answerWithinMs);
}

/**
 * The fact of an authentication that the processor reports besides the outcome, recorded before the outcome; none
 * without an authentication.
 */
export function authenticationIn(
  attempt: Attempt,
  threeDSecure: object | undefined,
  { evidence }: Pick<Settlement, 'evidence'>,
): readonly Fact<'AuthenticationCompleted'>[] {
  if (threeDSecure === undefined || !isOpen(attempt)) return [];
  const { attemptId, nextLookUpAt } = attempt;
  return [
    {
      type: 'AuthenticationCompleted',
      data: { attemptId, evidence, threeDSecure: keptAuthentication(threeDSecure), nextLookUpAt },
    },
  ];
}

/**
 * Whether an issuer refuses softly because it wants the customer to be authenticated first; asked for once, of a
 * payment that goes on, and of a customer who is there.
 */
export const isAskedToAuthenticate = (
  payment: KnownPayment,
  attempt: Attempt,
  { code, declineType }: Declined,
): boolean =>
  attempt.operation === 'authorization' &&
  code === 'AUTHENTICATION_REQUIRED' &&
  declineType === 'SOFT' &&
  isOpen(attempt) &&
  attempt.threeDSecure === undefined &&
  attempt.offSession === undefined &&
  attempt.resumeTokenHash === undefined &&
  payment.status === 'PENDING' &&
  payment.cancellation === undefined &&
  authorizationOf(payment) === attempt;

/** A repetition of the authorization with the authentication that the issuer requires. */
export function authenticatedRequest(
  payment: KnownPayment,
  attempt: Attempt,
  timing: AttemptTiming,
): Fact<'AuthorizationRequested'> {
  const { attemptId, processor, connectionId, processorToken = '', amount, prepares } = attempt;
  return {
    type: 'AuthorizationRequested',
    data: {
      ...requestedAs(payment, `${attemptId}-3ds`, timing),
      follows: { attemptId, because: 'authentication_required' },
      amount,
      currencyCode: payment.currencyCode,
      processor,
      connectionId,
      processorToken,
      threeDSecure: 'ask',
      ...(prepares !== undefined && { prepares }),
    },
  };
}

/** `resumeTokenHash`: of the token that the customer came back with. */
interface Resumption extends AttemptTiming {
  readonly resumeTokenHash: string;
}

/**
 * The customer came back: the processor is asked to go on, once. Nothing where the payment has gone on already, or the
 * time is over: it is answered as it is. RequestValidationError for a token of another payment, InvalidPaymentStatus
 * where no action was ever required.
 */
export const resumeAuthorization =
  (paymentId: string, { resumeTokenHash, at, sendBy, callEndsAt }: Resumption) =>
  (payment: Payment): Decision<PaymentEvent> => {
    if (!isKnown(payment)) return noSuchPayment();
    if (payment.attempts.every((one) => one.resumeTokenHash === undefined))
      return wrongStatus(payment, paymentId, 'resumed');
    const attempt = resumedBy(payment, resumeTokenHash);
    if (attempt === undefined) return wrongResumeToken();
    if (!awaitsCustomer(attempt) || attempt.fenced === true || at >= attempt.expiresAt) return accept();
    return accept({
      type: 'AuthorizationResumed',
      data: { attemptId: attempt.attemptId, sendBy, nextLookUpAt: callEndsAt },
    });
  };

/**
 * Records once that the customer chose another way to pay, before the processor is asked to withdraw the action. This
 * is not a cancellation: an approval of the bank until then belongs to the payment, because a browser must not undo
 * what a merchant may have delivered for. No event if the payment no longer waits: the caller gets the payment as it
 * is. InvalidPaymentStatus if no action was ever required.
 */
export const giveUpAction =
  (paymentId: string, { callEndsAt: nextLookUpAt }: AttemptTiming) =>
  (payment: Payment): Decision<PaymentEvent> => {
    if (!isKnown(payment)) return noSuchPayment();
    if (payment.attempts.every((one) => one.resumeTokenHash === undefined))
      return wrongStatus(payment, paymentId, 'given up');
    const attempt = waitingAuthorization(payment);
    if (attempt === undefined || attempt.givenUp === true || payment.cancellation !== undefined) return accept();
    return accept({ type: 'CustomerActionGivenUp', data: { attemptId: attempt.attemptId, nextLookUpAt } });
  };

/** The attempt whose token has this hash. */
export const resumedBy = (payment: Payment, resumeTokenHash: string): Attempt | undefined =>
  isKnown(payment) ? payment.attempts.find((attempt) => attempt.resumeTokenHash === resumeTokenHash) : undefined;

const wrongResumeToken = () =>
  reject('RequestValidationError', 'The resume token does not belong to this payment.', {
    violations: [
      { path: '$.resumeToken', description: 'Must be the token from the call of the return URL of this payment.' },
    ],
  });

/** The authorization that waits for the customer and may still take effect. */
export function waitingAuthorization(payment: Payment) {
  const authorization = isKnown(payment) ? authorizationOf(payment) : undefined;
  return authorization !== undefined && awaitsCustomer(authorization) && authorization.fenced !== true
    ? authorization
    : undefined;
}

/** The finding when the attempt was fenced or, at a processor without a fence, looked up. */
interface Fenced extends Omit<Settlement, 'outcome' | 'waits'> {
  readonly found: Extract<LookUp, { readonly kind: 'succeeded' | 'requires_action' | 'not_found' }> | TakenBack;
  readonly isFenced: boolean;
  /** The customer had given it up when the fence was asked for. */
  readonly wasGivenUp: boolean;
}

/**
 * The customer came back while the processor was asked for the fence. It is as certain as before: the call that goes on
 * finds it.
 */
const isBackFrom = (attempt: Attempt): boolean => isOpen(attempt) && attempt.resumed === true;

/** The customer was asked, and wants to pay in another way; also where the customer came back after that. */
export const isGivenUp = ({ events }: Attempt): boolean =>
  events.findLast(({ type }) => type === 'CustomerActionRequired' || type === 'CustomerActionGivenUp')?.type ===
  'CustomerActionGivenUp';

/** The end of an action that can no longer be done: CANCELLED if a cancellation was requested, otherwise FAILED. */
export function endedAction(payment: KnownPayment, attempt: Attempt, wasGivenUp: boolean): readonly PaymentEvent[] {
  const { attemptId } = attempt;
  const { intendedBy: _wish, ...wished } = payment.cancellation ?? { attemptId: `${attemptId}-given-up` };
  const wanted = payment.cancellation !== undefined || wasGivenUp ? wished : undefined;
  const cancelled: readonly PaymentEvent[] =
    payment.status === 'PENDING' && wanted !== undefined ? [{ type: 'PaymentCancelled', data: wanted }] : [];
  return [...cancelled, { type: 'CustomerActionExpired', data: { attemptId } }];
}

/**
 * The time to act is over, or the customer has given it up, and the attempt is fenced where the processor can do that:
 * the payment has FAILED, or is CANCELLED where somebody wanted that. A success that was found there, or is told later,
 * comes too late: it is on record, and voided.
 */
export const endAction =
  (settlement: Fenced) =>
  (payment: Payment): Decision<PaymentEvent> => {
    const { attemptId, evidence, found, isFenced, wasGivenUp } = settlement;
    const attempt = attemptOf(payment, attemptId);
    if (!isKnown(payment) || attempt === undefined) return accept();
    const isCertain = isFenced && found.kind !== 'succeeded' && isBackFrom(attempt);
    if (found.kind === 'released' && isBooked(attempt)) return expireAuthorization(settlement)(payment);
    if (!awaitsCustomer(attempt) && !isCertain) return accept();
    const events: PaymentEvent[] = isFenced && attempt.fenced !== true ? [fencedBy(attempt, settlement)] : [];
    events.push(...endedAction(payment, attempt, wasGivenUp || isGivenUp(attempt)));
    if (found.kind === 'released') return accept(...events, ...takenBack(payment, attempt, found, settlement));
    if (found.kind !== 'succeeded') return accept(...events);
    const { processorTransactionId, amount, currencyCode } = found;
    const told = { attemptId, evidence, processorTransactionId, amount, currencyCode, ...placeOf(payment, attempt) };
    return accept(
      ...events,
      { type: 'LateSuccessRecorded', data: { ...told, operation: attempt.operation } },
      followUp(payment, attempt, 'late_success', found, settlement),
    );
  };
