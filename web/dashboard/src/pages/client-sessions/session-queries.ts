// What the pages of client sessions ask of the API.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../app/api.ts';
import type { components } from '../../app/api-types.d.ts';
import { KEYS } from '../../app/query-keys.ts';
import type { SessionSearch } from './session-search.ts';

type Schemas = components['schemas'];
export type SessionSummary = Schemas['SessionSummary'];
export type SessionDetail = Schemas['SessionDetail'];

const PAGE = 50;

export const sessionsQuery = ({ order_id }: SessionSearch) =>
  infiniteQueryOptions({
    queryKey: [KEYS.clientSessions, 'list', order_id ?? ''],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: PAGE, ...(order_id !== undefined && { order_id }), ...(pageParam !== '' && { cursor: pageParam }) };
      return answerOf(api.GET('/dashboard/api/client-sessions', { params: { query }, signal }));
    },
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

export const sessionQueryOf = (id: string) =>
  queryOptions({
    queryKey: [KEYS.clientSessions, 'one', id],
    queryFn: ({ signal }) => answerOf(api.GET('/dashboard/api/client-sessions/{id}', { params: { path: { id } }, signal })),
  });
