// Shows the sign-in at the moment at which the session ends: the question is asked then, and not at the next click.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { sessionQuery } from './session.tsx';

/** The service's clock may be a little behind this one. */
const AFTER_MS = 500;
const LEAST_MS = 5_000;

/** In the frame, once. Another tab may have used the session meanwhile: then the answer names a later moment. */
export function useSessionEnd(): void {
  const queries = useQueryClient();
  const { data, dataUpdatedAt, errorUpdatedAt } = useQuery(sessionQuery);
  const endsInMs = data?.endsInMs;
  useEffect(() => {
    if (endsInMs === undefined) return;
    const ask = (): void => void queries.refetchQueries({ queryKey: sessionQuery.queryKey });
    const hasFailed = errorUpdatedAt > dataUpdatedAt;
    const left = endsInMs + AFTER_MS - (Date.now() - dataUpdatedAt);
    const timer = setTimeout(ask, hasFailed ? Math.max(LEAST_MS, left) : Math.max(AFTER_MS, left));
    return () => clearTimeout(timer);
  }, [queries, endsInMs, dataUpdatedAt, errorUpdatedAt]);
}
