// Captured money at the processor that is in no total: only an operator gives it back or accepts it.
import { plus, type Sum } from '../money.ts';
import type { KnownPayment, Payment, StandingDifference } from './payment.ts';
import { isKnown, refusedReversals } from './queries.ts';
import { amountsOnRecord } from './standing.ts';

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
