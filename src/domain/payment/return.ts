// What had succeeded and came back: a refund that failed later, a capture that the acquirer returned. Booked, never dropped (contract §4).
import { accept, type Decision, reject } from '../decider.ts';
import type { Attempt, AttemptState, SucceededAttempt } from './attempt.ts';
import type { PaymentEvent } from './events.ts';
import { factsOf } from './operations.ts';
import type { Declined, Evidence, EvidenceSource } from './outcome.ts';
import type { KnownPayment, Payment } from './payment.ts';
import { attemptOf, isKnown, placeOf } from './queries.ts';
import { noSuchPayment } from './refusals.ts';

export interface Return {
  readonly attemptId: string;
  /** How much came back, minor units, and in which currency where the processor says so. */
  readonly amount: number;
  readonly currencyCode?: string | undefined;
  readonly evidence: Evidence;
}

/** Why a return cannot be booked: its attempt has not succeeded (yet), or other money was booked (minor units). */
export type Unreturnable =
  | { readonly code: 'return_without_success'; readonly attemptId: string; readonly state: AttemptState }
  | { readonly code: 'return_differs'; readonly attemptId: string; readonly amount: number; readonly currencyCode: string };

/** Undefined for a return that can be booked, or is on record. */
export function unreturnable(
  payment: KnownPayment,
  attempt: Attempt,
  { amount, currencyCode = payment.currencyCode }: Pick<Return, 'amount' | 'currencyCode'>,
): Unreturnable | undefined {
  const { attemptId, state } = attempt;
  if (state === 'returned') return undefined;
  if (state !== 'succeeded' || attempt.mismatched === true) return { code: 'return_without_success', attemptId, state };
  const isAsBooked = amount === attempt.bookedAmount && currencyCode === payment.currencyCode;
  return isAsBooked ? undefined : { code: 'return_differs', attemptId, amount: attempt.bookedAmount, currencyCode: payment.currencyCode };
}

/**
 * A return that the processor tells as such. Nothing when it is on record. Conflict for one that cannot be booked: of another amount or
 * currency than was booked, or of an attempt that is not (yet) on record as succeeded.
 */
export const recordReturn =
  ({ attemptId, amount, currencyCode, evidence }: Return) =>
  (payment: Payment): Decision<PaymentEvent> => {
    const attempt = attemptOf(payment, attemptId);
    if (!isKnown(payment) || attempt === undefined) return noSuchPayment();
    if (unreturnable(payment, attempt, { amount, currencyCode }) !== undefined)
      return reject('Conflict', `The return of ${attemptId} cannot be booked.`);
    return attempt.state === 'succeeded' ? returned(payment, attempt, evidence, {}) : accept();
  };

/**
 * A refusal of what is on record as done. It is believed of a refund and of a capture, where the processor told it later than the
 * success, by its own clock; and where it is what a look-up finds. A stale word changes nothing.
 */
export function returnedByWord(
  payment: KnownPayment,
  attempt: Attempt,
  { code, declineType }: Declined,
  { evidence, source }: { readonly evidence: Evidence; readonly source: EvidenceSource },
): Decision<PaymentEvent> {
  if (attempt.state !== 'succeeded' || attempt.mismatched === true) return accept();
  const at = ownTime(evidence);
  const isLater = at === undefined ? source === 'lookup' : at >= attempt.toldAt;
  return isLater ? returned(payment, attempt, evidence, { code, declineType }) : accept();
}

function returned(
  payment: KnownPayment,
  attempt: Attempt & SucceededAttempt,
  evidence: Evidence,
  told: Partial<Pick<Declined, 'code' | 'declineType'>>,
): Decision<PaymentEvent> {
  const { attemptId, operation, bookedAmount: amount } = attempt;
  const facts = factsOf(operation);
  if (!('returned' in facts)) return accept();
  const { currencyCode } = payment;
  return accept({ type: facts.returned, data: { attemptId, evidence, amount, currencyCode, ...placeOf(payment, attempt), ...told } });
}

/**
 * Whether a success is older than the word that undid it: a refusal that the processor dates later, or a return. So the end is the same
 * in whatever order the two arrive.
 */
export function isOutdated(attempt: Attempt, evidence: Evidence): boolean {
  const at = ownTime(evidence);
  if (evidence.source === 'operator') return false; // who closes a reversal that was refused or came back
  if (attempt.state === 'returned') return at === undefined || at <= attempt.toldAt;
  if (attempt.state !== 'declined' || attempt.occurredAt === undefined || at === undefined) return false;
  return 'returned' in factsOf(attempt.operation) && at < attempt.occurredAt;
}

/** When what is told was so, ms, where that is known; of an answer it is not, because a notification may overtake it. */
const ownTime = ({ source, occurredAt, sentAt }: Evidence): number | undefined => occurredAt ?? (source === 'lookup' ? sentAt : undefined);
