// The answers about read models, asked again while something moves.
import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../app/api.ts';

const CALM_MS = 4_000;
const BUSY_MS = 500;

const readProjections = () => answerOf(api.GET('/dashboard/api/projections'));
export type ProjectionRow = Awaited<ReturnType<typeof readProjections>>['data'][number];
export type RebuildAnswer = NonNullable<ProjectionRow['rebuild']>;
export type ProofAnswer = NonNullable<RebuildAnswer['proof']>;

const isBusy = ({ state, rebuild }: ProjectionRow): boolean => state !== 'live' || rebuild?.state === 'running';

export const projectionsQuery = queryOptions({
  queryKey: ['operations', 'projections'],
  queryFn: readProjections,
  refetchInterval: ({ state: { data } }) => (data?.data.some(isBusy) === true ? BUSY_MS * 2 : CALM_MS),
});

/** Of one read model, while its dialog is open. */
export const rebuildQuery = (name: string) =>
  queryOptions({
    queryKey: ['operations', 'rebuild', name],
    queryFn: () => answerOf(api.GET('/dashboard/api/projections/{name}/rebuild', { params: { path: { name } } })),
    refetchInterval: ({ state: { data } }) => (data?.state === 'running' ? BUSY_MS : false),
    retry: false,
    staleTime: 0,
  });
