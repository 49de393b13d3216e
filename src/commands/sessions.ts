// The session that a client token names, as each kind of caller may name it.
import { type Rejection, reject } from '../domain/decider.ts';
import type { TokenClaims } from './client-tokens.ts';
import type { House } from './house.ts';

export const badToken = (): Rejection =>
  reject('ClientSessionValidationError', 'The client token is not valid: forged, expired, or of another account.');

/**
 * The claims of a token of this account. With `expiredUpToMs` also one that expired at most that long ago.
 * Forged, expired and foreign are one and the same refusal (contract §3).
 */
export function claimsOf(
  house: Pick<House, 'tokens'>,
  token: string,
  accountId: string,
  at: number,
  expiredUpToMs = 0,
): TokenClaims | Rejection {
  const claims = house.tokens.read(token);
  if (claims === undefined || claims.accountId !== accountId || claims.expiresAt + expiredUpToMs <= at) return badToken();
  return claims;
}

/** A token lives 24 hours (contract §2); a session 30 days after its newest token (contract §3). */
export const TOKEN_LIFE_MS = 24 * 3_600_000;
export const SESSION_LIFE_MS = 30 * TOKEN_LIFE_MS;
