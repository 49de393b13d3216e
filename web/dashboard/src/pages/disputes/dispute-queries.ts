// What the pages of disputes ask of the API.

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../app/api.ts';
import type { components, paths } from '../../app/api-types.d.ts';
import { KEYS } from '../../app/query-keys.ts';
import { COUNT_AGAIN_MS } from '../../parts/totals-line.tsx';
import type { DisputeSearch } from './dispute-search.ts';

export type ListedDispute = components['schemas']['DisputeList']['data'][number];
export type Dispute = components['schemas']['Dispute'];

type Query = NonNullable<paths['/dashboard/api/disputes']['get']['parameters']['query']>;
type Currency = NonNullable<Query['currency_code']>;
/** Its form. The API knows which currencies exist. */
const isCurrency = (text: string | undefined): text is Currency => text !== undefined && /^[A-Z]{3}$/.test(text);

const filterOf = ({ status, currency_code }: DisputeSearch): Pick<Query, 'status' | 'currency_code'> => ({
  ...(status !== undefined && { status }),
  ...(isCurrency(currency_code) && { currency_code }),
});

export const disputesQuery = (search: DisputeSearch) =>
  infiniteQueryOptions({
    queryKey: [KEYS.disputes, 'list', search],
    initialPageParam: '',
    queryFn: ({ pageParam: cursor, signal }) => {
      const sort = search.sort !== undefined && { sort: search.sort };
      const query: Query = { ...filterOf(search), ...sort, ...(cursor !== '' && { cursor }) };
      return answerOf(api.GET('/dashboard/api/disputes', { params: { query }, signal }));
    },
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

/** Of all disputes that match; the totals before are shown until the new ones are there. */
export const disputeTotalsQuery = ({ sort: _sort, ...search }: DisputeSearch) =>
  queryOptions({
    queryKey: [KEYS.disputeTotals, search],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/dashboard/api/dispute-totals', { params: { query: filterOf(search) }, signal })),
    refetchInterval: COUNT_AGAIN_MS,
    placeholderData: (before) => before,
  });
