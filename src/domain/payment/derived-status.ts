// What the status of a payment does not say, and the dashboard shows in its place: a success with another amount, an
// open or a lost dispute, an outcome that is unknown, money that only an operator gives back or accepts.
import { isLost, isUndecided } from '../dispute-status.ts';
import { plus, type Sum } from '../money.ts';
import { type Attempt, isFoundMismatched } from './attempt.ts';
import { DAY_MS } from './look-up.ts';
import { isOpenAnswer, type KnownPayment, type Payment, type StandingDifference } from './payment.ts';
import { isKnown, refusedReversals } from './queries.ts';
import { amountsOnRecord } from './standing.ts';

/** A payment with several shows the first of them: what may have moved money, what can be done, what is over. */
export const derivedStatuses = ['AMOUNT_DIFFERS', 'REFUND_NOT_KNOWN', 'DISPUTED', 'DISPUTE_LOST'] as const;
export type DerivedStatus = (typeof derivedStatuses)[number];

/** The derived statuses of a payment; most have none. */
export const derivedStatusesOf = ({
  attempts,
  disputes,
}: Pick<KnownPayment, 'attempts' | 'disputes'>): readonly DerivedStatus[] => [
  ...(attempts.some(isFoundMismatched) ? (['AMOUNT_DIFFERS'] as const) : []),
  ...(attempts.some(isRefundNotKnown) ? (['REFUND_NOT_KNOWN'] as const) : []),
  ...(disputes.some(({ status }) => isUndecided(status)) ? (['DISPUTED'] as const) : []),
  ...(disputes.some(({ status }) => isLost(status)) ? (['DISPUTE_LOST'] as const) : []),
];

/**
 * A read model cannot ask for the time, so a call without a recorded response counts from its first look-up on, which
 * is due at the deadline of the call.
 */
const isRefundNotKnown = (attempt: Attempt): boolean =>
  attempt.operation === 'refund' &&
  ((attempt.state === 'unknown' && !isFoundMismatched(attempt)) || (attempt.state === 'open' && attempt.lookUps > 0));

/**
 * Whether the payment has an attempt with an unknown outcome at `now` (ms, business time): its answer was lost or not
 * believed, or no answer is on record when its call must be over, because the process that made the call is gone. A
 * call under way is none, nor is a mismatch that a look-up has found: its outcome is known, and an operator closes it.
 */
export const hasUnknownOutcome = (
  { attempts, standing }: Pick<KnownPayment, 'attempts' | 'standing'>,
  now: number,
): boolean =>
  attempts.some((attempt) => isUnknown(attempt, now)) ||
  (standing?.answer === 'unreachable' && now - standing.since >= UNREAD_MS);

/** A payment that its processor has not shown for so long, ms, wants a person. */
const UNREAD_MS = 7 * DAY_MS;

/** True if the outcome of a response to one of its disputes is unknown. */
export const hasUnknownAnswer = ({ disputes }: Pick<KnownPayment, 'disputes'>, now: number): boolean =>
  disputes.some(
    ({ answer }) =>
      isOpenAnswer(answer) && (answer.state === 'unknown' || (answer.state === 'open' && answer.nextLookUpAt <= now)),
  );

const isUnknown = (attempt: Attempt, now: number): boolean =>
  (attempt.state === 'unknown' && !isFoundMismatched(attempt)) ||
  (attempt.state === 'open' && attempt.nextLookUpAt <= now);

/** Of all payments in one currency. */
export interface Held {
  readonly payments: number;
  /** Minor units. */
  readonly amount: Sum;
}

/** By currency. */
export type HeldSums = ReadonlyMap<string, Held>;

/**
 * Of one payment, by currency, minor units: money that came too late and whose refund was refused, and what a read
 * showed as captured beyond the record and not given back there.
 */
export function heldForOperator(payment: Payment): ReadonlyMap<string, number> {
  const held = new Map<string, number>();
  if (!isKnown(payment)) return held;
  const add = (currencyCode: string, amount: number): void => {
    if (amount > 0) held.set(currencyCode, (held.get(currencyCode) ?? 0) + amount);
  };
  for (const { operation, amount } of refusedReversals(payment))
    if (operation === 'refund') add(payment.currencyCode, amount);
  const { difference } = payment.standing ?? {};
  if (difference !== undefined) add(difference.currencyCode, beyondRecord(payment, difference));
  return held;
}

function beyondRecord(payment: KnownPayment, { captured, refunded, currencyCode }: StandingDifference): number {
  if (currencyCode !== payment.currencyCode) return captured - refunded;
  const recorded = amountsOnRecord(payment);
  return captured - recorded.captured - Math.max(0, refunded - recorded.refunded);
}

/** Adds the payment to the sums; with -1 takes it back. */
export function addHeld(sums: Map<string, Held>, payment: Payment, sign: 1 | -1 = 1): void {
  for (const [currencyCode, amount] of heldForOperator(payment)) {
    const before = sums.get(currencyCode) ?? { payments: 0, amount: 0 };
    sums.set(currencyCode, { payments: before.payments + sign, amount: plus(before.amount, amount, sign) });
  }
}
