// Resolves an attempt by what is known of it, and decides the consequences (contract §4). A success is booked if the
// payment expects it, otherwise recorded and reversed. Never backwards, except by a fact that undoes one.

import { accept, type Decision, reject } from '../decider.ts';
import { inCurrency } from '../money.ts';
import { METHODS } from '../payment-method.ts';
import {
  type Attempt,
  awaitsCustomer,
  checksOf,
  isFoundMismatched,
  isMismatched,
  isOpen,
  isUnanswered,
  isUnprepared,
  type Reported,
  refusedAt,
  reportedOf,
  type SucceededAttempt,
  wasAccepted,
} from './attempt.ts';
import { authenticatedRequest, authenticationIn, isAskedToAuthenticate, requireAction } from './authentication.ts';
import { noSuchPayment } from './decline-reason.ts';
import type { PaymentEvent } from './events.ts';
import { fallbackAfter } from './fallback.ts';
import { capturedWith, followUp, retry } from './follow-up.ts';
import { DAY_MS, openUntil, plannedLookUpAt, retryAtOf } from './look-up.ts';
import { factsOf, hasAmount, rulesOf } from './operations.ts';
import type { Declined, Evidence, Pending, RefusedRequest, RequiresAction, Succeeded } from './outcome.ts';
import type { KnownPayment, Payment } from './payment.ts';
import { attemptOf, isKnown, isToBeRetried, isVouched, placeOf } from './queries.ts';
import { paymentIdOf } from './reference.ts';
import { canComeBack, isOutdated, refusedByWord, repeated } from './return.ts';
import { askedAgain, type Settlement } from './settlement.ts';

function settleSuccess(
  payment: KnownPayment,
  attempt: Attempt,
  outcome: Succeeded,
  settlement: Settlement,
): Decision<PaymentEvent> {
  if (attempt.state === 'succeeded') {
    const confirmation = isVouched(attempt) ? confirmed(payment, attempt, outcome, settlement) : undefined;
    if (confirmation !== undefined) return accept(confirmation);
    return isSaidAgain(payment, attempt, outcome) ? repeated(payment, attempt, settlement.evidence) : accept();
  }
  if (isOutdated(attempt, settlement.evidence, settlement.at)) return accept();
  const { attemptId, operation } = attempt;
  const rules = rulesOf(operation);
  const { evidence, at } = settlement;
  const { processorTransactionId, amount, currencyCode } = outcome;
  const told = { attemptId, evidence, processorTransactionId, amount, currencyCode, ...placeOf(payment, attempt) };
  const isCaptured = operation === 'authorization' && outcome.authorization?.captured === true;
  const follow = (
    because: 'intended_cancellation' | 'answer_mismatch' | 'late_success' | 'automatic_capture',
  ): PaymentEvent => followUp(payment, attempt, because, outcome, settlement);

  if (!hasPlaceFor(payment, attempt, outcome)) {
    const late: PaymentEvent = { type: 'LateSuccessRecorded', data: { ...told, operation } };
    const { isReversible } = isCaptured ? rulesOf('capture') : rules;
    return isReversible(payment, outcome) ? accept(late, follow('late_success')) : accept(late);
  }
  if (!isAsAsked(payment, attempt, outcome)) {
    if (isFoundMismatched(attempt)) return accept();
    // A look-up says what is so over there: there is nothing more to be learnt by asking.
    if (settlement.source === 'lookup' && operation !== 'authorization')
      return accept({ type: 'MismatchRecorded', data: { ...told, operation } });
    // noted already
    if (attempt.state === 'unknown' && attempt.reported !== undefined)
      return accept(...askedAgain(attempt, settlement));
    // captured in another currency: what a refund would give back, nobody can say
    if (operation !== 'authorization' || (isCaptured && currencyCode !== payment.currencyCode)) {
      const mismatched: PaymentEvent = {
        type: 'MismatchRecorded',
        data: { ...told, operation, nextLookUpAt: openUntil(attempt, at) },
      };
      return accept(mismatched, ...askedAgain(attempt, settlement));
    }
    const mismatched: PaymentEvent = { type: 'MismatchRecorded', data: { ...told, operation } };
    return payment.restReleased ? accept(mismatched) : accept(mismatched, follow('answer_mismatch'));
  }
  const booked = rules.booking(told, payment, outcome);
  if (operation !== 'authorization') return accept(booked);
  const done = [...authenticationIn(attempt, outcome.authorization?.threeDSecure, settlement), booked];
  if (isCaptured) {
    if (payment.cancellation === undefined) return accept(...done, ...capturedWith(payment, attempt, told, settlement));
    const { intendedBy: _wish, ...wished } = payment.cancellation;
    const late: PaymentEvent = { type: 'LateSuccessRecorded', data: { ...told, operation } };
    return accept<PaymentEvent>({ type: 'PaymentCancelled', data: wished }, late, follow('late_success'));
  }
  if (payment.restReleased) return accept(...done);
  if (payment.cancellation !== undefined) return accept(...done, follow('intended_cancellation'));
  return payment.paymentMethod.captureMode === 'AUTOMATIC'
    ? accept(...done, follow('automatic_capture'))
    : accept(...done);
}

