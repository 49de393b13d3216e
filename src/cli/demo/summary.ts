// The end of the demo: the status of each payment, and the requests and time that it took.
import { inCurrency } from '../../domain/in-currency.ts';
import { list } from '../table.ts';
import type { Ended } from './checkout.ts';
import type { DemoExchange } from './exchange.ts';
import type { DemoStory } from './unknown-outcomes.ts';

type Paid = Ended & Partial<DemoStory>;

/** `inMemory`: the service has ended with the demo, so that nothing of it can be looked at. */
export function summary(payments: readonly Paid[], exchanges: readonly DemoExchange[], inMemory: boolean): string {
  const ms = exchanges.reduce((total, exchange) => total + exchange.ms, 0);
  const took = `${exchanges.length} requests were answered in ${ms} ms altogether.`;
  return ['Summary', ...payments.map((payment) => summaryOf(payment, inMemory)), took].join('\n\n');
}

function summaryOf({ paymentId, status, currencyCode, ledger, ...sums }: Paid, inMemory: boolean): string {
  const money = (amount: number): string => inCurrency(amount, currencyCode);
  return list([
    ['payment', paymentId],
    ['status', status],
    ['authorized', money(sums.authorized)],
    ['captured', money(sums.captured)],
    ['refunded', money(sums.refunded)],
    ...(ledger === undefined ? [] : [['ledger', `the processor's own books say the same: ${totals(ledger, money)}`] as const]),
    ...(inMemory ? [] : [['its story', `npx counterfoil payments show ${paymentId}`] as const]),
  ]);
}

const totals = ({ authorized, captured, refunded }: DemoStory['ledger'], money: (amount: number) => string): string =>
  `${money(authorized)} authorized, ${money(captured)} captured, ${money(refunded)} refunded`;
