// An amount of a filter, which the URL holds in minor units.
import { decimalText } from '../../parts/minor-units.ts';

/** `54.90 EUR`; the text itself where it is no amount. */
export function amountText(minor: string | undefined, currencyCode: string | undefined): string | undefined {
  if (minor === undefined || currencyCode === undefined || !/^\d{1,16}$/.test(minor)) return minor;
  return `${decimalText(Number(minor), currencyCode)} ${currencyCode}`;
}
