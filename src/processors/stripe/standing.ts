// The standing of a payment: what its PaymentIntent and its refunds show, by whatever hand the money moved.
import type { PaymentStanding, StandingRefund, StandingTold, Unreachable } from '../../domain/payment/outcome.ts';
import type { Call, StandingQuestion } from '../processor.ts';
import { fromStripe } from './amounts.ts';
import type { Api } from './api.ts';
import { FENCED } from './authorized.ts';
import { readIntent } from './authorizing.ts';
import { notesIn } from './following.ts';
import { unreadBy } from './grading.ts';
import { refundOutcome, refundsOf } from './refunding.ts';
import type { ChargeTotals, PaymentIntent, Refund } from './wire.ts';

/** Two reads: the PaymentIntent, and where money was taken its refunds. */
export async function standing(
  api: Api,
  { processorTransactionId: name }: StandingQuestion,
  call: Call,
): Promise<PaymentStanding | Unreachable> {
  const told = await readIntent(api, name, call);
  if (told.kind !== 'told') return { kind: 'unreachable', detail: unreadBy(told).detail };
  const { value: intent, detail } = told;
  const amounts = amountsOf(intent);
  if (amounts === undefined) return { kind: 'unreachable', detail: `its state is none of a hold: ${detail}` };
  const listed = amounts.captured > 0 ? await refundsOf(api, name, call) : { kind: 'listed' as const, refunds: [] };
  if (listed.kind !== 'listed') return { kind: 'unreachable', detail: listed.detail };
  const refunds = listed.refunds.map(standingRefund);
  if (!refunds.every((one) => one !== undefined))
    return { kind: 'unreachable', detail: 'a refund has a status that is new, or a fraction in our units' };
  const { latest_charge: charge, cancellation_reason: reason } = intent;
  const isExpired = reason === 'automatic' || reason === 'expired' || reason === FENCED;
  return {
    kind: 'standing',
    processorTransactionId: name,
    ...amounts,
    captureName: typeof charge === 'string' ? charge : (charge?.id ?? name),
    ...(isExpired && { expired: true as const }),
    ours: notesIn(intent),
    refunds,
  };
}

/** What an event shows of a payment; undefined if it shows no hold, or amounts that ours cannot be. */
export function amountsOf(
  intent: PaymentIntent,
): (StandingTold & Pick<PaymentStanding, 'captured' | 'capturable'>) | undefined {
  const { status, amount, amount_received: received, amount_capturable: held, currency } = intent;
  if (!HOLDS.has(status)) return undefined;
  const captured = fromStripe(received ?? 0, currency);
  const capturable = fromStripe(status === 'requires_capture' ? (held ?? amount) : 0, currency);
  if (captured === undefined || capturable === undefined) return undefined;
  return { currencyCode: currency.toUpperCase(), captured, capturable };
}
const HOLDS: ReadonlySet<string> = new Set(['requires_capture', 'succeeded', 'canceled']);

/** The sums that an event shows of a charge. */
export function chargeTotals({ amount_captured, amount_refunded, currency }: ChargeTotals): StandingTold | undefined {
  const [captured, refunded] = [fromStripe(amount_captured, currency), fromStripe(amount_refunded, currency)];
  return captured === undefined || refunded === undefined
    ? undefined
    : { currencyCode: currency.toUpperCase(), captured, refunded };
}

/** Undefined if its status is new, or its amount none of ours. */
export function standingRefund(refund: Refund): StandingRefund | undefined {
  const amount = fromStripe(refund.amount, refund.currency);
  const outcome = refundOutcome(refund, '');
  if (amount === undefined || outcome.kind === 'unknown') return undefined;
  const reference = refund.metadata?.['counterfoil_reference'];
  const about = { name: refund.id, amount, ...(reference !== undefined && { reference }) };
  if (outcome.kind !== 'declined') return { ...about, state: outcome.kind };
  return { ...about, state: 'failed', code: outcome.code, declineType: outcome.declineType };
}
