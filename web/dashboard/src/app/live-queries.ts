// Queries that an event has made stale run again. A long list shows a notice instead, and its reader reloads it.
import { type InfiniteData, type Query, type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { type LiveMessage, useLive, useLiveState } from './live.ts';
import { LiveRefresh } from './live-refresh.ts';
import { isCostly, isLong, isOld } from './query-keys.ts';

/** Long lists that an event has made stale. */
const changed = new WeakSet<Query>();
const listeners = new Set<() => void>();

function setChanged(query: Query, isChanged: boolean): void {
  if (isChanged) changed.add(query);
  else changed.delete(query);
  for (const tell of listeners) tell();
}

function ask(queries: QueryClient, topics: ReadonlySet<string>): Promise<unknown> {
  const isNamed = ({ queryKey }: Query): boolean => isOld(queryKey, topics);
  for (const query of queries.getQueryCache().findAll({ predicate: isNamed }))
    if (isLong(query.state.data)) setChanged(query, true);
  const isAsked = (query: Query): boolean => isNamed(query) && !isLong(query.state.data) && !isCostly(query.state.data);
  return queries.invalidateQueries({ predicate: isAsked });
}

/** Runs the active queries again that an event has made stale. Used once, in the frame. */
export function useLiveQueries(): void {
  const queries = useQueryClient();
  const [refresh] = useState(() => new LiveRefresh((topics) => ask(queries, topics)));
  useLive(useCallback(({ topic }: LiveMessage): void => refresh.hear(topic), [refresh]));
  const state = useLiveState();
  useEffect(() => {
    // Queries that failed meanwhile run now. The stream reports what the others missed.
    if (state === 'live')
      void queries.refetchQueries({ type: 'active', predicate: (query) => query.state.status === 'error' });
  }, [queries, state]);
  useEffect(() => () => refresh.stop(), [refresh]);
}

const subscribe = (tell: () => void): (() => void) => {
  listeners.add(tell);
  return () => listeners.delete(tell);
};

/** A function that reloads the first page of a list and drops the others, or undefined if the list has not changed
 * since its pages were read. */
export function useReadAnew(queryKey: QueryKey): (() => void) | undefined {
  const queries = useQueryClient();
  const isChanged = useSyncExternalStore(subscribe, () => {
    const query = queries.getQueryCache().find({ queryKey });
    return query !== undefined && changed.has(query);
  });
  if (!isChanged) return undefined;
  return () => {
    const query = queries.getQueryCache().find({ queryKey });
    if (query !== undefined) setChanged(query, false);
    queries.setQueryData<InfiniteData<unknown>>(queryKey, (list) => list && firstOf(list));
    window.scrollTo({ top: 0 });
    void queries.invalidateQueries({ queryKey, exact: true });
  };
}

const firstOf = ({ pages, pageParams }: InfiniteData<unknown>): InfiniteData<unknown> => ({
  pages: pages.slice(0, 1),
  pageParams: pageParams.slice(0, 1),
});
