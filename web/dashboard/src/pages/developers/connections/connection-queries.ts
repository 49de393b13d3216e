// The calls about the account's connections to processors.
import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../../app/api.ts';
import type { components } from '../../../app/api-types.d.ts';
import { withConfirmedPassword } from '../../../app/confirm-password.tsx';
import { queries } from '../../../app/queries.ts';
import { KEYS } from '../../../app/query-keys.ts';
import { under } from '../../../app/request-key.ts';

type Schemas = components['schemas'];
export type Connection = Schemas['DashboardConnection'];
export type ConnectionMade = Schemas['DashboardConnectionMade'];
export type EndedCall = Schemas['DashboardConnectionDetail']['calls'][number];
export type Examination = Schemas['DashboardConnectionExamination'];
export type BuiltIn = Schemas['DashboardConnections']['builtIn'][number];
export type ConnectionTotals = Schemas['DashboardConnectionTotals'];
type AskedReference = Schemas['DashboardAskedReference'];
type NewConnection = Schemas['DashboardNewConnection'];
type Rotation = Schemas['DashboardConnectionRotation'];

/** Calls to a processor are not events, so no message of the live stream reports them. */
const LOOK_EVERY_MS = 5_000;

export const connectionsQuery = queryOptions({
  queryKey: [KEYS.connections, 'list'],
  queryFn: ({ signal }) => answerOf(api.GET('/dashboard/api/connections', { signal })),
  refetchInterval: LOOK_EVERY_MS,
});

/** Sums of a month: they are read again less often than the circuits. */
const SUM_EVERY_MS = 60_000;

export const connectionTotalsQuery = queryOptions({
  queryKey: [KEYS.connections, 'totals'],
  queryFn: ({ signal }) => answerOf(api.GET('/dashboard/api/connection-totals', { signal })),
  refetchInterval: SUM_EVERY_MS,
  staleTime: SUM_EVERY_MS,
});

/** A person sets a secret and watches. */
const WATCH_EVERY_MS = 2_000;

/** Asks until the secret can be used, and seldom after that. The secret itself never comes here. */
export const referenceQuery = (asked: AskedReference) =>
  queryOptions({
    queryKey: [KEYS.connections, 'reference', asked],
    queryFn: ({ signal }) => answerOf(api.POST('/dashboard/api/connections/references/look', { body: asked, signal })),
    refetchInterval: ({ state }) => (state.data?.isUsable === true ? LOOK_EVERY_MS : WATCH_EVERY_MS),
    retry: false,
  });

const of = (id: string) => ({ params: { path: { id } } });

export const connectionQuery = (id: string) =>
  queryOptions({
    queryKey: [KEYS.connections, 'one', id],
    queryFn: ({ signal }) => answerOf(api.GET('/dashboard/api/connections/{id}', { ...of(id), signal })),
    refetchInterval: LOOK_EVERY_MS,
  });

async function change<Answer>(run: () => Promise<{ readonly data?: Answer }>): Promise<Answer> {
  const answer = await withConfirmedPassword(() => answerOf(run()));
  await queries.invalidateQueries({ queryKey: [KEYS.connections] });
  return answer;
}

/** `key`: the idempotency key of the connection that the user wants. */
export const addConnection = (body: NewConnection, key: string): Promise<ConnectionMade> =>
  change(() => api.POST('/dashboard/api/connections', { body, ...under(key) }));

export const rotateConnection = (id: string, body: Rotation, key: string): Promise<Connection> =>
  change(() => api.POST('/dashboard/api/connections/{id}/rotate', { ...of(id), body, ...under(key) }));

export const disableConnection = (id: string): Promise<Connection> =>
  change(() => api.POST('/dashboard/api/connections/{id}/disable', { ...of(id), body: {} }));

export const checkConnection = (id: string): Promise<Examination> =>
  answerOf(api.POST('/dashboard/api/connections/{id}/check', { ...of(id), body: {} }));
