// The user who is signed in: asked once, kept for all pages; without one the way leads to the sign-in.
import { queryOptions, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ApiFault, type Asking, answerOf, api, whenSignedOut } from './api.ts';
import type { components } from './api-types.d.ts';
import { queries } from './queries.ts';
import { KEYS } from './query-keys.ts';

type SignedInUser = components['schemas']['Me'];
export type Role = SignedInUser['role'];

const FRESH_MS = 60_000;

/** Null: nobody is signed in. That is an answer like another: the sign-in stays as it is while it is asked again. */
async function readSession({ signal }: Asking): Promise<SignedInUser | null> {
  try {
    return await answerOf(api.GET('/dashboard/api/me', { signal }));
  } catch (fault) {
    if (fault instanceof ApiFault && fault.status === 401) return null;
    throw fault;
  }
}

export const sessionQuery = queryOptions({
  queryKey: [KEYS.me],
  queryFn: readSession,
  // Another tab may have signed in meanwhile.
  staleTime: ({ state }) => (state.data === null ? 0 : FRESH_MS),
});

/** The user of this page; the frame has asked for it before any page is drawn. */
export function useUser(): SignedInUser {
  const { data } = useSuspenseQuery(sessionQuery);
  if (data === null) throw new Error('nobody is signed in, and the frame draws no page then');
  return data;
}

/** Whether the user has one of these roles: for what is shown. The server decides by itself. */
export function useMay(...roles: readonly Role[]): boolean {
  return roles.includes(useUser().role);
}

/** A user who has just signed in: nothing of another user stays in this tab. */
export function enter(user: SignedInUser): void {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
  queries.setQueryData(sessionQuery.queryKey, user);
}

/** The question itself may be what was refused. */
const ONE_AT_A_TIME = { cancelRefetch: false };

// A session that has ended meanwhile: the frame asks again, hears it, and shows the sign-in in the page's place.
whenSignedOut(() => {
  const known = queries.getQueryData(sessionQuery.queryKey);
  if (known !== undefined && known !== null) void queries.invalidateQueries(sessionQuery, ONE_AT_A_TIME);
});

/** Ends the session on the server, and leaves nothing of it in this tab: the page is loaded anew. Throws ApiFault: it goes on. */
export async function signOut(): Promise<void> {
  try {
    await api.POST('/dashboard/api/sign-out', { body: {} });
  } catch (fault) {
    if (!(fault instanceof ApiFault) || fault.status !== 401) throw fault; // 401: it is over already
  }
  location.assign('/dashboard/');
}

/** The service's clock may be a little behind this one. */
const AFTER_MS = 500;
const LEAST_MS = 5_000;

/** Asks at the moment at which the session ends, and not at the next click. In the frame, once. Another tab may have used the session meanwhile: then the answer names a later moment. */
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
