// The user of a session's cookie: the user's stream is read for each request, so that what ends a session holds for the very next one.
import { type SignInSession, sessionOf } from '../../domain/user/state.ts';
import type { UserHolder } from '../access/user-holder.ts';
import { machineTime } from './machine-time.ts';
import type { UserNeeds } from './needs.ts';
import { parseSession, sessionHashes } from './secret-texts.ts';
import { mustHaveTwoFactor } from './two-factor.ts';

/** A password that was given this long ago need not be given again. */
const CONFIRMED_MS = 10 * 60_000;
/** A session that nobody used for this long is over. */
const IDLE_MS = 30 * 60_000;

/** Undefined for a missing, malformed, unknown, ended or expired session alike. Rejects with StoreUnavailable. */
export async function sessionHolder(needs: UserNeeds, cookie: string): Promise<UserHolder | undefined> {
  const { users, secrets, world, sessionUses, mode } = needs;
  const parsed = parseSession(cookie);
  if (parsed === undefined) return undefined;
  const { userId, sessionId, secret } = parsed;
  const at = machineTime(world);
  const { state: user } = await users.current(userId);
  const session = sessionOf(user, sessionId, at);
  if (session === undefined || user.status === 'absent') return undefined;
  if (!sessionHashes(secrets, secret).includes(session.secretHash)) return undefined;
  if (await isIdle(needs, userId, session, at)) return undefined;
  sessionUses.used({ userId, sessionId, place: session.place }, at);
  const { accountId, role } = user;
  const { confirmedAt } = session;
  const mustEnrol = user.twoFactor === undefined && mustHaveTwoFactor(mode, role);
  return { accountId, userId, role, sessionId, confirmedAt, isConfirmed: at - confirmedAt <= CONFIRMED_MS, mustEnrol };
}

/** The store is asked only when this process has not seen the session lately. */
async function isIdle(
  { sessionUses }: UserNeeds,
  userId: string,
  { sessionId, place, startedAt }: SignInSession,
  at: number,
): Promise<boolean> {
  const of = { userId, sessionId, place };
  if (at - Math.max(startedAt, sessionUses.seen(of) ?? 0) <= IDLE_MS) return false;
  const used = (await sessionUses.lastUses([of])).get(sessionId) ?? startedAt;
  return at - used > IDLE_MS;
}
