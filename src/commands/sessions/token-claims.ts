// The claims of a client token, as far as its caller may use it, and its lifetime.
import { type Rejection, reject } from '../../domain/decider.ts';
import type { TokenClaims } from './client-tokens.ts';
import type { SessionNeeds } from './needs.ts';

export const badToken = (): Rejection =>
  reject('ClientSessionValidationError', 'The client token is not valid: forged, expired, or of another account.');

/**
 * The claims of a token of this account, expired or not: whether it is too old is a question of state, which commands
 * ask after an idempotent replay (contract §1).
 */
export function ownClaims(
  { tokens }: Pick<SessionNeeds, 'tokens'>,
  token: string,
  accountId: string,
): TokenClaims | Rejection {
  const claims = tokens.read(token);
  return claims === undefined || claims.accountId !== accountId ? badToken() : claims;
}

/** True if a token expired `graceMs` or longer before `at` (ms). */
export const hasExpired = ({ expiresAt }: TokenClaims, at: number, graceMs = 0): boolean => expiresAt + graceMs <= at;

/**
 * The claims of a token of this account that is still good. Forged, expired and foreign are one and the same refusal
 * (contract §3).
 */
export function claimsOf(
  needs: Pick<SessionNeeds, 'tokens'>,
  token: string,
  accountId: string,
  at: number,
): TokenClaims | Rejection {
  const claims = ownClaims(needs, token, accountId);
  return 'kind' in claims || !hasExpired(claims, at) ? claims : badToken();
}

/** A token lives 24 hours (contract §2); a session 30 days after its newest token (contract §3). */
export const TOKEN_LIFE_MS = 24 * 3_600_000;
export const SESSION_LIFE_MS = 30 * TOKEN_LIFE_MS;
