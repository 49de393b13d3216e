// The totals of a payment as it stands now, in the measures of the daily totals, and its open amounts.

import { plus, type Sum } from '../../domain/money.ts';
import { type Attempt, authorizationOf, isOpen } from '../../domain/payment/attempt.ts';
import type { KnownPayment } from '../../domain/payment/payment.ts';
import type { Counted, Measure } from '../../projections/models/payment-facts.ts';

/** The totals that the days are compared with: returned amounts are taken off. */
export const comparedMeasures = [
  'authorized',
  'declined',
  'captured',
  'refunded',
  'disputed',
  'disputeLost',
] as const satisfies readonly Measure[];
export type ComparedMeasure = (typeof comparedMeasures)[number];

/** In the payment's own currency; a dispute may be in another one. */
export const paymentMeasures = [
  'authorized',
  'declined',
  'captured',
  'refunded',
] as const satisfies readonly ComparedMeasure[];
type PaymentMeasure = (typeof paymentMeasures)[number];

/** Minor units. `open`: not settled yet, so it may come to be counted. */
interface Current {
  readonly now: Readonly<Record<PaymentMeasure, Sum>>;
  readonly open: Readonly<Record<PaymentMeasure, Counted>>;
}

export function currentOf({ attempts, amountAuthorized, amountCaptured, amountRefunded }: KnownPayment): Current {
  const authorization = authorizationOf({ attempts });
  return {
    now: {
      authorized: amountAuthorized,
      declined: authorization === undefined ? 0 : declinesOf(authorization),
      captured: amountCaptured,
      refunded: amountRefunded,
    },
    open: {
      authorized: openIn(attempts, 'authorization'),
      declined: { count: 0, amount: 0 },
      captured: openIn(attempts, 'capture'),
      refunded: openIn(attempts, 'refund'),
    },
  };
}

/** A decline stays a fact when a later word says otherwise. */
const declinesOf = ({ events, amount }: Attempt): Sum =>
  sumOf(events.filter(({ type }) => type === 'AuthorizationDeclined').map(() => ({ amount })));

function openIn(attempts: readonly Attempt[], operation: Attempt['operation']): Counted {
  const open = attempts.filter((attempt) => attempt.operation === operation && isOpen(attempt));
  return { count: open.length, amount: sumOf(open) };
}

const sumOf = (all: readonly Pick<Attempt, 'amount'>[]): Sum =>
  all.reduce<Sum>((sum, { amount }) => plus(sum, amount), 0);
