// Refunds: made under our reference, and found among all those of the PaymentIntent by it.
import type { LookUp, Outcome } from '../../domain/payment/outcome.ts';
import type { Call, OperationRequest } from '../processor.ts';
import type { Api, FormFields } from './api.ts';
import { readAtOnce, succeeded, undoneBy, unreadBy } from './grading.ts';
import { Refund, RefundPage } from './wire.ts';

type RefundAsked = Extract<OperationRequest, { readonly operation: 'refund' }>;
export const REFUNDS = '/v1/refunds';
/** Stripe's largest page. */
const PAGE = 100;
/** More refunds than any payment has: a list without an end is none. */
const MOST_PAGES = 100;

interface Refunded {
  /** Stripe's name of the PaymentIntent. */
  readonly name: string;
  /** Stripe's units. */
  readonly amount: number;
}
/** The parameters of the request for a refund. */
export const refundOf = (reference: string, { name, amount }: Refunded): FormFields => [
  ['payment_intent', name],
  ['amount', amount],
  ['metadata[counterfoil_reference]', reference],
];

export async function refund(api: Api, request: RefundAsked, { name, amount }: Refunded, call: Call): Promise<Outcome> {
  const { reference } = request;
  const form = refundOf(reference, { name, amount });
  const told = await api.ask({ method: 'POST', path: REFUNDS, key: reference, form, shape: Refund }, call);
  if (told.kind !== 'told') return readAtOnce(undoneBy(told), told, () => lookUpRefund(api, request, name, call));
  const { value, detail } = told;
  return isOf(value, name, reference)
    ? refundOutcome(value, detail)
    : { kind: 'unknown', detail: `it answered about another refund: ${detail}` };
}

const isOf = ({ payment_intent: intent, metadata }: Refund, name: string, reference: string): boolean =>
  intent === name && metadata?.['counterfoil_reference'] === reference;

export async function lookUpRefund(api: Api, { reference }: RefundAsked, name: string, call: Call): Promise<LookUp> {
  const listed = await refundsOf(api, name, call, (one) => isOf(one, name, reference));
  if (listed.kind !== 'listed') return listed;
  const found = listed.refunds.at(-1);
  return found !== undefined && isOf(found, name, reference)
    ? refundOutcome(found, listed.detail)
    : { kind: 'not_found' };
}

type Unread = Extract<LookUp, { readonly kind: 'unknown' | 'unreachable' }>;
interface Listed {
  readonly kind: 'listed';
  readonly refunds: readonly Refund[];
  /** That of the last page. */
  readonly detail: string;
}

/** By reads of one page after the other, the newest refunds first; up to the first that `isLast`. */
export async function refundsOf(
  api: Api,
  name: string,
  call: Call,
  isLast: (one: Refund) => boolean = () => false,
): Promise<Listed | Unread> {
  const refunds: Refund[] = [];
  let after: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const told = await api.ask(
      {
        method: 'GET',
        path: REFUNDS,
        form: [
          ['payment_intent', name],
          ['limit', PAGE],
          ['starting_after', after],
        ],
        shape: RefundPage,
      },
      call,
    );
    if (told.kind !== 'told') return unreadBy(told);
    const { data, has_more: hasMore } = told.value;
    if (data.some((one) => one.payment_intent !== name))
      return { kind: 'unreachable', detail: `it listed refunds of another PaymentIntent: ${told.detail}` };
    const end = data.findIndex(isLast);
    refunds.push(...(end < 0 ? data : data.slice(0, end + 1)));
    const last = data.at(-1)?.id;
    if (end >= 0 || !hasMore) return { kind: 'listed', refunds, detail: told.detail };
    if (last === undefined) return { kind: 'unreachable', detail: `a page without refunds has more: ${told.detail}` };
    after = last;
  }
  return { kind: 'unreachable', detail: `the list of refunds has more than ${MOST_PAGES} pages` };
}

export function refundOutcome(
  { id, status, amount, currency, failure_reason: reason }: Refund,
  detail: string,
): Extract<Outcome, { readonly kind: 'succeeded' | 'declined' | 'pending' | 'unknown' }> {
  switch (status) {
    case 'succeeded':
      return succeeded(id, { amount, currency, detail });
    case 'pending':
    case 'requires_action':
      return { kind: 'pending', processorTransactionId: id };
    case 'failed':
    case 'canceled':
      return {
        kind: 'declined',
        code: reason === 'expired_or_canceled_card' ? 'EXPIRED_CARD' : 'GENERIC_DECLINE',
        declineType: 'HARD',
        processorTransactionId: id,
      };
    default:
      return { kind: 'unknown', detail: `the status of the refund is new: ${detail}` };
  }
}