const isSaidAgain = (
  { currencyCode }: KnownPayment,
  { bookedAmount, mismatched }: SucceededAttempt,
  reported: Succeeded,
): boolean => mismatched !== true && reported.amount === bookedAmount && reported.currencyCode === currencyCode;

/**
 * The processor's report on a manually confirmed attempt, booked under the processor's id, a capture with its amount.
 * It has no further consequences, because the confirmation had them. Undefined if the report does not come from the
 * processor or says nothing new.
 */
function confirmed(
  payment: KnownPayment,
  attempt: Attempt & SucceededAttempt,
  outcome: Succeeded,
  { source, evidence }: Settlement,
): PaymentEvent | undefined {
  if (isMismatched(attempt)) return undefined;
  const isNews =
    source !== 'operator' &&
    outcome.processorTransactionId !== attempt.reference &&
    isAsAsked(payment, attempt, outcome);
  if (!isNews) return undefined;
  const { attemptId, operation, bookedAmount: vouchedAmount } = attempt;
  const { processorTransactionId, amount, currencyCode } = outcome;
  const checks = operation === 'authorization' ? checksOf(outcome) : {};
  const told = { attemptId, evidence, processorTransactionId, amount, currencyCode, ...placeOf(payment, attempt) };
  return { type: 'SuccessConfirmed', data: { ...told, operation, vouchedAmount, ...checks } };
}

/**
 * The amount and currency that were asked for; a smaller capture is accepted as well (contract §4). A void has no
 * amount.
 */
function isAsAsked({ currencyCode }: KnownPayment, { operation, amount }: Attempt, reported: Succeeded): boolean {
  const { believed } = rulesOf(operation);
  switch (believed) {
    case 'any':
      return true;
    case 'as_asked':
      return reported.currencyCode === currencyCode && reported.amount === amount;
    case 'up_to_asked':
      return (
        reported.currencyCode === currencyCode &&
        Number.isSafeInteger(reported.amount) &&
        reported.amount >= 1 &&
        reported.amount <= amount
      );
    default:
      return believed satisfies never;
  }
}

/** True if the totals allow the success. An amount that is not plausible is reserved as requested. */
const hasPlaceFor = (payment: KnownPayment, attempt: Attempt, reported: Succeeded): boolean =>
  rulesOf(attempt.operation).hasPlace(
    payment,
    attempt,
    isAsAsked(payment, attempt, reported) ? reported.amount : attempt.amount,
  );

/**
 * Resolves an attempt. A resolved attempt stays resolved, whatever is reported later, with two exceptions. If the
 * processor reports that money moved although the attempt counted as declined, not sent or not found, the report is
 * accepted (booked if the payment expects it, otherwise reversed). If the processor reports later that a booked refund
 * or capture failed, that is a return (return.ts).
 */
