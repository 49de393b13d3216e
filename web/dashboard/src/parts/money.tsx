// An amount in minor units, written with its currency's own decimals.
import type { ReactNode } from 'react';

export interface MoneyProps {
  /** Minor units. */
  readonly amount: number;
  /** ISO 4217. */
  readonly currencyCode: string;
}

const formats = new Map<string, Intl.NumberFormat>();

function formatOf(currencyCode: string): Intl.NumberFormat {
  const known = formats.get(currencyCode);
  if (known !== undefined) return known;
  const made = new Intl.NumberFormat(undefined, { style: 'currency', currency: currencyCode, currencyDisplay: 'narrowSymbol' });
  formats.set(currencyCode, made);
  return made;
}

/** As text, for titles and labels: `€54.90`. */
export function moneyText({ amount, currencyCode }: MoneyProps): string {
  const format = formatOf(currencyCode);
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

export const Money = ({ amount, currencyCode }: MoneyProps): ReactNode => (
  <span className="numbers" title={`${moneyText({ amount, currencyCode })} ${currencyCode}`}>
    {moneyText({ amount, currencyCode })}
  </span>
);
