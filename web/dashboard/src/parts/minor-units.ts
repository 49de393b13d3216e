// Amounts between what people write and minor units, digit by digit: no amount is ever a fraction of a float.
import { minorDigits } from '../../../../src/domain/currency.ts';

/**
 * Minor units of `54.90`, `54,9` or `54`; undefined for anything else: more decimals than the currency has, signs,
 * spaces between digits, separators of thousands (which are decimals elsewhere), and more than an integer can say.
 */
export function minorUnits(text: string, currencyCode: string): number | undefined {
  const [, whole, decimals = ''] = /^(\d+)(?:[.,](\d*))?$/.exec(text.trim()) ?? [];
  const places = minorDigits(currencyCode);
  if (whole === undefined || decimals.length > places) return undefined;
  const amount = Number(`${whole}${decimals.padEnd(places, '0')}`);
  return Number.isSafeInteger(amount) ? amount : undefined;
}

/** A short text of minor units for an axis, `€1.2K`, or null if the amounts have no currency. */
export function roundedAmounts(currencyCode: string | null): (amount: number) => string {
  const format = new Intl.NumberFormat(undefined, {
    notation: 'compact',
    minimumFractionDigits: 0,
    maximumFractionDigits: 1,
    ...(currencyCode !== null && { style: 'currency', currency: currencyCode, currencyDisplay: 'narrowSymbol' }),
  });
  const unit = currencyCode === null ? 1 : 10 ** minorDigits(currencyCode);
  return (amount) => format.format(amount / unit);
}
