// A session that begins: its id, its secret, and what the record keeps of it.
import type { NewSession } from '../../domain/user/decide.ts';
import { newId } from '../../world.ts';
import { machineTime } from './machine-time.ts';
import type { UserNeeds } from './needs.ts';
import { formatSession, newSecret, sessionHash } from './secret-texts.ts';

/** A session ends after this, however it is used. */
const SESSION_MS = 12 * 3_600_000;

/** Where a browser is, as the list of sessions shows it. */
export interface Browser {
  readonly address: string;
  readonly device: string;
  /** Aborts when the caller no longer waits for the response. */
  readonly signal?: AbortSignal | undefined;
}

interface BegunSession {
  readonly session: NewSession;
  /** The value of its cookie; it cannot be shown again. */
  readonly cookie: string;
}

export function beginSession(
  { world, secrets }: Pick<UserNeeds, 'world' | 'secrets'>,
  userId: string,
  { address, device }: Browser,
  by: 'password' | 'link',
): BegunSession {
  const sessionId = newId(world, 'ses');
  const secret = newSecret(world);
  const at = machineTime(world);
  const session = {
    sessionId,
    secretHash: sessionHash(secrets, secret),
    expiresAt: at + SESSION_MS,
    at,
    by,
    address,
    device,
  };
  return { session, cookie: formatSession({ userId, sessionId, secret }) };
}
