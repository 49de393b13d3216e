// The calls about payment links.
import { infiniteQueryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../app/api.ts';
import type { components } from '../../app/api-types.d.ts';
import { queries } from '../../app/queries.ts';
import { KEYS } from '../../app/query-keys.ts';
import { under } from '../../app/request-key.ts';

export type PaymentLink = components['schemas']['PaymentLink'];
export type NewPaymentLink = components['schemas']['CreatePaymentLink'];

const PAGE = 50;

export const paymentLinksQuery = infiniteQueryOptions({
  queryKey: [KEYS.paymentLinks],
  initialPageParam: '',
  queryFn: ({ pageParam, signal }) => {
    const query = { limit: PAGE, ...(pageParam !== '' && { cursor: pageParam }) };
    return answerOf(api.GET('/dashboard/api/payment-links', { params: { query }, signal }));
  },
  getNextPageParam: ({ nextCursor }) => nextCursor,
});

async function change(run: () => Promise<{ readonly data?: PaymentLink }>): Promise<PaymentLink> {
  const link = await answerOf(run());
  await queries.invalidateQueries(paymentLinksQuery);
  return link;
}

export const createLink = (body: NewPaymentLink, key: string): Promise<PaymentLink> =>
  change(() => api.POST('/dashboard/api/payment-links', { body, ...under(key) }));

export const cancelLink = (id: string): Promise<PaymentLink> =>
  change(() => api.POST('/dashboard/api/payment-links/{id}/cancel', { params: { path: { id } }, body: {} }));
