// A look-up that settled nothing: what is known now, and when the processor is asked again: 30 s, 5 min, 1 h after the
// request, then daily (contract §4).
import { accept, type Decision } from '../decider.ts';
import type { MethodRules } from '../payment-method.ts';
import { type Attempt, isOpen, isReversal, isUnanswered, owesFence } from './attempt.ts';
import { noSuchPayment } from './decline-reason.ts';
import type { PaymentEvent } from './events.ts';
import { factsOf } from './operations.ts';
import type { Evidence, LookUp } from './outcome.ts';
import type { KnownPayment, Payment } from './payment.ts';
import { attemptOf, isKnown, isToBeRetried } from './queries.ts';

export interface LookUpMade {
  readonly attemptId: string;
  readonly answer: LookUp['kind'];
  /** If the response names it: the id of an operation in progress at the processor. */
  readonly processorTransactionId: string | undefined;
  readonly evidence: Evidence;
  /** ms */
  readonly nextLookUpAt: number;
}

/** An attempt whose caller never came back becomes unknown by it; one that the processor is working on, pending. */
export const recordLookUp =
  ({ attemptId, answer, processorTransactionId, evidence, nextLookUpAt }: LookUpMade) =>
  (payment: Payment): Decision<PaymentEvent> => {
    const attempt = attemptOf(payment, attemptId);
    if (!isKnown(payment) || attempt === undefined) return noSuchPayment();
    if (!isOpen(attempt) && !isToBeRetried(payment, attempt) && !owesFence(attempt)) return accept();
    const { operation } = attempt;
    const facts = factsOf(operation);
    const learnt = { attemptId, evidence, nextLookUpAt };
    const asked: PaymentEvent = { type: 'LookUpRecorded', data: { ...learnt, operation, answer } };
    if ((answer === 'pending' || answer === 'requires_action') && isUnanswered(attempt)) {
      const named = processorTransactionId === undefined ? {} : { processorTransactionId };
      return accept<PaymentEvent>({ type: facts.pending, data: { ...learnt, ...named } }, asked);
    }
    return attempt.state === 'open'
      ? accept<PaymentEvent>({ type: facts.unknown, data: learnt }, asked)
      : accept(asked);
  };

/** A method whose money comes days later is not asked about before that (contract §4). */
export const DAY_MS = 86_400_000;

/**
 * Milliseconds after the request of the first look-ups; the later ones follow a day apart. The first look-up of a
 * request that was just made is not taken from here: it is due when its call is over at the latest (`callEndsAt`).
 */
const lookUpSchedule: readonly number[] = [30_000, 300_000, 3_600_000];

/**
 * Business time in ms of the next look-up after `after`, when `lookUps` of them have been made already. Times that were
 * missed (nobody was there, or the clock was moved) are not made up for one by one: a processor is not asked each
 * second for every day that was lost.
 */
export function plannedLookUpAt(
  requestedAt: number,
  lookUps: number,
  after: number = Number.NEGATIVE_INFINITY,
): number {
  const days = lookUps - lookUpSchedule.length + 1;
  const planned = requestedAt + (lookUpSchedule[lookUps] ?? days * DAY_MS);
  if (planned > after) return planned;
  const early = lookUpSchedule.find((ms) => requestedAt + ms > after);
  return requestedAt + (early ?? (Math.floor((after - requestedAt) / DAY_MS) + 1) * DAY_MS);
}

/** The next look-up after one at `at` that resolved nothing and followed `lookUps` others: at least a second later. */
export const lookUpAfter = (requestedAt: number, lookUps: number, at: number): number =>
  Math.max(plannedLookUpAt(requestedAt, lookUps + 1, at), at + 1_000);

/** The first wait for a customer on the page of a method, ms; each later one is twice as long. */
const PAGE_MS = 300_000;

/**
 * When the processor is asked, after `at` and `lookUps` look-ups, whether the customer has acted, ms: the notification
 * may be lost. On the page of a method after minutes, with a voucher daily, otherwise when the time to act is over.
 */
export function actionLookUpAt(action: MethodRules['action'], expiresAt: number, lookUps: number, at: number): number {
  const waitMs = action === 'page' ? PAGE_MS * 2 ** lookUps : action === 'show' ? DAY_MS : Number.POSITIVE_INFINITY;
  return Math.min(expiresAt, at + waitMs);
}

/** Days between two look-ups of a challenged dispute: at first one, then twice as many each time, at most these. */
const MOST_DAYS_BETWEEN = 7;
/** Days where the processor does not show the dispute: this node asks again in case that a newer version of it can. */
const DAYS_WHERE_UNTOLD = 30;

/**
 * When the processor is asked for the first time how the issuer decided a dispute that was challenged at
 * `challengedAt`, ms.
 */
export const firstVerdictLookUp = (challengedAt: number): number => challengedAt + DAY_MS;

/**
 * The next look-up after one at `at` without a decision that followed `lookUps` others. A processor that did not
 * respond is asked the next day.
 */
export function verdictLookUpAfter(
  answer: 'undecided' | 'unreachable' | 'untold',
  lookUps: number,
  at: number,
): number {
  if (answer === 'untold') return at + DAYS_WHERE_UNTOLD * DAY_MS;
  return at + (answer === 'unreachable' ? 1 : Math.min(2 ** (lookUps + 1), MOST_DAYS_BETWEEN)) * DAY_MS;
}

/** When an attempt is looked up that stays open, or is open again because of a report at `at`, ms. */
export const openUntil = (attempt: Attempt, at: number): number =>
  isOpen(attempt) ? attempt.nextLookUpAt : plannedLookUpAt(attempt.requestedAt, attempt.lookUps, at);

/**
 * When a reversal that did not happen is tried again, ms: on the schedule of the look-ups. Undefined for any other
 * attempt.
 */
export function retryAtOf({ attempts }: KnownPayment, attempt: Attempt, at: number): number | undefined {
  if (!isReversal(attempt)) return undefined;
  const tries = attempts.filter(({ follows }) => follows?.attemptId === attempt.follows?.attemptId).length;
  return plannedLookUpAt(at, tries - 1);
}
