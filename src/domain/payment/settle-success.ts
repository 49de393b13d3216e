// A reported success of an attempt: booked if the payment expects it, otherwise recorded and reversed; and its
// consequences (contract §4).
import { accept, type Decision } from '../decider.ts';
import { type Attempt, checksOf, isFoundMismatched, isMismatched, type SucceededAttempt } from './attempt.ts';
import { authenticationIn } from './authentication.ts';
import type { PaymentEvent } from './events.ts';
import { capturedWith, followUp } from './follow-up.ts';
import { openUntil } from './look-up-schedule.ts';
import { rulesOf } from './operations.ts';
import type { Succeeded } from './outcome.ts';
import type { KnownPayment } from './payment.ts';
import { isVouched, placeOf } from './queries.ts';
import { isOutdated, repeated } from './return.ts';
import { askedAgain, type Settlement } from './settlement.ts';

export function settleSuccess(
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
