// The queries of the request log, and the filters in the page's URL.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../app/api.ts';
import type { paths } from '../../app/api-types.d.ts';
import { KEYS } from '../../app/query-keys.ts';

type Query = NonNullable<paths['/dashboard/api/requests']['get']['parameters']['query']>;

export interface RequestSearch {
  readonly status?: string;
  readonly method?: string;
  readonly route?: string;
  readonly key?: string;
  readonly payment?: string;
  readonly diagnostics_id?: string;
  /** Moments of business time, RFC 3339; both ends count. */
  readonly from_date?: string;
  readonly to_date?: string;
  /** The request whose drawer is open. */
  readonly request?: string;
}

const NAMES = [
  'status',
  'method',
  'route',
  'key',
  'payment',
  'diagnostics_id',
  'from_date',
  'to_date',
  'request',
] as const;
export const STATUSES = ['2xx', '3xx', '4xx', '5xx'] as const;
export const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const;

/** Whatever an address holds: unknown names, and dates that are none, are left out. */
export const readSearch = (search: Readonly<Record<string, unknown>>): RequestSearch =>
  Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = search[name];
      if (typeof value !== 'string' || value === '') return [];
      return name.endsWith('_date') && Number.isNaN(Date.parse(value)) ? [] : [[name, value]];
    }),
  );

const oneOf = <Value extends string>(values: readonly Value[], text: string | undefined): Value[] | undefined => {
  const found = values.filter((value) => value === text);
  return found.length === 0 ? undefined : found;
};

function queryOf({ status, method, route, key, payment, ...search }: RequestSearch): Query {
  const { diagnostics_id, from_date, to_date } = search;
  const [statuses, methods] = [oneOf(STATUSES, status), oneOf(METHODS, method)];
  return {
    ...(statuses !== undefined && { status: statuses }),
    ...(methods !== undefined && { method: methods }),
    ...(route !== undefined && { route }),
    ...(key !== undefined && { key }),
    ...(payment !== undefined && { payment }),
    ...(diagnostics_id !== undefined && { diagnostics_id }),
    ...(from_date !== undefined && { from_date }),
    ...(to_date !== undefined && { to_date }),
  };
}

const REFRESH_MS = 5_000;

export const requestsQuery = (search: RequestSearch) => {
  const { request: _open, ...filters } = search;
  return infiniteQueryOptions({
    queryKey: [KEYS.requests, 'list', filters],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...queryOf(filters), limit: 50, ...(pageParam !== '' && { after: pageParam }) };
      return answerOf(api.GET('/dashboard/api/requests', { params: { query }, signal }));
    },
    initialPageParam: '',
    getNextPageParam: ({ nextAfter }) => nextAfter,
    // Requests are not events, so the list is loaded again while it is on screen and short.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 1) === 1 ? REFRESH_MS : false),
  });
};

export const requestQuery = (id: string) =>
  queryOptions({
    queryKey: [KEYS.requests, 'one', id],
    queryFn: ({ signal }) => answerOf(api.GET('/dashboard/api/requests/{id}', { params: { path: { id } }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });

export type LoggedRequest =
  paths['/dashboard/api/requests/{id}']['get']['responses']['200']['content']['application/json'];
