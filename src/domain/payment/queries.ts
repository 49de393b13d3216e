// Queries on a payment: whether it is over, what is unresolved, and when it needs attention.

import { isUndecided } from '../dispute-status.ts';
import { networkOf } from '../payment-instrument/recorded-data.ts';
import {
  type Asked,
  type Attempt,
  authorizationOf,
  dueAtOf,
  isBooked,
  isCapturedWith,
  isFoundMismatched,
  isOpen,
  isReversal,
  keepsSession,
  owesFence,
  type SucceededAttempt,
} from './attempt.ts';
import { rulesOf, usesHold } from './operations.ts';
import { isFinal, type KnownPayment, type Payment } from './payment.ts';
import { overRefundOf } from './totals.ts';

export const isKnown = (payment: Payment): payment is KnownPayment =>
  payment.status !== 'absent' && payment.status !== 'abandoned' && payment.status !== 'created';

/** True if it will never hold money, so that its session may be paid by another one (contract §3). */
export const isOver = (payment: Payment): boolean =>
  payment.status === 'abandoned' ||
  (isKnown(payment) && isFinal(payment.status) && !payment.attempts.some(keepsSession));

/** True if nobody has tried to charge the single-use token, which may then pay again (contract §5). */
export const givesTokenBack = (payment: Payment): boolean =>
  payment.status === 'abandoned' ||
  (isKnown(payment) &&
    payment.attempts.every(
      (attempt) =>
        attempt.operation !== 'authorization' ||
        attempt.state === 'not_sent' ||
        (attempt.state === 'declined' && attempt.refused === true),
    ));

/** True if it was authorized, requested vaulting of its card, and the result of the vaulting is not recorded yet. */
export function wantsVaulting(payment: Payment): payment is KnownPayment {
  if (!isKnown(payment) || payment.vaulting !== undefined) return false;
  const authorization = authorizationOf(payment);
  const { vaultOnSuccess, isVaulted } = payment.paymentMethod;
  return vaultOnSuccess && !isVaulted && authorization !== undefined && isBooked(authorization);
}

/** Where money moves by a connection of the payment: what a fact can be counted by. */
export const placeOf = (
  { paymentMethod }: KnownPayment,
  { connectionId }: Pick<Asked, 'connectionId'>,
): { readonly connectionId: string; readonly network: string } => ({
  connectionId,
  network: networkOf(paymentMethod.paymentMethodType, paymentMethod.paymentMethodData),
});

export const attemptOf = (payment: Payment, attemptId: string): Attempt | undefined =>
  isKnown(payment) ? payment.attempts.find((attempt) => attempt.attemptId === attemptId) : undefined;

/** The attempt that a processor knows by this reference. */
export const attemptByReference = (payment: Payment, reference: string): Attempt | undefined =>
  isKnown(payment) ? payment.attempts.find((attempt) => attempt.reference === reference) : undefined;

/**
 * True if a reversal that did not happen is still wanted. The next look-up is its retry: not found again requests a new
 * reversal (settle.ts).
 */
export const isToBeRetried = (payment: KnownPayment, attempt: Attempt): boolean =>
  (attempt.state === 'not_sent' || attempt.state === 'not_found') && isStillOwed(payment, attempt);

/**
 * A reversal that the processor refused, or that came back. What it was to take back is still over there, and only an
 * operator closes that. A void that a caller asked for is none: the payment is what it was, and the caller was told.
 */
const isRefusedReversal = (payment: KnownPayment, attempt: Attempt): boolean =>
  (attempt.state === 'declined' || attempt.state === 'returned') &&
  attempt.follows?.because !== 'intended_cancellation' &&
  isStillOwed(payment, attempt);

function isStillOwed(payment: KnownPayment, attempt: Attempt): boolean {
  const { follows, operation } = attempt;
  if (follows === undefined || !isReversal(attempt)) return false;
  const { because } = follows;
  const newer = payment.attempts.slice(payment.attempts.indexOf(attempt) + 1);
  if (
    newer.some(
      (later) => later.follows?.attemptId === follows.attemptId || (later.operation === operation && isOpen(later)),
    )
  )
    return false;
  switch (because) {
    case 'intended_cancellation':
      return payment.status === 'AUTHORIZED' && payment.cancellation !== undefined;
    case 'answer_mismatch':
      return payment.status === 'PENDING';
    case 'late_success':
      return attemptOf(payment, follows.attemptId)?.state !== 'returned'; // a return needs no reversal
    case 'automatic_capture':
    case 'with_authorization':
    case 'authentication_required':
    case 'fallback':
      return false;
    default:
      return because satisfies never;
  }
}

/** The attempts to ask the processor about: open, unknown or pending ones, and reversals to retry. */
export const openAttempts = (payment: Payment): readonly Attempt[] =>
  isKnown(payment) ? payment.attempts.filter((attempt) => isOpen(attempt) || isToBeRetried(payment, attempt)) : [];

export const refusedReversals = (payment: Payment): readonly Attempt[] =>
  isKnown(payment) ? payment.attempts.filter((attempt) => isRefusedReversal(payment, attempt)) : [];