export const settleAttempt =
  (settlement: Settlement) =>
  (payment: Payment): Decision<PaymentEvent> => {
    const { attemptId, outcome, evidence, at } = settlement;
    const attempt = attemptOf(payment, attemptId);
    if (!isKnown(payment) || attempt === undefined) return noSuchPayment();
    const facts = factsOf(attempt.operation);
    const learnt = { attemptId, evidence };
    switch (outcome.kind) {
      case 'succeeded':
        return settleSuccess(payment, attempt, outcome, settlement);
      case 'declined':
      case 'refused':
        return settleDecline(payment, attempt, outcome, settlement);
      case 'requires_action':
        return attempt.operation === 'authorization' && settlement.waits !== undefined
          ? requireAction(payment, attempt, outcome, settlement.waits, settlement)
          : settlePending(payment, attempt, outcome, settlement);
      case 'pending':
        return settlePending(payment, attempt, outcome, settlement);
      case 'not_sent': {
        if (!isUnanswered(attempt)) return accept();
        const next = fallbackAfter(payment, attempt, outcome, settlement);
        if (next !== undefined)
          return accept<PaymentEvent>(
            { type: 'AuthorizationNotSent', data: { ...learnt, retriedAs: next.attemptId } },
            ...next.events,
          );
        return accept({ type: facts.not_sent, data: { ...learnt, ...retryOf(payment, attempt, at) } });
      }
      case 'unknown': {
        if (attempt.state !== 'open') return accept(...askedAgain(attempt, settlement));
        const data = { ...learnt, nextLookUpAt: attempt.nextLookUpAt };
        return accept<PaymentEvent>({ type: facts.unknown, data }, ...askedAgain(attempt, settlement));
      }
      case 'not_found':
        return settleNotFound(payment, attempt, settlement);
      case 'prepared': {
        // the process that prepared it sends it now, unless others have given it up
        if (attempt.state !== 'open' || !isUnprepared(attempt)) return accept();
        if (payment.cancellation !== undefined) return accept({ type: facts.not_sent, data: learnt });
        const { processorTransactionId } = outcome;
        const { sendBy, callEndsAt: nextLookUpAt } = settlement;
        return accept({
          type: 'AuthorizationPrepared',
          data: { ...learnt, processorTransactionId, sendBy, nextLookUpAt },
        });
      }
      default:
        return outcome satisfies never;
    }
  };

/** The processor has it: also one that it says a customer must act for, where none can. */
function settlePending(
  payment: KnownPayment,
  attempt: Attempt,
  { processorTransactionId }: Pending | RequiresAction,
  settlement: Settlement,
): Decision<PaymentEvent> {
  const { attemptId, operation } = attempt;
  const { evidence, at } = settlement;
  const named = processorTransactionId === undefined ? {} : { processorTransactionId };
  const learnt = { attemptId, evidence, ...named };
  if (hasActed(attempt, settlement))
    return accept<PaymentEvent>({
      type: factsOf(operation).pending,
      data: { ...learnt, nextLookUpAt: plannedLookUpAt(at, 0) },
    });
  if (!isUnanswered(attempt)) return accept(...askedAgain(attempt, settlement));
  const isSlow = operation === 'authorization' && METHODS[payment.paymentMethod.paymentMethodType].answer === 'delayed';
  const data = { ...learnt, nextLookUpAt: isSlow ? at + DAY_MS : openUntil(attempt, at) };
  return accept<PaymentEvent>({ type: factsOf(operation).pending, data }, ...askedAgain(attempt, settlement));
}

/**
 * If a look-up since the customer was asked reports that the processor is working on the attempt, the payment no longer
 * waits for the customer. A response may be older.
 */
const hasActed = (attempt: Attempt, { source, evidence: { sentAt = 0 } }: Settlement): boolean =>
  awaitsCustomer(attempt) && source === 'lookup' && sentAt >= attempt.requiredAt;

