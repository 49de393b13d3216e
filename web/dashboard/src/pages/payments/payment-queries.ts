// The queries of the pages of payments, and how long a response is shown.

import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../app/api.ts';
import type { components } from '../../app/api-types.d.ts';
import { KEYS } from '../../app/query-keys.ts';
import { COUNT_AGAIN_MS } from '../../parts/totals-line.tsx';
import { type PaymentSearch, paymentFilter, paymentQuery } from './payment-filters.ts';

type Schemas = components['schemas'];
export type PaymentItem = Schemas['ListedPayment'];
export type Payment = Schemas['Payment'];
export type PaymentDetail = Schemas['PaymentDetail'];
export type StoryEvent = Schemas['PaymentStory']['data'][number];
export type StoredEvent = Schemas['StoredEvents']['data'][number];
export type OpenAttempt = PaymentDetail['openAttempts'][number];
export type OpenDisputeAnswer = PaymentDetail['openDisputeAnswers'][number];

/** While an outcome is not known, the page asks again automatically. */
const ASK_AGAIN_MS = 3_000;

export const paymentsQuery = (search: PaymentSearch) =>
  infiniteQueryOptions({
    queryKey: [KEYS.payments, 'list', search],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => pageOf(search, pageParam, signal),
    getNextPageParam: ({ nextCursor }: PaymentsPart) => nextCursor,
  });

/** Of all payments that match; the totals before are shown until the new ones are there. */
export const totalsQuery = ({ sort: _sort, ...search }: PaymentSearch) =>
  queryOptions({
    queryKey: [KEYS.paymentTotals, search],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/dashboard/api/payment-totals', { params: { query: paymentFilter(search) }, signal })),
    refetchInterval: COUNT_AGAIN_MS,
    placeholderData: (before) => before,
  });

/** The codes of declined payments that are known before any processor reports another. */
export const declineCodesQuery = queryOptions({
  queryKey: [KEYS.declineCodes],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: ({ signal }) => answerOf(api.GET('/dashboard/api/decline-codes', { signal })),
});

/** A page of the list; `pending` beside the payments with an unknown outcome only. */
export type PaymentsPart = Pick<Schemas['ListedPayments'], 'data' | 'nextCursor'> &
  Partial<Pick<Schemas['UnresolvedPayments'], 'pending'>>;

async function pageOf(search: PaymentSearch, cursor: string, signal: AbortSignal): Promise<PaymentsPart> {
  if (search.show === 'unresolved') return answerOf(api.GET('/dashboard/api/unresolved-payments', { signal }));
  const query = paymentQuery(search, cursor === '' ? undefined : cursor);
  return answerOf(api.GET('/dashboard/api/payments', { params: { query }, signal }));
}

export const paymentQueryOf = (id: string) =>
  queryOptions({
    queryKey: [KEYS.payments, 'one', id],
    queryFn: ({ signal }) => answerOf(api.GET('/dashboard/api/payments/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state: { data } }) =>
      data !== undefined && data.openAttempts.length + data.openDisputeAnswers.length > 0 ? ASK_AGAIN_MS : false,
  });

/** `version`: of the payment. Its history is loaded again when the version has changed. */
export const storyQuery = (id: string, version: number) =>
  queryOptions({
    queryKey: [KEYS.payments, 'story', id, version],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/dashboard/api/payments/{id}/events', { params: { path: { id } }, signal })),
    placeholderData: (before) => before,
  });

export const storedEventsQuery = (id: string, version: number) =>
  queryOptions({
    queryKey: [KEYS.payments, 'stored', id, version],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/dashboard/api/payments/{id}/stored-events', { params: { path: { id } }, signal })),
  });

/** After a payment was changed here, or elsewhere. */
export async function refreshPayments(queries: QueryClient): Promise<void> {
  void queries.invalidateQueries({ queryKey: [KEYS.paymentTotals] });
  await queries.invalidateQueries({ queryKey: [KEYS.payments] });
}
