// Disputes: opened and decided by controls, answered with evidence or accepted by the merchant.
import type Stripe from 'stripe';
import { z } from 'zod';
import { chargeAnswer } from './answers.ts';
import { type Call, type Engine, seconds } from './engine.ts';
import { invalid, missing } from './failure.ts';
import { Expand, Flag, Metadata } from './parameters.ts';
import type { Account, Charge, Dispute } from './state.ts';

const DUE_MS = 9 * 24 * 3_600_000;
const LONGEST = 150_000;
const EVIDENCE = [
  'access_activity_log',
  'billing_address',
  'cancellation_policy',
  'cancellation_policy_disclosure',
  'cancellation_rebuttal',
  'customer_communication',
  'customer_email_address',
  'customer_name',
  'customer_purchase_ip',
  'customer_signature',
  'duplicate_charge_documentation',
  'duplicate_charge_explanation',
  'duplicate_charge_id',
  'product_description',
  'receipt',
  'refund_policy',
  'refund_policy_disclosure',
  'refund_refusal_explanation',
  'service_date',
  'service_documentation',
  'shipping_address',
  'shipping_carrier',
  'shipping_date',
  'shipping_documentation',
  'shipping_tracking_number',
  'uncategorized_file',
  'uncategorized_text',
] as const satisfies readonly (keyof Stripe.Dispute.Evidence)[];

const text = z.string().optional();
export const UpdateDispute = z.strictObject({
  evidence: z.partialRecord(z.enum(EVIDENCE), text).optional(),
  submit: Flag.default(true),
  metadata: Metadata,
  expand: Expand,
});
export const CloseDispute = z.strictObject({ expand: Expand });

export function disputeOf(account: Account, id: string): Dispute {
  const dispute = account.disputes.get(id);
  if (dispute === undefined) throw missing('dispute', id, 'dispute');
  return dispute;
}

export function disputeAnswer(account: Account, dispute: Dispute): Stripe.Dispute {
  const { charge } = dispute;
  const evidence = Object.fromEntries(EVIDENCE.map((name) => [name, dispute.evidence[name] ?? null]));
  return {
    id: dispute.id,
    object: 'dispute',
    amount: dispute.amount,
    balance_transactions: [],
    charge: charge.id,
    created: seconds(dispute.createdAt),
    currency: charge.intent.currency,
    enhanced_eligibility_types: [],
    evidence: { ...evidence, enhanced_evidence: {} } as Stripe.Dispute.Evidence,
    evidence_details: {
      due_by: seconds(dispute.createdAt + DUE_MS),
      enhanced_eligibility: {},
      has_evidence: Object.keys(dispute.evidence).length > 0,
      past_due: false,
      submission_count: dispute.submissions,
      submission_method: 'manual',
    },
    intended_submission_method: 'manual',
    is_charge_refundable: false,
    livemode: account.options.isLive,
    metadata: {},
    payment_intent: charge.intent.id,
    reason: dispute.reason,
    status: dispute.status,
  };
}

const isInquiry = ({ status }: Dispute): boolean => status.startsWith('warning_');
const isOver = ({ status }: Dispute): boolean => ['won', 'lost', 'warning_closed'].includes(status);

export function updateDispute(
  engine: Engine,
  call: Call,
  dispute: Dispute,
  sent: z.output<typeof UpdateDispute>,
): Stripe.Dispute {
  const { account } = call;
  if (isOver(dispute) || dispute.submissions > 0)
    throw invalid('This dispute can no longer be updated: its evidence was submitted, or it is closed.');
  const evidence = Object.fromEntries(
    Object.entries({ ...dispute.evidence, ...sent.evidence }).filter(([, value]) => value !== ''),
  );
  const length = Object.values(evidence).reduce((sum, value) => sum + (value?.length ?? 0), 0);
  if (length > LONGEST) throw invalid(`The evidence is longer than ${LONGEST} characters.`, { param: 'evidence' });
  dispute.evidence = evidence as Record<string, string>;
  if (sent.submit) {
    dispute.submissions += 1;
    dispute.status = isInquiry(dispute) ? 'warning_under_review' : 'under_review';
  }
  engine.emit(call, 'charge.dispute.updated', disputeAnswer(account, dispute));
  return disputeAnswer(account, dispute);
}

/** The merchant accepts the dispute, for good. */
export function closeDispute(engine: Engine, call: Call, dispute: Dispute): Stripe.Dispute {
  if (isOver(dispute)) throw invalid('This dispute is already closed.');
  return decideDispute(engine, call, dispute, 'lost');
}

export interface NewDispute {
  /** The whole charge if it is missing. */
  readonly amount?: number;
  /** `fraudulent` if it is missing. */
  readonly reason?: string;
  /** An inquiry moves no money. */
  readonly isInquiry?: boolean;
}

/** Control: the customer disputes the charge at the bank. */
export function openDispute(engine: Engine, call: Call, charge: Charge, wish: NewDispute): Stripe.Dispute {
  const { account } = call;
  const dispute: Dispute = {
    id: engine.newId('dp'),
    charge,
    amount: wish.amount ?? charge.captured,
    reason: wish.reason ?? 'fraudulent',
    createdAt: engine.now(),
    status: wish.isInquiry === true ? 'warning_needs_response' : 'needs_response',
    evidence: {},
    submissions: 0,
  };
  account.disputes.set(dispute.id, dispute);
  charge.dispute = dispute;
  engine.emit(call, 'charge.dispute.created', disputeAnswer(account, dispute));
  if (wish.isInquiry !== true) engine.emit(call, 'charge.dispute.funds_withdrawn', disputeAnswer(account, dispute));
  engine.emit(call, 'charge.updated', chargeAnswer(account, charge));
  return disputeAnswer(account, dispute);
}

/** Control: the bank decides. An inquiry that is won is closed. */
export function decideDispute(engine: Engine, call: Call, dispute: Dispute, status: 'lost' | 'won'): Stripe.Dispute {
  const { account } = call;
  const wasInquiry = isInquiry(dispute);
  dispute.status = status === 'won' && wasInquiry ? 'warning_closed' : status;
  engine.emit(call, 'charge.dispute.closed', disputeAnswer(account, dispute));
  if (status === 'won' && !wasInquiry)
    engine.emit(call, 'charge.dispute.funds_reinstated', disputeAnswer(account, dispute));
  return disputeAnswer(account, dispute);
}