function settleDecline(
  payment: KnownPayment,
  attempt: Attempt,
  told: Declined | RefusedRequest,
  settlement: Settlement,
): Decision<PaymentEvent> {
  const outcome = asDecline(told);
  // A reversal that never happened has not been done yet, whatever is reported of the attempt that failed.
  if (isToBeRetried(payment, attempt)) return accept(retry(payment, attempt, settlement));
  if (!isOpen(attempt) && !isFirstWordOf(attempt, settlement.evidence))
    return refusedByWord(payment, attempt, outcome, settlement.evidence);
  const { attemptId, operation, amount } = attempt;
  const { code, declineType, processorTransactionId, networkCode, networkAdviceCode, advice } = outcome;
  const { networkTransactionId, transactionLinkId } = outcome;
  const named = processorTransactionId === undefined ? {} : { processorTransactionId };
  const money = hasAmount(operation) ? { amount, currencyCode: payment.currencyCode } : {};
  const data = {
    attemptId,
    evidence: settlement.evidence,
    code,
    declineType,
    ...(networkCode !== undefined && { networkCode }),
    ...(networkAdviceCode !== undefined && { networkAdviceCode }),
    ...(networkTransactionId !== undefined && { networkTransactionId }),
    ...(transactionLinkId !== undefined && { transactionLinkId }),
    ...(advice !== undefined && { advice }),
    ...(told.kind === 'refused' && { refused: true as const }),
    ...fenceOwed(attempt, outcome, settlement),
    ...named,
    ...money,
    ...placeOf(payment, attempt),
  };
  const authentication = authenticationIn(attempt, outcome.threeDSecure, settlement);
  if (!isAskedToAuthenticate(payment, attempt, outcome)) {
    const next = fallbackAfter(payment, attempt, told, settlement);
    if (next === undefined) return accept<PaymentEvent>(...authentication, { type: factsOf(operation).declined, data });
    const declined = { type: 'AuthorizationDeclined', data: { ...data, retriedAs: next.attemptId } } as const;
    return accept<PaymentEvent>(...authentication, declined, ...next.events);
  }
  const again = authenticatedRequest(payment, attempt, settlement);
  return accept<PaymentEvent>(
    { type: 'AuthorizationDeclined', data: { ...data, retriedAs: again.data.attemptId } },
    again,
  );
}

/** A refusal of the processor itself is final, and no issuer has said anything. */
const asDecline = (told: Declined | RefusedRequest): Declined =>
  told.kind === 'declined' ? told : { kind: 'declined', code: told.code, declineType: 'HARD' };

/**
 * The fence of a refusal that is not final is due at once. Where its customer was sent to a page, the process that
 * records the refusal asks for the fence itself, and the resolver after it.
 */
const fenceOwed = (
  attempt: Attempt,
  { fence }: Declined,
  { at, callEndsAt }: Settlement,
): { readonly fenceAt?: number } =>
  fence === undefined || attempt.operation !== 'authorization' || attempt.fenced === true
    ? {}
    : { fenceAt: attempt.resumeTokenHash === undefined ? at : callEndsAt };

/**
 * The attempt counted as not sent or not found but did reach the processor, and the time of its report is known: an
 * older success no longer changes anything.
 */
const isFirstWordOf = (attempt: Attempt, evidence: Evidence): boolean =>
  (attempt.state === 'not_sent' || attempt.state === 'not_found') &&
  canComeBack(attempt) &&
  refusedAt(evidence) !== undefined;

function settleNotFound(payment: KnownPayment, attempt: Attempt, settlement: Settlement): Decision<PaymentEvent> {
  const { attemptId, evidence, at, source } = settlement;
  if (isToBeRetried(payment, attempt)) return accept(retry(payment, attempt, settlement));
  if (!isOpen(attempt)) return accept();
  const reported = reportedOf(attempt);
  // An operation that the processor once reported does not vanish because a later look-up does not find it.
  if (source !== 'operator' && (wasAccepted(attempt) || reported !== undefined))
    return accept(...askedAgain(attempt, settlement));
  if (reported !== undefined) return doneOtherwise(payment, attempt, reported);
  return accept({
    type: factsOf(attempt.operation).not_found,
    data: { attemptId, evidence, ...retryOf(payment, attempt, at) },
  });
}

const retryOf = (payment: KnownPayment, attempt: Attempt, at: number): { readonly retryAt?: number } => {
  const retryAt = retryAtOf(payment, attempt, at);
  return retryAt === undefined ? {} : { retryAt };
};

/**
 * A manual confirmation of failure does not count against the processor's report of a success with a different amount
 * or currency.
 */
const doneOtherwise = (
  { status }: KnownPayment,
  { attemptId }: Attempt,
  { amount, currencyCode }: Reported,
): Decision<PaymentEvent> =>
  reject(
    'InvalidPaymentStatus',
    `${attemptId} has not failed: the processor reports success with ${inCurrency(amount, currencyCode)}. Once the processor has corrected that, --as succeeded closes the attempt as requested.`,
    { paymentId: paymentIdOf(attemptId), paymentStatus: status },
  );
