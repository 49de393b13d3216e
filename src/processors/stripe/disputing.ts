// Disputes: read, and answered once, with evidence or by accepting them.
import type { DisputeStatus, DisputeType } from '../../domain/dispute-status.ts';
import type { Outcome } from '../../domain/payment/outcome.ts';
import type { Call, DisputeFound, DisputeNotice, DisputeQuestion, DisputeRequest } from '../processor.ts';
import { fromStripe } from './amounts.ts';
import type { Api, FormFields } from './api.ts';
import { ownOf } from './declines.ts';
import { succeeded, undoneBy } from './grading.ts';
import { StripeDispute } from './wire.ts';

/** Stripe's limit of all fields together, in characters. */
const LONGEST_EVIDENCE = 150_000;

/** Stripe decides without saying whether it decides the dispute or its appeal. */
export const STATUSES: { readonly [status: string]: { readonly status: DisputeStatus; readonly type?: DisputeType } } =
  {
    warning_needs_response: { status: 'OPEN', type: 'RETRIEVAL' },
    warning_under_review: { status: 'CHALLENGED', type: 'RETRIEVAL' },
    warning_closed: { status: 'WON', type: 'RETRIEVAL' },
    needs_response: { status: 'OPEN', type: 'DISPUTE' },
    under_review: { status: 'CHALLENGED', type: 'DISPUTE' },
    appeal_needs_response: { status: 'OPEN', type: 'APPEAL' },
    appeal_under_review: { status: 'CHALLENGED', type: 'APPEAL' },
    won: { status: 'WON' },
    lost: { status: 'LOST' },
    prevented: { status: 'PREVENTED' },
  };

/** A status that is not in the table stays Stripe's own word: its notification is parked. Undefined for a fraction. */
export function noticeOf(dispute: StripeDispute): DisputeNotice | undefined {
  const { id, status, amount: told, currency, created, reason } = dispute;
  const reasonCode = dispute.payment_method_details?.card?.network_reason_code;
  const amount = fromStripe(told, currency);
  const dueBy = dispute.evidence_details?.due_by;
  if (amount === undefined) return undefined;
  return {
    id,
    ...(ownOf(STATUSES, status) ?? { status }),
    ...(status === 'prevented' && { refunded: refundedBy(dispute, amount) }),
    amount,
    currencyCode: currency.toUpperCase(),
    ...(reason != null && { reason }),
    ...(reasonCode != null && { reasonCode }),
    ...(created != null && { openedAt: created * 1_000 }),
    ...(dueBy != null && { challengeRequiredBy: dueBy * 1_000 }),
  };
}

/** A block stops a dispute before it moves money; every other prevention refunds it. */
function refundedBy(
  { payment_method_details: method, balance_transactions: moves }: StripeDispute,
  amount: number,
): NonNullable<DisputeNotice['refunded']> {
  if (method?.card?.case_type === 'block') return { amount: 0, refunds: [] };
  const refunds = (moves ?? []).flatMap(({ source }) => (source?.startsWith('re_') === true ? [source] : []));
  return { amount, refunds };
}

const pathOf = (dispute: string): string => `/v1/disputes/${encodeURIComponent(dispute)}`;

export async function answerDispute(
  api: Api,
  { disputeId, reference, type = 'DISPUTE', answer }: DisputeRequest,
  call: Call,
): Promise<Outcome> {
  const evidence = answer === 'accept' ? [] : formOf(answer.evidence, type);
  if (evidence.reduce((sum, [, value]) => sum + String(value ?? '').length, 0) > LONGEST_EVIDENCE)
    return { kind: 'declined', code: 'EVIDENCE_TOO_LONG', declineType: 'HARD' };
  const question =
    answer === 'accept'
      ? { path: `${pathOf(disputeId)}/close` }
      : { path: pathOf(disputeId), form: [...evidence, ['submit', answer.submit]] satisfies FormFields };
  const told = await api.ask({ method: 'POST', key: reference, shape: StripeDispute, ...question }, call);
  if (told.kind !== 'told') {
    const undone = undoneBy(told);
    // Stripe's own sentence may repeat the evidence, which is personal
    return undone.kind === 'refused' ? { ...undone, detail: told.detail } : undone;
  }
  const { value, detail } = told;
  if (value.id !== disputeId) return { kind: 'unknown', detail: `it answered about another dispute: ${detail}` };
  const isDone = answer === 'accept' ? value.status === 'lost' : !answer.submit || isSubmitted(value, type);
  return isDone
    ? succeeded(disputeId, { ...value, detail })
    : { kind: 'unknown', detail: `the dispute does not show the answer: ${detail}` };
}

/** Only a status that nothing but evidence leads to. */
function isSubmitted({ status: told }: StripeDispute, to: DisputeType): boolean {
  const { status, type = to } = ownOf(STATUSES, told) ?? {};
  return type === to && (status === 'CHALLENGED' || status === 'WON' || status === 'LOST');
}

/** Our names of the evidence, by Stripe's; its own names go as they are. */
const NAMES: { readonly [name: string]: string } = {
  text: 'uncategorized_text',
  customerEmail: 'customer_email_address',
  shippingTrackingNumber: 'shipping_tracking_number',
};

/** An appeal takes one text, and no other evidence: the rest is appended to it. */
function formOf(evidence: object, type: DisputeType): FormFields {
  const texts = Object.entries(evidence).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'string' ? [[ownOf(NAMES, name) ?? name, value] as const] : [],
  );
  if (type !== 'APPEAL') return texts.map(([name, value]) => [`evidence[${name}]`, value]);
  const lines = texts.map(([name, value]) => (name === NAMES['text'] ? value : `${name}: ${value}`));
  return [['evidence[appeal][card][reason_for_filing]', lines.join('\n')]];
}

export async function readDispute(api: Api, { disputeId }: DisputeQuestion, call: Call): Promise<DisputeFound> {
  const told = await api.ask({ method: 'GET', path: pathOf(disputeId), shape: StripeDispute }, call);
  if (told.kind === 'error' && told.status === 404 && told.error.code === 'resource_missing')
    return { kind: 'not_found' };
  if (told.kind !== 'told') return { kind: 'unreachable', detail: told.detail };
  const dispute = told.value.id === disputeId ? noticeOf(told.value) : undefined;
  return dispute === undefined
    ? { kind: 'unreachable', detail: `it answered about another dispute, or with a fraction: ${told.detail}` }
    : { kind: 'found', dispute };
}
