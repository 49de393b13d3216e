// Disputes: read, and answered once, with evidence or by accepting them.
import type { DisputeStatus } from '../../domain/dispute-status.ts';
import type { Outcome } from '../../domain/payment/outcome.ts';
import type { Call, DisputeFound, DisputeNotice, DisputeQuestion, DisputeRequest } from '../processor.ts';
import { fromStripe } from './amounts.ts';
import type { Api } from './api.ts';
import { ownOf } from './declines.ts';
import type { FormFields } from './form.ts';
import { succeeded, undoneBy } from './grading.ts';
import { StripeDispute } from './wire.ts';

/** Stripe's limit of all fields together, in characters. */
const LONGEST_EVIDENCE = 150_000;

const STATUSES: { readonly [status: string]: DisputeStatus } = {
  needs_response: 'OPEN',
  warning_needs_response: 'OPEN',
  under_review: 'CHALLENGED',
  warning_under_review: 'CHALLENGED',
  won: 'WON',
  warning_closed: 'WON',
  lost: 'LOST',
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
    status: ownOf(STATUSES, status) ?? status,
    amount,
    currencyCode: currency.toUpperCase(),
    ...(reason != null && { reason }),
    ...(reasonCode != null && { reasonCode }),
    ...(created != null && { openedAt: created * 1_000 }),
    ...(dueBy != null && { challengeRequiredBy: dueBy * 1_000 }),
  };
}

const pathOf = (dispute: string): string => `/v1/disputes/${encodeURIComponent(dispute)}`;

export async function answerDispute(
  api: Api,
  { disputeId, reference, answer }: DisputeRequest,
  call: Call,
): Promise<Outcome> {
  const evidence = answer === 'accept' ? [] : formOf(answer.evidence);
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
  const isDone = answer === 'accept' ? value.status === 'lost' : !answer.submit || isSubmitted(value);
  return isDone
    ? succeeded(disputeId, { ...value, detail })
    : { kind: 'unknown', detail: `the dispute does not show the answer: ${detail}` };
}

const isSubmitted = ({ status }: StripeDispute): boolean => ownOf(STATUSES, status) !== 'OPEN';

/** Our names of the evidence, by Stripe's; its own names go as they are. */
const NAMES: { readonly [name: string]: string } = {
  text: 'uncategorized_text',
  customerEmail: 'customer_email_address',
  shippingTrackingNumber: 'shipping_tracking_number',
};

const formOf = (evidence: object): FormFields =>
  Object.entries(evidence).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'string' ? [[`evidence[${ownOf(NAMES, name) ?? name}]`, value] as const] : [],
  );

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
