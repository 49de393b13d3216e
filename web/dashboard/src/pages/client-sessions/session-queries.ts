// What the pages of client sessions ask of the API.

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../app/api.ts';
import type { components, paths } from '../../app/api-types.d.ts';
import { KEYS } from '../../app/query-keys.ts';
import { COUNT_AGAIN_MS } from '../../parts/totals-line.tsx';
import type { SessionSearch } from './session-search.ts';

type Schemas = components['schemas'];
export type SessionSummary = Schemas['SessionSummary'];
export type SessionDetail = Schemas['SessionDetail'];

const PAGE = 50;

type Query = NonNullable<paths['/dashboard/api/client-sessions']['get']['parameters']['query']>;
/** Its form alone: the API says which of them there are. */
const isStatus = <Status extends string>(text: string): text is Status => /^[A-Z_]+$/.test(text);

const filterOf = ({ status, derived_status, sort: _sort, ...others }: SessionSearch): Omit<Query, 'sort'> => ({
  ...others,
  ...(status !== undefined && isStatus<NonNullable<Query['status']>>(status) && { status }),
  ...(derived_status !== undefined &&
    isStatus<NonNullable<Query['derived_status']>>(derived_status) && { derived_status }),
});

/** Of all sessions that match; the totals before are shown until the new ones are there. */
export const sessionTotalsQuery = ({ sort: _sort, ...search }: SessionSearch) =>
  queryOptions({
    queryKey: [KEYS.sessionTotals, search],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/dashboard/api/client-session-totals', { params: { query: filterOf(search) }, signal })),
    refetchInterval: COUNT_AGAIN_MS,
    placeholderData: (before) => before,
  });

export const sessionsQuery = (search: SessionSearch) =>
  infiniteQueryOptions({
    queryKey: [KEYS.clientSessions, 'list', search],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => {
      const cursor = pageParam !== '' && { cursor: pageParam };
      const query: Query = {
        limit: PAGE,
        ...filterOf(search),
        ...(search.sort === 'oldest' && { sort: 'oldest' }),
        ...cursor,
      };
      return answerOf(api.GET('/dashboard/api/client-sessions', { params: { query }, signal }));
    },
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

export const sessionQueryOf = (id: string) =>
  queryOptions({
    queryKey: [KEYS.clientSessions, 'one', id],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/dashboard/api/client-sessions/{id}', { params: { path: { id } }, signal })),
  });
