// Successes that were undone: a refund that failed later, a capture that the acquirer returned; and which of several
// reports is the newest (contract §4).
import { accept, type Decision, reject } from '../decider.ts';
import {
  type Attempt,
  type AttemptState,
  isCapturedWith,
  isReversal,
  refusedAt,
  type SucceededAttempt,
  toldAt,
} from './attempt.ts';
import { noSuchPayment } from './decline-reason.ts';
import type { PaymentEvent } from './events.ts';
import { factsOf } from './operations.ts';
import type { Declined, Evidence } from './outcome.ts';
import type { KnownPayment, Payment } from './payment.ts';
import { attemptOf, attemptsToAskAbout, isKnown, placeOf } from './queries.ts';

interface Return {
  readonly attemptId: string;
  /** How much came back, minor units, and in which currency where the processor says so. */
  readonly amount: number;
  readonly currencyCode?: string | undefined;
  readonly evidence: Evidence;
}

/** Why a return cannot be booked: its attempt has not succeeded (yet), or other money was booked (minor units). */
type Unreturnable =
  | { readonly code: 'return_without_success'; readonly attemptId: string; readonly state: AttemptState }
  | {
      readonly code: 'return_differs';
      readonly attemptId: string;
      readonly amount: number;
      readonly currencyCode: string;
    };

/** Undefined for a return that can be booked, or that says what is on record. */
export function unreturnable(
  payment: KnownPayment,
  attempt: Attempt,
  { amount, currencyCode = payment.currencyCode }: Pick<Return, 'amount' | 'currencyCode'>,
): Unreturnable | undefined {
  const { attemptId, state } = attempt;
  if (state === 'returned' || (state === 'declined' && canComeBack(attempt))) return undefined;
  if (state !== 'succeeded' || attempt.mismatched === true) return { code: 'return_without_success', attemptId, state };
  const isAsBooked = amount === attempt.bookedAmount && currencyCode === payment.currencyCode;
  return isAsBooked
    ? undefined
    : { code: 'return_differs', attemptId, amount: attempt.bookedAmount, currencyCode: payment.currencyCode };
}

/**
 * A return that the processor reports as such. Nothing for one that is older than the success. Conflict for one that
 * cannot be booked: of another amount or currency than was booked, or of an attempt that is not (yet) on record as
 * succeeded.
 */
export const recordReturn =
  ({ attemptId, amount, currencyCode, evidence }: Return) =>
  (payment: Payment): Decision<PaymentEvent> => {
    const attempt = attemptOf(payment, attemptId);
    if (!isKnown(payment) || attempt === undefined) return noSuchPayment();
    if (attempt.state === 'succeeded' && !isLater(attempt, evidence, true)) return accept();
    if (unreturnable(payment, attempt, { amount, currencyCode }) !== undefined)
      return reject('Conflict', `The return of ${attemptId} cannot be booked.`);
    return attempt.state === 'succeeded'
      ? returned(payment, attempt, evidence, {})
      : repeated(payment, attempt, evidence);
  };

/**
 * A refusal of a closed attempt. It is accepted for a capture and of a refund that is booked, where the processor dates
 * it at the success or later, and where it is what a look-up finds. An older word changes nothing.
 */
export function refusedByWord(
  payment: KnownPayment,
  attempt: Attempt,
  { code, declineType }: Declined,
  evidence: Evidence,
): Decision<PaymentEvent> {
  if (attempt.state === 'returned' || attempt.state === 'declined')
    return repeated(payment, attempt, evidence, { code, declineType });
  if (attempt.state !== 'succeeded' || attempt.mismatched === true || isClosedOtherwise(attempt)) return accept();
  return isLater(attempt, evidence, evidence.source === 'lookup')
    ? returned(payment, attempt, evidence, { code, declineType })
    : accept();
}

/**
 * Whether an operator closed a reversal after the processor's refusal was on record: it was taken back in another way.
 * The processor goes on saying that it refused, whenever it is asked.
 */
function isClosedOtherwise(attempt: Attempt): boolean {
  const facts = factsOf(attempt.operation);
  const last = attempt.events.at(-1);
  if (!isReversal(attempt) || last?.type !== facts.succeeded || last.evidence !== 'operator') return false;
  return attempt.events.some(({ type }) => type === facts.declined || ('returned' in facts && type === facts.returned));
}

/** Of two words of one time the one that undoes counts: nothing comes back before it was done. */
function isLater({ toldAt: doneAt }: SucceededAttempt, evidence: Evidence, isUndatedBelieved: boolean): boolean {
  const at = refusedAt(evidence);
  return at === undefined ? isUndatedBelieved : at >= doneAt;
}

/** A success came back; the word is newer than what is on record. */
export function returned(
  payment: KnownPayment,
  attempt: Attempt & SucceededAttempt,
  evidence: Evidence,
  told: Partial<Pick<Declined, 'code' | 'declineType'>>,
): Decision<PaymentEvent> {
  const { attemptId, operation, bookedAmount: amount } = attempt;
  const facts = factsOf(operation);
  if (!('returned' in facts)) return accept();
  const { currencyCode } = payment;
  const place = placeOf(payment, attempt);
  const back: PaymentEvent = {
    type: facts.returned,
    data: { attemptId, evidence, amount, currencyCode, ...place, ...told },
  };
  // its authorization was the capture: nothing is held that could be captured again
  return isCapturedWith(attempt)
    ? accept<PaymentEvent>({ type: 'AuthorizationExpired', data: { ...place, evidence } }, back)
    : accept(back);
}

/** True if a later report may undo its success, and a later success its refusal: a capture, a refund. */
export const canComeBack = ({ operation }: Attempt): boolean => 'returned' in factsOf(operation);

/**
 * A word of a later time than the one on record, that says the same. It is recorded, so that a contrary word of a time
 * between the two changes nothing, whenever it arrives. Only the processor's own time counts of an attempt that is
 * looked up before each operation: its look-ups would be recorded without end.
 */
export function repeated(
  payment: KnownPayment,
  attempt: Attempt & { readonly toldAt?: number },
  evidence: Evidence,
  told: Partial<Pick<Declined, 'code' | 'declineType'>> = {},
): Decision<PaymentEvent> {
  const { attemptId, operation, state, toldAt: newest = Number.NEGATIVE_INFINITY } = attempt;
  if (!canComeBack(attempt)) return accept();
  const at = state === 'succeeded' ? toldAt(evidence, Number.NEGATIVE_INFINITY) : refusedAt(evidence);
  if (at === undefined || at <= newest) return accept();
  if (evidence.occurredAt === undefined && attemptsToAskAbout(payment).includes(attempt)) return accept();
  return accept({ type: 'OutcomeRepeated', data: { attemptId, operation, evidence, ...told } });
}

/**
 * True if a success reported at `at` (ms) is no newer than the recorded refusal or return. A manual confirmation is
 * always the newest: it closes a reversal that was refused or returned.
 */
export function isOutdated(attempt: Attempt, evidence: Evidence, at: number): boolean {
  if (attempt.state !== 'returned' && attempt.state !== 'declined') return false;
  if (evidence.source === 'operator' || attempt.toldAt === undefined) return false;
  return canComeBack(attempt) && toldAt(evidence, at) <= attempt.toldAt;
}
