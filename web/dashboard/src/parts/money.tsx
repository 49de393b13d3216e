// An amount in minor units, written with its currency's own decimals.
import type { ReactNode } from 'react';
import { decimalText, minorDigits } from '../../../../src/domain/currency.ts';
import type { Sum } from '../../../../src/domain/money.ts';

export interface MoneyProps {
  /** Minor units. */
  readonly amount: Sum;
  /** ISO 4217. */
  readonly currencyCode: string;
}

const formats = new Map<string, Intl.NumberFormat>();

function formatOf(currencyCode: string): Intl.NumberFormat {
  const known = formats.get(currencyCode);
  if (known !== undefined) return known;
  const decimals = minorDigits(currencyCode);
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  const made = new Intl.NumberFormat(undefined, { style: 'currency', currency: currencyCode, ...digits });
  formats.set(currencyCode, made);
  return made;
}

/** Intl takes the decimals themselves, so that no digit is lost to a float. */
const isDecimal = (text: string): text is `${number}` => /^-?\d+(\.\d+)?$/.test(text);

/**
 * The amount as text: `€54.90`, and `CA$54.90` if a bare `$` would mean another currency. The symbol replaces the code.
 */
export function moneyText({ amount, currencyCode }: MoneyProps): string {
  const text = decimalText(amount, currencyCode);
  return isDecimal(text) ? formatOf(currencyCode).format(text) : `${text} ${currencyCode}`;
}

export const Money = ({ amount, currencyCode }: MoneyProps): ReactNode => (
  <span className="numbers" title={`${decimalText(amount, currencyCode)} ${currencyCode}`}>
    {moneyText({ amount, currencyCode })}
  </span>
);
