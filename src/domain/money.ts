// Amounts: integers in minor units of a currency (contract §1); and as people write them in tables and sentences:
// `54.90 EUR`, `500 JPY`, `1.234 BHD`.
import { decimalText } from './currency.ts';

/** 2^53 - 1, the largest amount there is. */
export const MAX_AMOUNT = Number.MAX_SAFE_INTEGER;

/**
 * A sum of amounts, exact: a number up to 2^53 - 1 on either side of zero, beyond it a string of its digits, in JSON
 * too (contract §1). Equal sums are equal values.
 */
export type Sum = number | string;

export function plus(one: Sum, other: Sum, sign: 1 | -1 = 1): Sum {
  // Doubles never round a larger sum into the safe integers.
  const quick = typeof one === 'number' && typeof other === 'number' ? one + sign * other : Number.NaN;
  if (Number.isSafeInteger(quick)) return quick;
  const exact = BigInt(one) + BigInt(sign) * BigInt(other);
  return Number.isSafeInteger(Number(exact)) ? Number(exact) : String(exact);
}

/** `amount`: minor units; a currency that is not known has two decimals. */
export const inCurrency = (amount: Sum, currencyCode: string): string =>
  `${decimalText(amount, currencyCode)} ${currencyCode}`;
