// The user of a session's cookie: reads the user's stream for each request, so that the end of a session takes effect
// on its next request.
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

/**
 * `isUse`: a person asks, and not a page automatically; only that keeps a session from idling out. Undefined for a
 * missing, malformed, unknown, ended or expired session alike. Rejects with StoreUnavailable.
 */
export async function sessionHolder(needs: UserNeeds, cookie: string, isUse: boolean): Promise<UserHolder | undefined> {
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
  if (isUse) sessionUses.used({ userId, sessionId, place: session.place }, at);
  const { accountId, role } = user;
  const { confirmedAt } = session;
  const mustEnrol = user.twoFactor === undefined && mustHaveTwoFactor(mode, role);
  return { accountId, userId, role, sessionId, confirmedAt, isConfirmed: at - confirmedAt <= CONFIRMED_MS, mustEnrol };
}

/** ms until the session is over, if nobody uses it meanwhile. Rejects with StoreUnavailable. */
export async function endsInMs(
  { sessionUses, world }: Pick<UserNeeds, 'sessionUses' | 'world'>,
  userId: string,
  { sessionId, place, startedAt, expiresAt }: SignInSession,
): Promise<number> {
  const used = (await sessionUses.lastUses([{ userId, sessionId, place }])).get(sessionId) ?? startedAt;
  return Math.max(0, Math.min(expiresAt, Math.max(startedAt, used) + IDLE_MS) - machineTime(world));
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
