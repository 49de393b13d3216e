// A success that is told of an attempt: booked where it has a place, else on record and reversed; and what follows from it (contract §4).
import { accept, type Decision } from '../decider.ts';
import { type Attempt, type Checks, isMismatched } from './attempt.ts';
import type { PaymentEvent } from './events.ts';
import { followUp } from './follow-up.ts';
import { openUntil } from './look-up-schedule.ts';
import type { Evidence, Succeeded } from './outcome.ts';
import type { KnownPayment } from './payment.ts';
import { hasPlaceFor, isAsAsked } from './place.ts';
import { isVouched, placeOf } from './queries.ts';
import { isOutdated } from './return.ts';
import { askedAgain, type Settlement } from './settlement.ts';
import { isFinal } from './totals.ts';

export function settleSuccess(payment: KnownPayment, attempt: Attempt, outcome: Succeeded, settlement: Settlement): Decision<PaymentEvent> {
  if (attempt.state === 'succeeded') return isVouched(attempt) ? confirmed(payment, attempt, outcome, settlement) : accept();
  if (isOutdated(attempt, settlement.evidence)) return accept();
  const { attemptId, operation } = attempt;
  const { evidence, at } = settlement;
  const { processorTransactionId, amount, currencyCode } = outcome;
  const told = { attemptId, evidence, processorTransactionId, amount, currencyCode, ...placeOf(payment, attempt) };
  const follow = (because: 'intended_cancellation' | 'answer_mismatch' | 'late_success' | 'automatic_capture'): PaymentEvent =>
    followUp(payment, attempt, because, outcome, settlement);

  if (!hasPlaceFor(payment, attempt, outcome)) {
    const late: PaymentEvent = { type: 'LateSuccessRecorded', data: { ...told, operation } };
    return isReversible(payment, attempt, outcome) ? accept(late, follow('late_success')) : accept(late);
  }
  if (!isAsAsked(payment, attempt, outcome)) {
    if (attempt.state === 'unknown' && attempt.reported !== undefined) return accept(...askedAgain(attempt, settlement)); // noted already
    if (operation !== 'authorization') {
      const mismatched: PaymentEvent = { type: 'MismatchRecorded', data: { ...told, operation, nextLookUpAt: openUntil(attempt, at) } };
      return accept(mismatched, ...askedAgain(attempt, settlement));
    }
    const mismatched: PaymentEvent = { type: 'MismatchRecorded', data: { ...told, operation } };
    return payment.restReleased ? accept(mismatched) : accept(mismatched, follow('answer_mismatch'));
  }
  const booked = booking(payment, attempt, outcome, evidence);
  if (operation !== 'authorization' || payment.restReleased) return accept(booked);
  if (payment.cancellation !== undefined) return accept(booked, follow('intended_cancellation'));
  return payment.paymentMethod.captureMode === 'AUTOMATIC' ? accept(booked, follow('automatic_capture')) : accept(booked);
}

function booking(payment: KnownPayment, attempt: Attempt, outcome: Succeeded, evidence: Evidence): PaymentEvent {
  const { attemptId, operation } = attempt;
  const { processorTransactionId, amount, currencyCode } = outcome;
  const learnt = { attemptId, evidence, processorTransactionId, ...placeOf(payment, attempt) };
  const booked = { ...learnt, amount, currencyCode };
  switch (operation) {
    case 'authorization':
      return { type: 'PaymentAuthorized', data: { ...booked, ...checksOf(outcome) } };
    case 'capture':
      return { type: 'PaymentCaptured', data: booked };
    case 'cancellation': {
      const released = payment.restReleased ? 0 : payment.amountAuthorized - payment.amountCaptured - payment.amountCapturePending;
      const amounts = released > 0 ? { amount: released, currencyCode: payment.currencyCode } : {};
      return { type: 'AuthorizationVoided', data: { ...learnt, ...amounts } };
    }
    case 'refund':
      return { type: 'RefundSucceeded', data: booked };
    case 'adjustment':
      return { type: 'AuthorizationAdjusted', data: booked };
    default:
      return operation satisfies never;
  }
}

function checksOf({ authorization = {} }: Succeeded): Checks {
  const { avsResult, cvcResult, threeDSecure, holdExpiresAt } = authorization;
  return {
    ...(avsResult !== undefined && { avsResult }),
    ...(cvcResult !== undefined && { cvcResult }),
    ...(threeDSecure !== undefined && { threeDSecure: { ...threeDSecure } }),
    ...(holdExpiresAt !== undefined && { holdExpiresAt }),
  };
}

/**
 * The processor's own word on what an operator vouched for: it is booked under the processor's name, a capture by its amount. Nothing
 * follows; that has followed already.
 */
function confirmed(payment: KnownPayment, attempt: Attempt, outcome: Succeeded, { source, evidence }: Settlement): Decision<PaymentEvent> {
  if (attempt.state !== 'succeeded' || isMismatched(attempt)) return accept();
  const isNews = source !== 'operator' && outcome.processorTransactionId !== attempt.reference && isAsAsked(payment, attempt, outcome);
  if (!isNews) return accept();
  const { attemptId, operation, bookedAmount: vouchedAmount } = attempt;
  const { processorTransactionId, amount, currencyCode } = outcome;
  const checks = operation === 'authorization' ? checksOf(outcome) : {};
  const told = { attemptId, evidence, processorTransactionId, amount, currencyCode, ...placeOf(payment, attempt) };
  return accept({ type: 'SuccessConfirmed', data: { ...told, operation, vouchedAmount, ...checks } });
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
