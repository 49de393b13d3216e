// Amounts as people write them, in tables and sentences: `54.90 EUR`, `500 JPY`, `1.234 BHD`; members of JSON have
// minor units.
import { decimalText } from './currency.ts';
import type { Sum } from './money.ts';

/** `amount`: minor units; a currency that is not known has two decimals. */
export const inCurrency = (amount: Sum, currencyCode: string): string =>
  `${decimalText(amount, currencyCode)} ${currencyCode}`;
