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

/** The last hour moves on, even if no event makes the list stale. */
const HOUR_MOVES_MS = 60_000;

export const endpointsQuery = queryOptions({
  queryKey: [KEYS.webhooks, 'endpoints'],
  queryFn: ({ signal }) => answerOf(api.GET('/dashboard/api/webhook-endpoints', { signal })),
  refetchInterval: HOUR_MOVES_MS,
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

/** The messages that were not taken since a time. */
interface Untaken {
  readonly count: number;
  /** True if there are more than were counted. */
  readonly isMore: boolean;
  /** The moment of the count: a request to resend repeats it. */
  readonly asOf: string;
  /** Each endpoint with its own count, where all endpoints are counted; otherwise empty. */
  readonly endpoints: Schemas['DashboardAccountUntaken']['data'];
}

async function countOfEndpoint(id: string, since: string, signal: AbortSignal): Promise<Untaken> {
  const path = '/dashboard/api/webhook-endpoints/{id}/untaken';
  const counted = await answerOf(api.GET(path, { params: { path: { id }, query: { since } }, signal }));
  return { ...counted, endpoints: [] };
}

async function countOfAll(since: string, signal: AbortSignal): Promise<Untaken> {
  const { data, asOf } = await answerOf(
    api.GET('/dashboard/api/webhooks/untaken', { params: { query: { since } }, signal }),
  );
  return {
    count: data.reduce((sum, one) => sum + one.count, 0),
    isMore: data.some(({ isMore }) => isMore),
    asOf,
    endpoints: data,
  };
}

/** `id`: of an endpoint; undefined for all of the account. `since`: RFC 3339. */
export const untakenQuery = (id: string | undefined, since: string) =>
  queryOptions({
    queryKey: [KEYS.webhooks, 'untaken', id ?? 'all', since],
    queryFn: ({ signal }) => (id === undefined ? countOfAll(since, signal) : countOfEndpoint(id, since, signal)),
  });

/** Resends one batch, of one endpoint or of all; `cursor` continues after the previous one. */
export const resendBatch = (
  id: string | undefined,
  body: Schemas['DashboardUntakenResend'],
): Promise<Schemas['DashboardMessagesResent']> =>
  change(() =>
    id === undefined
      ? api.POST('/dashboard/api/webhooks/resend', { body })
      : api.POST('/dashboard/api/webhook-endpoints/{id}/resend', { ...of(id), body }),
  );
