// What became of an attempt, and in the same decision what follows from it (contract §4). Never backwards.
import { accept, type Decision, reject } from '../decider.ts';
import { inCurrency } from '../in-currency.ts';
import { type Attempt, isInDoubt, isOpen, paymentIdOf } from './attempt.ts';
import type { AttemptTiming } from './create.ts';
import { declineReason } from './decline-reason.ts';
import type { PaymentEvent } from './events.ts';
import { followUp, retry } from './follow-up.ts';
import { lookUpAfter } from './look-up-schedule.ts';
import type { Evidence, EvidenceSource, NotFound, Outcome, Reason, Succeeded } from './outcome.ts';
import type { KnownPayment, Payment } from './payment.ts';
import { hasPlaceFor, isAsAsked } from './place.ts';
import { attemptOf, isKnown, isToBeRetried, isVouched } from './queries.ts';
import { noSuchPayment } from './refusals.ts';
import { isFinal } from './totals.ts';

/** `at`: when it was learnt; sendBy and lookUpAt: of an attempt that follows from it. */
export interface Settlement extends AttemptTiming {
  readonly attemptId: string;
  /** `not_found` only when it counts as evidence: after the processor's consistency window. */
  readonly outcome: Outcome | NotFound;
  readonly evidence: Evidence;
  readonly source: EvidenceSource;
}

export const TIMEOUT: Reason = { type: 'GATEWAY_TIMEOUT', message: 'The processor has not said yet what became of it.' };
const NEVER_SEEN: Reason = { type: 'GATEWAY_TIMEOUT', message: 'The processor never received it.' };
const DID_NOT_HAPPEN: Reason = { type: 'GATEWAY_TIMEOUT', message: 'It did not happen, as an operator found out.' };
const NOT_SENT: Reason = { type: 'GATEWAY_UNAVAILABLE', message: 'The processor could not be reached.' };
const MISMATCH: Reason = { type: 'APPLICATION_ERROR', message: 'The processor answered about another amount or currency than asked.' };

/**
 * A settled attempt stays as it is, whatever is said later, with one exception: when the processor reports that money moved
 * although it was taken for declined, not sent or not found, that is believed (booked where it has a place, else reversed).
 */
export const settleAttempt =
  (settlement: Settlement) =>
  (payment: Payment): Decision<PaymentEvent> => {
    const { attemptId, outcome, evidence, at, source } = settlement;
    const attempt = attemptOf(payment, attemptId);
    if (!isKnown(payment) || attempt === undefined) return noSuchPayment();
    const learnt = { attemptId, operation: attempt.operation, evidence, at };
    switch (outcome.kind) {
      case 'succeeded':
        return succeeded(payment, attempt, outcome, settlement);
      case 'declined': {
        // A reversal that never happened is still owed, whatever is said of the try that failed.
        if (isToBeRetried(payment, attempt)) return accept(retry(payment, attempt, settlement));
        const { processorTransactionId } = outcome;
        const reason = declineReason(outcome, attempt.operation);
        const data = { ...learnt, reason, ...(processorTransactionId !== undefined && { processorTransactionId }) };
        return isOpen(attempt) ? accept({ type: 'AttemptDeclined', data }) : accept();
      }
      case 'requires_action':
      case 'pending': {
        const { processorTransactionId } = outcome;
        const named = processorTransactionId === undefined ? {} : { processorTransactionId };
        const known = isInDoubt(attempt) ? [{ type: 'AttemptPending' as const, data: { ...learnt, ...named } }] : [];
        return accept<PaymentEvent>(...known, ...askedAgain(attempt, settlement));
      }
      case 'not_sent':
        return isInDoubt(attempt) ? accept({ type: 'AttemptNotSent', data: { ...learnt, reason: NOT_SENT } }) : accept();
      case 'unknown': {
        const known = attempt.state === 'open' ? [{ type: 'AttemptUnknown' as const, data: { ...learnt, reason: TIMEOUT } }] : [];
        return accept<PaymentEvent>(...known, ...askedAgain(attempt, settlement));
      }
      case 'not_found':
        if (isToBeRetried(payment, attempt)) return accept(retry(payment, attempt, settlement));
        if (!isOpen(attempt)) return accept();
        // What the processor once said it had, or had done, does not vanish because it cannot find it.
        if (source !== 'operator' && (attempt.state === 'pending' || attempt.reported !== undefined))
          return accept(...askedAgain(attempt, settlement));
        if (attempt.reported !== undefined) return doneOtherwise(payment, attempt, attempt.reported);
        return accept({ type: 'AttemptNotFound', data: { ...learnt, reason: source === 'operator' ? DID_NOT_HAPPEN : NEVER_SEEN } });
      default:
        return outcome satisfies never;
    }
  };

