// The user of a session's cookie: the user's stream is read for each request, so that what ends a session holds for the very next one.
import { sessionOf } from '../../domain/user/state.ts';
import type { UserHolder } from '../access/user-holder.ts';
import { machineTime } from './machine-time.ts';
import type { UserNeeds } from './needs.ts';
import { parseSession, sessionHashes } from './secret-texts.ts';

/** A password that was given this long ago need not be given again. */
export const CONFIRMED_MS = 10 * 60_000;

/** Undefined for a missing, malformed, unknown, ended or expired session alike. */
export async function sessionHolder({ users, secrets, world }: UserNeeds, cookie: string): Promise<UserHolder | undefined> {
  const parsed = parseSession(cookie);
  if (parsed === undefined) return undefined;
  const { userId, sessionId, secret } = parsed;
  const at = machineTime(world);
  const { state: user } = await users.current(userId);
  const session = sessionOf(user, sessionId, at);
  if (session === undefined || user.status === 'absent') return undefined;
  if (!sessionHashes(secrets, secret).includes(session.secretHash)) return undefined;
  return {
    accountId: user.accountId,
    userId,
    role: user.role,
    sessionId,
    confirmedAt: session.confirmedAt,
    isConfirmed: at - session.confirmedAt <= CONFIRMED_MS,
  };
}
