// Amounts as the shopper's language writes them.
import { minorDigits } from '../../../../src/domain/currency.ts';

/** `amount`: minor units. No digit of a great amount is lost. */
export function formatMoney(amount: number, currencyCode: string, locale: string): string {
  const decimals = minorDigits(currencyCode);
  const digits = String(Math.abs(amount)).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const text = `${amount < 0 ? '-' : ''}${whole}${decimals === 0 ? '' : `.${digits.slice(-decimals)}`}`;
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: currencyCode,
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  return isNumeric(text) ? format.format(text) : text;
}

/** Intl takes a decimal in a string exactly. */
const isNumeric = (text: string): text is `${number}` => /^-?\d+(?:\.\d+)?$/.test(text);
