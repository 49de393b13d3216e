// What the pages of agreements ask of the API.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../app/api.ts';
import { queries } from '../../app/queries.ts';
import { KEYS } from '../../app/query-keys.ts';
import { under } from '../../app/request-key.ts';
import type { AgreementSearch } from './agreement-search.ts';

const PAGE = 50;

export const agreementsQuery = (search: AgreementSearch) =>
  infiniteQueryOptions({
    queryKey: [KEYS.agreements, 'list', search],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: PAGE, ...search, ...(pageParam !== '' && { cursor: pageParam }) };
      return answerOf(api.GET('/dashboard/api/agreements', { params: { query }, signal }));
    },
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

export const agreementQueryOf = (id: string) =>
  queryOptions({
    queryKey: [KEYS.agreements, 'one', id],
    queryFn: ({ signal }) => answerOf(api.GET('/dashboard/api/agreements/{id}', { params: { path: { id } }, signal })),
  });

export const triesQueryOf = (id: string) =>
  queryOptions({
    queryKey: [KEYS.agreements, 'tries', id],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/dashboard/api/agreements/{id}/tries', { params: { path: { id } }, signal })),
  });

/** Many are added up by time, and not at each event (isCostly). */
const ADD_UP_AGAIN_MS = 60_000;

export const revenueAtRiskQuery = queryOptions({
  queryKey: [KEYS.agreements, 'at risk'],
  queryFn: ({ signal }) => answerOf(api.GET('/dashboard/api/revenue-at-risk', { signal })),
  refetchInterval: ADD_UP_AGAIN_MS,
});

export type Change = 'pause' | 'resume' | 'cancel';

/** `key`: of the dialog. `reason`: of a cancellation, or ''. Throws ApiFault. */
export async function changeAgreement(id: string, change: Change, key: string, reason: string): Promise<void> {
  const asked = { params: { path: { id } }, ...under(key) };
  await answerOf(
    change === 'cancel'
      ? api.POST('/dashboard/api/agreements/{id}/cancel', { ...asked, body: reason === '' ? {} : { reason } })
      : change === 'pause'
        ? api.POST('/dashboard/api/agreements/{id}/pause', { ...asked, body: {} })
        : api.POST('/dashboard/api/agreements/{id}/resume', { ...asked, body: {} }),
  );
  await queries.invalidateQueries({ queryKey: [KEYS.agreements] });
}
