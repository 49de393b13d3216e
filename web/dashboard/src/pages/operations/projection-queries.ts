// The queries about read models. The live stream brings the state of a rebuild; a query asks for it only while the
// stream is lost.
import { type QueryClient, queryOptions, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { type Asking, answerOf, api } from '../../app/api.ts';
import { type LiveMessage, useLive, useLiveState } from '../../app/live.ts';
import { KEYS } from '../../app/query-keys.ts';

/** Lag and documents, which no event reports. */
const LOOK_EVERY_MS = 4_000;
const WITHOUT_STREAM_MS = 1_000;

const readProjections = ({ signal }: Asking) => answerOf(api.GET('/dashboard/api/projections', { signal }));
export type ProjectionRow = Awaited<ReturnType<typeof readProjections>>['data'][number];
export type RebuildAnswer = NonNullable<ProjectionRow['rebuild']>;
export type ProofAnswer = NonNullable<RebuildAnswer['proof']>;

export const projectionsQuery = queryOptions({
  queryKey: [KEYS.operations, 'projections'],
  queryFn: readProjections,
  refetchInterval: LOOK_EVERY_MS,
});

/** The rebuild of one read model, while its dialog is open. */
export const rebuildQuery = (name: string) =>
  queryOptions({
    queryKey: [KEYS.operations, 'rebuild', name],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/dashboard/api/projections/{name}/rebuild', { params: { path: { name } }, signal })),
    retry: false,
  });

/** How often the query of a rebuild runs, in ms. */
export function useRebuildInterval(): number | false {
  return useLiveState() === 'live' ? false : WITHOUT_STREAM_MS;
}

/** Writes the live stream's messages about rebuilds into the cached responses while the component is shown. */
export function useRebuildNews(): void {
  const queries = useQueryClient();
  const hear = useCallback(
    ({ topic, rebuild }: LiveMessage): void => {
      if (topic === 'rebuild' && isRebuild(rebuild)) takeRebuild(queries, rebuild);
    },
    [queries],
  );
  useLive(hear);
}

const isRebuild = (told: unknown): told is RebuildAnswer =>
  typeof told === 'object' && told !== null && 'projection' in told && 'state' in told && 'step' in told;

export function takeRebuild(queries: QueryClient, rebuild: RebuildAnswer): void {
  const { projection, state } = rebuild;
  queries.setQueryData(rebuildQuery(projection).queryKey, rebuild);
  queries.setQueryData(
    projectionsQuery.queryKey,
    (list) => list && { ...list, data: list.data.map((row) => (row.name === projection ? { ...row, rebuild } : row)) },
  );
  if (state !== 'running') void queries.invalidateQueries({ queryKey: projectionsQuery.queryKey });
}
