// The signed-in user, loaded once and kept for all pages. Without one, pages lead to the sign-in.
import { queryOptions, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ApiFault, type Asking, answerOf, api, whenSignedOut } from './api.ts';
import type { components } from './api-types.d.ts';
import { queries } from './queries.ts';
import { KEYS } from './query-keys.ts';

type SignedInUser = components['schemas']['Me'];
export type Role = SignedInUser['role'];

const FRESH_MS = 60_000;

/** Null if no user is signed in. Null is a valid value, so the sign-in page stays while the query runs again. */
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

/** The user of this page. The frame has loaded it before any page is rendered. */
export function useUser(): SignedInUser {
  const { data } = useSuspenseQuery(sessionQuery);
  if (data === null) throw new Error('no user is signed in, and the frame renders no page then');
  return data;
}

/** True if the user has one of these roles. It only decides what is shown; the server makes its own decision. */
export function useMay(...roles: readonly Role[]): boolean {
  return roles.includes(useUser().role);
}

/** Replaces the user after a sign-in and removes everything of another user from this tab. */
export function enter(user: SignedInUser): void {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
  queries.setQueryData(sessionQuery.queryKey, user);
}

/** The refused request may be this query itself. */
const ONE_AT_A_TIME = { cancelRefetch: false };

// The session has ended meanwhile. The frame runs the query again and shows the sign-in in place of the page.
whenSignedOut(() => {
  const known = queries.getQueryData(sessionQuery.queryKey);
  if (known !== undefined && known !== null) void queries.invalidateQueries(sessionQuery, ONE_AT_A_TIME);
});

/**
 * Ends the session on the server and reloads the page, so that nothing of it stays in this tab. Throws ApiFault if it
 * continues.
 */
export async function signOut(): Promise<void> {
  try {
    await api.POST('/dashboard/api/sign-out', { body: {} });
  } catch (fault) {
    if (!(fault instanceof ApiFault) || fault.status !== 401) throw fault; // 401: it has ended already
  }
  location.assign('/dashboard/');
}

/** The service's clock may be a little behind this one. */
const AFTER_MS = 500;
const LEAST_MS = 5_000;

/**
 * Runs the query at the moment at which the session ends, and not only at the next click. Used once, in the frame. If
 * another tab has used the session meanwhile, the response has a later time.
 */
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
