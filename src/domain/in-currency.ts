// Amounts as people write them, in tables and sentences: `54.90 EUR`, `500 JPY`, `1.234 BHD`; members of JSON have
// minor units.
import { minorDigits } from './currency.ts';

/** `amount`: minor units, not negative; a currency that is not known has two decimals. */
export function inCurrency(amount: number, currencyCode: string): string {
  const decimals = minorDigits(currencyCode);
  const digits = String(amount).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  return `${whole}${decimals === 0 ? '' : `.${digits.slice(-decimals)}`} ${currencyCode}`;
}
