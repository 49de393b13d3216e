// The answers about one stream: its events page by page, its state at a revision, the proof of its chain.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Asking, answerOf, api } from '../../app/api.ts';
import { KEYS } from '../../app/query-keys.ts';

const PAGE = 100;

const readEvents = (name: string, after: number, signal: AbortSignal) =>
  answerOf(
    api.GET('/dashboard/api/streams/{name}/events', {
      params: { path: { name }, query: { after, limit: PAGE } },
      signal,
    }),
  );
export type StreamEvent = Awaited<ReturnType<typeof readEvents>>['data'][number];

export const eventsQuery = (name: string) =>
  infiniteQueryOptions({
    queryKey: [KEYS.streams, name, 'events'],
    queryFn: ({ pageParam, signal }) => readEvents(name, pageParam, signal),
    initialPageParam: -1,
    getNextPageParam: ({ nextAfter }) => nextAfter,
  });

/** What was recorded stays as it is: the state at a revision never changes. */
export const stateQuery = (name: string, revision: number) =>
  queryOptions({
    queryKey: [KEYS.streams, name, 'state', revision],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/dashboard/api/streams/{name}/state', { params: { path: { name }, query: { revision } }, signal }),
      ),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });

const readProof = (name: string, { signal }: Asking) =>
  answerOf(api.GET('/dashboard/api/streams/{name}/verification', { params: { path: { name } }, signal }));
export type ChainProof = Awaited<ReturnType<typeof readProof>>;

/** Asked when the user asks. */
export const proofQuery = (name: string) =>
  queryOptions({
    queryKey: [KEYS.streams, name, 'proof'],
    queryFn: (asking) => readProof(name, asking),
    enabled: false,
    staleTime: 0,
    gcTime: 0,
  });
