// What the pages of disputes ask of the API.
import { infiniteQueryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../app/api.ts';
import type { components } from '../../app/api-types.d.ts';
import { KEYS } from '../../app/query-keys.ts';
import type { DisputeSearch } from './dispute-search.ts';

export type ListedDispute = components['schemas']['DisputeList']['data'][number];
export type Dispute = components['schemas']['Dispute'];

export const disputesQuery = ({ status }: DisputeSearch) =>
  infiniteQueryOptions({
    queryKey: [KEYS.disputes, status ?? ''],
    initialPageParam: '',
    queryFn: ({ pageParam: cursor, signal }) => {
      const query = { ...(status !== undefined && { status }), ...(cursor !== '' && { cursor }) };
      return answerOf(api.GET('/dashboard/api/disputes', { params: { query }, signal }));
    },
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
