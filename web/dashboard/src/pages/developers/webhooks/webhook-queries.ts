// The calls about webhook endpoints and the deliveries to them.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../../app/api.ts';
import type { components, paths } from '../../../app/api-types.d.ts';
import { withConfirmedPassword } from '../../../app/confirm-password.tsx';
import { queries } from '../../../app/queries.ts';
import { KEYS } from '../../../app/query-keys.ts';
import { under } from '../../../app/request-key.ts';
import type { DeliverySearch } from './delivery-search.ts';

type Schemas = components['schemas'];
export type WebhookEndpoint = Schemas['ManagedEndpoint'];
export type EndpointWithCounts = Schemas['CountedEndpoint'];
export type EndpointMade = Schemas['ManagedEndpointMade'];
type NewEndpoint = Schemas['NewManagedEndpoint'];
export type MessageType = NonNullable<NewEndpoint['events']>[number];
export type Delivery = Schemas['DashboardWebhookDelivery'];
export type PaymentDelivery = Schemas['DashboardPaymentDelivery'];
export type DeliveryLog = Schemas['DashboardWebhookDeliveryLog'];
export type DeliveryEntry = DeliveryLog['entries'][number];

export const endpointsQuery = queryOptions({
  queryKey: [KEYS.webhooks, 'endpoints'],
  queryFn: ({ signal }) => answerOf(api.GET('/dashboard/api/webhook-endpoints', { signal })),
});

const of = (id: string) => ({ params: { path: { id } } });

export const endpointQuery = (id: string) =>
  queryOptions({
    queryKey: [KEYS.webhooks, 'endpoint', id],
    queryFn: ({ signal }) => answerOf(api.GET('/dashboard/api/webhook-endpoints/{id}', { ...of(id), signal })),
  });

type DeliveryQuery = NonNullable<
  paths['/dashboard/api/webhook-endpoints/{id}/deliveries']['get']['parameters']['query']
>;

export const deliveriesQuery = (
  id: string,
  { status, type, payment_id, from_date, to_date }: DeliverySearch,
  types: readonly MessageType[],
) => {
  const known = types.find((one) => one === type);
  const filters: DeliveryQuery = {
    ...(status !== undefined && { status }),
    ...(known !== undefined && { type: known }),
    ...(payment_id !== undefined && { payment_id }),
    ...(from_date !== undefined && { from_date }),
    ...(to_date !== undefined && { to_date }),
  };
  return infiniteQueryOptions({
    queryKey: [KEYS.webhooks, 'deliveries', id, filters],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...filters, limit: 50, ...(pageParam !== '' && { cursor: pageParam }) };
      return answerOf(
        api.GET('/dashboard/api/webhook-endpoints/{id}/deliveries', { params: { path: { id }, query }, signal }),
      );
    },
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
};

export const paymentDeliveriesQuery = (paymentId: string) =>
  queryOptions({
    queryKey: [KEYS.webhooks, 'of-payment', paymentId],
    queryFn: ({ signal }) => answerOf(api.GET('/dashboard/api/payments/{id}/deliveries', { ...of(paymentId), signal })),
  });

export const deliveryQuery = (id: string) =>
  queryOptions({
    queryKey: [KEYS.webhooks, 'delivery', id],
    queryFn: ({ signal }) => answerOf(api.GET('/dashboard/api/webhook-deliveries/{id}', { ...of(id), signal })),
  });

/** Runs a change, and reloads the lists that it made stale. */
async function change<Answer>(run: () => Promise<{ readonly data?: Answer }>): Promise<Answer> {
  const answer = await answerOf(run());
  await queries.invalidateQueries({ queryKey: [KEYS.webhooks] });
  return answer;
}

export const addEndpoint = (body: NewEndpoint, key: string): Promise<EndpointMade> =>
  withConfirmedPassword(() => change(() => api.POST('/dashboard/api/webhook-endpoints', { body, ...under(key) })));

/** `overlapMs`: how long the previous secret stays valid, in ms. */
export const rotateSecret = (id: string, overlapMs: number, key: string): Promise<EndpointMade> =>
  withConfirmedPassword(() =>
    change(() =>
      api.POST('/dashboard/api/webhook-endpoints/{id}/rotate-secret', {
        ...of(id),
        body: { overlapMs },
        ...under(key),
      }),
    ),
  );

/** `version`: the one that the user saw. */
export const changeEndpoint = (
  id: string,
  body: Schemas['ChangedManagedEndpoint'],
  version: number,
  key: string,
): Promise<WebhookEndpoint> =>
  withConfirmedPassword(() =>
    change(() =>
      api.PATCH('/dashboard/api/webhook-endpoints/{id}', {
        ...of(id),
        body,
        headers: { ...under(key).headers, 'If-Match': `"${version}"` },
      }),
    ),
  );

export const deleteEndpoint = (id: string): Promise<WebhookEndpoint> =>
  withConfirmedPassword(() =>
    change(() => api.DELETE('/dashboard/api/webhook-endpoints/{id}', { ...of(id), body: {} })),
  );

export const disableEndpoint = (id: string): Promise<WebhookEndpoint> =>
  withConfirmedPassword(() =>
    change(() => api.POST('/dashboard/api/webhook-endpoints/{id}/disable', { ...of(id), body: {} })),
  );

export const resend = (id: string, key: string): Promise<Delivery> =>
  change(() => api.POST('/dashboard/api/webhook-deliveries/{id}/resend', { ...of(id), body: {}, ...under(key) }));

/** `since`: RFC 3339. */
export const untakenQuery = (id: string, since: string) =>
  queryOptions({
    queryKey: [KEYS.webhooks, 'untaken', id, since],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/dashboard/api/webhook-endpoints/{id}/untaken', {
          params: { path: { id }, query: { since } },
          signal,
        }),
      ),
  });

/** Resends one batch; `cursor` continues after the previous one. */
export const resendBatch = (
  id: string,
  body: Schemas['DashboardUntakenResend'],
): Promise<Schemas['DashboardMessagesResent']> =>
  change(() => api.POST('/dashboard/api/webhook-endpoints/{id}/resend', { ...of(id), body }));
