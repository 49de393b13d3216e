// The user who is signed in: asked once, kept for all pages; without one the way leads to the sign-in.
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { ApiFault } from './api.ts';

export type Role = 'owner' | 'developer' | 'support' | 'auditor';

export interface SignedInUser {
  readonly userId: string;
  readonly email: string;
  readonly role: Role;
  readonly accountName: string;
  readonly mode: 'test' | 'live';
}

const SESSION_PATH = '/dashboard/api/session';

async function readSession(): Promise<SignedInUser> {
  const response = await fetch(SESSION_PATH);
  if (!response.ok)
    throw new ApiFault({
      errorId: 'Unauthorized',
      description: 'Nobody is signed in here.',
      diagnosticsId: response.headers.get('X-Request-Id') ?? '',
      status: response.status,
    });
  const user: SignedInUser = await response.json();
  return user;
}

export const sessionQuery = queryOptions({ queryKey: ['session'], queryFn: readSession, staleTime: 60_000 });

/** The user of this page; the frame has asked for it before any page is drawn. */
export function useUser(): SignedInUser {
  return useSuspenseQuery(sessionQuery).data;
}

/** Whether the user has one of these roles: for what is shown. The server decides by itself. */
export function useMay(...roles: readonly Role[]): boolean {
  return roles.includes(useUser().role);
}

/** Ends the session on the server, and leaves nothing of it in this tab. */
export async function signOut(): Promise<void> {
  await fetch(SESSION_PATH, { method: 'DELETE', headers: { 'X-Csrf': '1' } });
  location.assign('/dashboard/');
}
