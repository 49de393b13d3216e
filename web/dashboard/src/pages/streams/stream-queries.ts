// The answers about one stream: its events page by page, its state at a revision, the proof of its chain.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../app/api.ts';

const PAGE = 100;

const readEvents = (name: string, after: number) =>
  answerOf(api.GET('/dashboard/api/streams/{name}/events', { params: { path: { name }, query: { after, limit: PAGE } } }));
export type StreamEvent = Awaited<ReturnType<typeof readEvents>>['data'][number];
export type StreamBreak = Awaited<ReturnType<typeof readEvents>>['broken'];

export const eventsQuery = (name: string) =>
  infiniteQueryOptions({
    queryKey: ['streams', name, 'events'],
    queryFn: ({ pageParam }) => readEvents(name, pageParam),
    initialPageParam: -1,
    getNextPageParam: ({ nextAfter }) => nextAfter,
  });

/** What was recorded stays as it is: the state at a revision never changes. */
export const stateQuery = (name: string, revision: number) =>
  queryOptions({
    queryKey: ['streams', name, 'state', revision],
    queryFn: () => answerOf(api.GET('/dashboard/api/streams/{name}/state', { params: { path: { name }, query: { revision } } })),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });

const readProof = (name: string) => answerOf(api.GET('/dashboard/api/streams/{name}/verification', { params: { path: { name } } }));
export type ChainProof = Awaited<ReturnType<typeof readProof>>;

/** Asked when the user asks. */
export const proofQuery = (name: string) =>
  queryOptions({ queryKey: ['streams', name, 'proof'], queryFn: () => readProof(name), enabled: false, staleTime: 0, gcTime: 0 });