/** The attempts that are not over: those to ask the processor about, and reversals that it refused. */
export const unsettledAttempts = (payment: Payment): readonly Attempt[] => [
  ...openAttempts(payment),
  ...refusedReversals(payment),
];

/**
 * True if it was booked by manual confirmation and the processor's report is still missing: its id, which later
 * operations need and without which our own reference is used, and the amount of a capture, which may be less than
 * requested.
 */
export const isVouched = (attempt: Attempt): attempt is Asked & SucceededAttempt =>
  attempt.state === 'succeeded' &&
  attempt.late === undefined &&
  !isCapturedWith(attempt) &&
  (attempt.processorTransactionId === attempt.reference ||
    (rulesOf(attempt.operation).believed === 'up_to_asked' && attempt.events.at(-1)?.evidence === 'operator'));

/** The attempts to ask about before a new request: unresolved ones, and those booked by manual confirmation only. */
export const attemptsToAskAbout = (payment: Payment): readonly Attempt[] =>
  isKnown(payment) ? [...unsettledAttempts(payment), ...payment.attempts.filter(isVouched)] : [];

/**
 * `OVER_REFUNDED` (contract §4): how much more was refunded than captured, minor units, until an operator has accepted
 * that; 0: it is not.
 */
export function openOverRefund(payment: Payment): number {
  if (!isKnown(payment)) return 0;
  const excess = overRefundOf(payment);
  return excess > (payment.overRefundAccepted ?? 0) ? excess : 0;
}

/**
 * True unless more was captured than authorized, or refunded than captured without an operator who has accepted that.
 */
export const isConserved = (payment: KnownPayment): boolean =>
  payment.amountCaptured <= payment.amountAuthorized && openOverRefund(payment) === 0;

/** True if something of it stays as it is until an operator closes it. */
export const awaitsOperator = (payment: Payment): boolean =>
  openOverRefund(payment) > 0 ||
  refusedReversals(payment).length > 0 ||
  (isKnown(payment) && (payment.attempts.some(isFoundMismatched) || payment.standing?.answer === 'differs'));

/**
 * Why the personal data of its customer cannot be erased yet: money may still move, a dispute is not over, or an
 * operator has to look at it; undefined if nothing is in the way.
 */
export function needsPerson(payment: Payment): 'open' | 'disputed' | 'unresolved' | undefined {
  if (payment.status === 'created') return 'open';
  if (!isKnown(payment)) return undefined;
  if (payment.disputes.some(({ status }) => isUndecided(status))) return 'disputed';
  if (awaitsOperator(payment)) return 'unresolved';
  const { status, amountCapturable } = payment;
  if (status === 'PENDING' || amountCapturable > 0 || dueLookUpAt(payment) !== undefined) return 'open';
  return wantsVaulting(payment) ? 'open' : undefined;
}

/** The refusals that are not final at the processor until they are fenced. */
export const refusalsToFence = (payment: Payment): readonly Attempt[] =>
  isKnown(payment) ? payment.attempts.filter(owesFence) : [];

/** When the payment wants attention, ms: the earliest time at which an open attempt or a refusal to fence does. */
export function dueLookUpAt(payment: Payment): number | undefined {
  let due: number | undefined;
  for (const attempt of [...openAttempts(payment), ...refusalsToFence(payment)]) {
    const at = dueAtOf(attempt);
    if (at !== undefined && (due === undefined || at < due)) due = at;
  }
  const read = dueReadAt(payment);
  return read !== undefined && (due === undefined || read < due) ? read : due;
}

/** True while something that is asked for may explain what a read shows: a hold, a capture, a void, a raise. */
export const mayBeExplained = ({ attempts }: KnownPayment): boolean =>
  attempts.some((attempt) => usesHold(attempt) && isOpen(attempt));

/** True if a reported change was not read yet, or a read was not answered. */
export const owesRead = ({ standing }: Pick<KnownPayment, 'standing'>): boolean =>
  standing?.answer === 'changed' || standing?.answer === 'unreachable';

/**
 * When the payment as a whole is read at its processor, ms: a read that is owed waits for the attempts that may explain
 * it. A difference is read again, in case that it has gone.
 */
export function dueReadAt(payment: Payment): number | undefined {
  if (!isKnown(payment) || payment.standing === undefined || payment.standing.answer === 'agrees') return undefined;
  return mayBeExplained(payment) ? undefined : payment.standing.nextLookUpAt;
}

/**
 * When what is still held is released because the issuer's hold ends, ms, as the processor said when it authorized.
 * Undefined if it did not say, where nothing is held, while a read is owed, and while an attempt that may use the hold
 * is not settled: refunds do not. A hold that a read found after its end is read again.
 */
export function dueExpiryAt(payment: Payment): number | undefined {
  if (!isKnown(payment) || payment.holdExpiresAt === undefined || payment.restReleased) return undefined;
  if (payment.status !== 'AUTHORIZED' && payment.status !== 'PARTIALLY_SETTLED') return undefined;
  if (mayBeExplained(payment) || owesRead(payment)) return undefined;
  return Math.max(payment.holdExpiresAt, payment.standing?.nextLookUpAt ?? 0);
}
