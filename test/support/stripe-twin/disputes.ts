// Disputes: opened and decided by controls, answered with evidence or accepted by the merchant.
import type Stripe from 'stripe';
import { z } from 'zod';
import { chargeAnswer } from './answers.ts';
import { type Call, type Engine, seconds } from './engine.ts';
import { invalid, missing } from './failure.ts';
import { Expand, Flag, Metadata } from './parameters.ts';
import { refundCharge } from './refunds.ts';
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

const AppealEvidence = z.strictObject({ card: z.strictObject({ reason_for_filing: z.string() }) });
const isText = (value: unknown): value is string => typeof value === 'string';
export const UpdateDispute = z.strictObject({
  evidence: z
    .partialRecord(z.enum([...EVIDENCE, 'appeal']), z.union([z.string(), AppealEvidence]))
    .refine(({ appeal, ...texts }) => typeof appeal !== 'string' && Object.values(texts).every(isText))
    .optional(),
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
    balance_transactions: (dispute.refunds ?? []).map(({ id: source }) => ({ source }) as Stripe.BalanceTransaction),
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
    payment_method_details: {
      type: 'card',
      card: { brand: 'visa', network: 'visa', network_reason_code: null, case_type: dispute.caseType },
    },
    reason: dispute.reason,
    status: dispute.status,
  };
}

const isInquiry = ({ status }: Dispute): boolean => status.startsWith('warning_');
const isOver = ({ status }: Dispute): boolean => ['won', 'lost', 'warning_closed', 'prevented'].includes(status);

/** The status after evidence, of each that takes some. */
const REVIEWED = {
  warning_needs_response: 'warning_under_review',
  needs_response: 'under_review',
  appeal_needs_response: 'appeal_under_review',
} as const;
const isAnswerable = (status: string): status is keyof typeof REVIEWED => Object.hasOwn(REVIEWED, status);

export function updateDispute(
  engine: Engine,
  call: Call,
  dispute: Dispute,
  sent: z.output<typeof UpdateDispute>,
): Stripe.Dispute {
  const { account } = call;
  const { status } = dispute;
  if (!isAnswerable(status))
    throw invalid('This dispute can no longer be updated: its evidence was submitted, or it is closed.');
  const { appeal, ...texts } = sent.evidence ?? {};
  const isAppealed = status === 'appeal_needs_response';
  if (isAppealed !== (appeal !== undefined) || (isAppealed && Object.keys(texts).length > 0))
    throw invalid('An appeal takes evidence of its own, and nothing else does.', { param: 'evidence[appeal]' });
  const evidence = Object.fromEntries(
    Object.entries({ ...dispute.evidence, ...texts }).filter(([, value]) => value !== ''),
  );
  const length = Object.values(evidence).reduce((sum, value) => sum + String(value).length, 0);
  if (length > LONGEST) throw invalid(`The evidence is longer than ${LONGEST} characters.`, { param: 'evidence' });
  dispute.evidence = evidence as Record<string, string>;
  if (sent.submit) {
    dispute.submissions += 1;
    dispute.status = REVIEWED[status];
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
  /** It is over when it is opened: a resolution has refunded it, a block has not. */
  readonly prevented?: 'resolution' | 'block';
}

/** Control: the customer disputes the charge at the bank. */
export function openDispute(engine: Engine, call: Call, charge: Charge, wish: NewDispute): Stripe.Dispute {
  const { account } = call;
  const { amount = charge.captured, reason = 'fraudulent', isInquiry = false, prevented } = wish;
  const refund = prevented === 'resolution' ? refundCharge(engine, call, charge, { amount }) : undefined;
  const dispute: Dispute = {
    id: engine.newId('dp'),
    charge,
    amount,
    reason,
    createdAt: engine.now(),
    status: prevented !== undefined ? 'prevented' : isInquiry ? 'warning_needs_response' : 'needs_response',
    caseType: prevented ?? (isInquiry ? 'inquiry' : 'chargeback'),
    ...(refund !== undefined && { refunds: [refund] }),
    evidence: {},
    submissions: 0,
  };
  account.disputes.set(dispute.id, dispute);
  charge.dispute = dispute;
  engine.emit(call, 'charge.dispute.created', disputeAnswer(account, dispute));
  if (dispute.status === 'needs_response')
    engine.emit(call, 'charge.dispute.funds_withdrawn', disputeAnswer(account, dispute));
  engine.emit(call, 'charge.updated', chargeAnswer(account, charge));
  return disputeAnswer(account, dispute);
}

/** Control: an inquiry is disputed, or a loss is appealed, so that the merchant may answer again. */
export function reopenDispute(
  engine: Engine,
  call: Call,
  dispute: Dispute,
  status: 'needs_response' | 'appeal_needs_response',
): Stripe.Dispute {
  dispute.status = status;
  engine.emit(call, 'charge.dispute.updated', disputeAnswer(call.account, dispute));
  return disputeAnswer(call.account, dispute);
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