/** An operator's word that it did not happen does not stand against the processor's that it did, if otherwise than asked. */
const doneOtherwise = (
  { status }: KnownPayment,
  { attemptId }: Attempt,
  { amount, currencyCode }: NonNullable<Attempt['reported']>,
): Decision<PaymentEvent> =>
  reject(
    'InvalidPaymentStatus',
    `${attemptId} has not failed. The processor says that it was done: ${inCurrency(amount, currencyCode)}. Once that is put right there, --as succeeded closes it as it was asked for.`,
    { paymentId: paymentIdOf(attemptId), paymentStatus: status },
  );

/**
 * A look-up that settles nothing moves the next one, or it would be due for ever; not one that a caller's operation asked for before its
 * time, or callers who try again and again would put the next one off.
 */
function askedAgain(attempt: Attempt, { outcome, source, at, evidence }: Settlement): readonly PaymentEvent[] {
  const { attemptId, requestedAt, lookUps, lookUpAt: dueAt = 0 } = attempt;
  if (source !== 'lookup' || !isOpen(attempt) || at < dueAt) return [];
  const lookUpAt = lookUpAfter(requestedAt, lookUps, at);
  return [{ type: 'LookUpScheduled', data: { attemptId, at, answer: outcome.kind, lookUpAt, evidence } }];
}

function succeeded(payment: KnownPayment, attempt: Attempt, outcome: Succeeded, settlement: Settlement): Decision<PaymentEvent> {
  if (attempt.state === 'succeeded') return isVouched(attempt) ? named(payment, attempt, outcome, settlement) : accept();
  const { attemptId, operation } = attempt;
  const { evidence, at } = settlement;
  const { processorTransactionId, amount, currencyCode } = outcome;
  const learnt = { attemptId, operation, evidence, at, processorTransactionId, amount, currencyCode };
  const follow = (because: 'intended_cancellation' | 'answer_mismatch' | 'late_success' | 'automatic_capture'): PaymentEvent =>
    followUp(payment, attempt, because, outcome, settlement);

  if (!hasPlaceFor(payment, attempt, outcome)) {
    const late: PaymentEvent = { type: 'LateSuccessRecorded', data: learnt };
    return isReversible(payment, attempt, outcome) ? accept(late, follow('late_success')) : accept(late);
  }
  if (!isAsAsked(payment, attempt, outcome)) {
    if (attempt.state === 'unknown' && attempt.reason?.type === MISMATCH.type) return accept(...askedAgain(attempt, settlement)); // noted already
    const mismatched: PaymentEvent = { type: 'AnswerMismatched', data: { ...learnt, reason: MISMATCH } };
    if (operation !== 'authorization') return accept(mismatched, ...askedAgain(attempt, settlement));
    return payment.restReleased ? accept(mismatched) : accept(mismatched, follow('answer_mismatch'));
  }
  const booked = booking(attempt, outcome, settlement);
  if (operation !== 'authorization' || payment.restReleased) return accept(booked);
  if (payment.cancellation !== undefined) return accept(booked, follow('intended_cancellation'));
  return payment.paymentMethod.captureMode === 'AUTOMATIC' ? accept(booked, follow('automatic_capture')) : accept(booked);
}

function booking({ attemptId, operation }: Attempt, outcome: Succeeded, { evidence, at }: Settlement): PaymentEvent {
  const { kind: _kind, authorization = {}, ...reported } = outcome;
  const { avsResult, cvcResult, holdExpiresAt } = authorization;
  const booked = { attemptId, operation, evidence, at, ...reported };
  if (operation !== 'authorization') return { type: 'AttemptSucceeded', data: booked };
  const checks = { ...(avsResult !== undefined && { avsResult }), ...(cvcResult !== undefined && { cvcResult }) };
  return { type: 'AttemptSucceeded', data: { ...booked, ...checks, ...(holdExpiresAt !== undefined && { holdExpiresAt }) } };
}

/**
 * The processor's own word on what an operator vouched for: it is booked under the processor's name, a capture by its amount. Nothing
 * follows; that has followed already.
 */
function named(payment: KnownPayment, attempt: Attempt, outcome: Succeeded, settlement: Settlement): Decision<PaymentEvent> {
  const isNews =
    settlement.source !== 'operator' && outcome.processorTransactionId !== attempt.attemptId && isAsAsked(payment, attempt, outcome);
  return isNews ? accept(booking(attempt, outcome, settlement)) : accept();
}

/** Whether something can be done about a late success: holds are voided, captured money is refunded. */
function isReversible(payment: KnownPayment, { operation }: Attempt, { amount, currencyCode }: Succeeded): boolean {
  switch (operation) {
    case 'authorization':
      return true;
    case 'adjustment':
      return isFinal(payment.status);
    case 'capture':
      return currencyCode === payment.currencyCode && Number.isSafeInteger(amount) && amount >= 1;
    case 'cancellation':
    case 'refund':
      return false;
    default:
      return operation satisfies never;
  }
}
