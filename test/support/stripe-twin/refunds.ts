// Refunds: create, list, and those that are decided or fail later.
import type Stripe from 'stripe';
import { z } from 'zod';
import { chargeAnswer, refundAnswer } from './answers.ts';
import type { Call, Engine } from './engine.ts';
import { invalid, missing } from './failure.ts';
import { checkDigits } from './money.ts';
import { Expand, Integer, Metadata, merged } from './parameters.ts';
import { intentOf } from './payment-intents.ts';
import type { Account, Refund } from './state.ts';

export const CreateRefund = z.strictObject({
  payment_intent: z.string(),
  amount: Integer.optional(),
  metadata: Metadata,
  reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer']).optional(),
  expand: Expand,
});
export const ListRefunds = z.strictObject({
  payment_intent: z.string().optional(),
  limit: Integer.refine((limit) => limit >= 1 && limit <= 100).default(10),
  starting_after: z.string().optional(),
});

export function createRefund(engine: Engine, call: Call, sent: z.output<typeof CreateRefund>): Stripe.Refund {
  const { account } = call;
  const intent = intentOf(account, sent.payment_intent);
  const { charge } = intent;
  if (charge === undefined || charge.captured === 0)
    throw invalid(`This PaymentIntent (${intent.id}) does not have a successful charge to refund.`);
  if (isChargedBack(charge))
    throw invalid(`Charge ${charge.id} has been charged back.`, { code: 'charge_disputed', charge: charge.id });
  const rest = charge.captured - refundedOf(account, charge);
  if (rest <= 0 && !engine.lies.has('refund_beyond_capture'))
    throw invalid(`Charge ${charge.id} has already been refunded.`, {
      code: 'charge_already_refunded',
      charge: charge.id,
    });
  const amount = sent.amount ?? rest;
  if (amount === 0) throw invalid('Invalid amount.', { code: 'parameter_invalid_integer', param: 'amount' });
  if (!engine.lies.has('iso_digits')) checkDigits(amount, intent.currency);
  if (amount > rest && !engine.lies.has('refund_beyond_capture'))
    throw invalid(`Refund amount (${amount}) is greater than unrefunded amount on charge (${rest}).`, {
      param: 'amount',
    });
  return refundAnswer(refundCharge(engine, call, charge, { ...sent, amount }));
}

/** The refund, made and reported. */
export function refundCharge(
  engine: Engine,
  call: Call,
  charge: Refund['charge'],
  {
    amount,
    metadata,
    reason,
  }: Pick<z.output<typeof CreateRefund>, 'metadata' | 'reason'> & { readonly amount: number },
): Refund {
  const { account } = call;
  const refund: Refund = {
    id: engine.newId('re'),
    intent: charge.intent,
    charge,
    amount,
    createdAt: engine.now(),
    metadata: merged({}, metadata),
    status: charge.method.card.refunds,
    ...(reason === undefined ? {} : { reason }),
  };
  account.refunds.set(refund.id, refund);
  engine.record(call, charge, { kind: 'refund', amount, metadata: refund.metadata });
  engine.emit(call, 'refund.created', refundAnswer(refund));
  engine.emit(call, 'charge.refunded', chargeAnswer(account, charge));
  return refund;
}

/** An inquiry, and a dispute that was won or prevented, leave what was not refunded with the merchant. */
const isChargedBack = ({ dispute }: Refund['charge']): boolean =>
  dispute !== undefined && !['won', 'prevented'].includes(dispute.status) && !dispute.status.startsWith('warning_');

function refundedOf(account: Account, charge: Refund['charge']): number {
  return [...account.refunds.values()]
    .filter((one) => one.charge === charge && one.status !== 'failed')
    .reduce((sum, one) => sum + one.amount, 0);
}

export function refundOf(account: Account, id: string, param?: string): Refund {
  const refund = account.refunds.get(id);
  if (refund === undefined) throw missing('refund', id, param);
  return refund;
}

/** The newest first, a page at a time. */
export function listRefunds(
  engine: Engine,
  { account }: Call,
  sent: z.output<typeof ListRefunds>,
): Stripe.ApiList<Stripe.Refund> {
  if (sent.payment_intent !== undefined) intentOf(account, sent.payment_intent);
  const all = [...account.refunds.values()].filter(
    (one) => sent.payment_intent === undefined || one.intent.id === sent.payment_intent,
  );
  if (!engine.lies.has('refunds_oldest_first')) all.reverse();
  const after = sent.starting_after;
  const from = after === undefined ? 0 : all.indexOf(refundOf(account, after, 'starting_after')) + 1;
  return {
    object: 'list',
    url: '/v1/refunds',
    has_more: from + sent.limit < all.length,
    data: all.slice(from, from + sent.limit).map(refundAnswer),
  };
}

/** Control: a pending refund succeeds. */
export function completeRefund(engine: Engine, call: Call, refund: Refund): void {
  refund.status = 'succeeded';
  engine.emit(call, 'refund.updated', refundAnswer(refund));
}

/** Control: the refund fails, even if it had succeeded, and the money is back. */
export function failRefund(engine: Engine, call: Call, refund: Refund, reason: string): void {
  refund.status = 'failed';
  refund.failureReason = reason;
  const { charge, amount, metadata } = refund;
  engine.record(call, charge, { kind: 'refund_returned', amount, metadata });
  engine.emit(call, 'refund.updated', refundAnswer(refund));
  engine.emit(call, 'refund.failed', refundAnswer(refund));
}
