// Money at a processor that is in no total and that only an operator closes, as commands name it.
import { inCurrency } from '../domain/in-currency.ts';
import type { Held } from '../domain/payment/held-for-operator.ts';

export const HELD = 'held, open for an operator';

export const heldInWords = (currencyCode: string, { payments, amount }: Held): string =>
  `${HELD}: ${inCurrency(amount, currencyCode)} of ${payments === 1 ? '1 payment' : `${payments} payments`}`;
