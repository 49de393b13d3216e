// The amount of an order, in minor units, exact up to 2^53 - 1 (contract §3).
import { MAX_AMOUNT } from './money.ts';

/** The description where orderAmount exceeds MAX_AMOUNT. */
export const ORDER_OVERFLOW = 'The total of the order must not exceed 2^53 - 1.';

/** A line as the calculation needs it; every amount 0 to 2^53 - 1, quantity 1 to 10^6. */
export interface PricedLine {
  readonly amount: number;
  readonly quantity?: number | undefined;
  readonly discountAmount?: number | undefined;
  readonly taxAmount?: number | undefined;
}

export interface PricedOrder {
  readonly lineItems?: readonly PricedLine[] | undefined;
  readonly fees?: readonly { readonly amount: number }[] | undefined;
  readonly shipping?: { readonly amount?: number | undefined } | undefined;
}

/**
 * amount × quantity − discountAmount + taxAmount; negative when the discount is larger than the rest,
 * above MAX_AMOUNT (then perhaps not exact) when it overflows.
 */
export function lineTotal({ amount, quantity = 1, discountAmount = 0, taxAmount = 0 }: PricedLine): number {
  const product = amount * quantity;
  if (product <= MAX_AMOUNT) return product - discountAmount + taxAmount;
  // A discount may bring a product that a double cannot hold back into range.
  return Number(BigInt(amount) * BigInt(quantity) - BigInt(discountAmount) + BigInt(taxAmount));
}

/**
 * Σ lines + Σ fees + shipping.amount; undefined if there is none of the three.
 * Above MAX_AMOUNT (then perhaps not exact) when it overflows, which the `Order` schema and a PATCH refuse.
 */
export function orderAmount(order: PricedOrder | undefined): number | undefined {
  const { lineItems = [], fees = [], shipping } = order ?? {};
  if (lineItems.length === 0 && fees.length === 0 && shipping?.amount === undefined) return undefined;
  let total = shipping?.amount ?? 0;
  // Doubles add integers exactly up to 2^53 and never round a larger sum below it, so an overflow always shows.
  for (const line of lineItems) total += lineTotal(line);
  for (const fee of fees) total += fee.amount;
  return total;
}
