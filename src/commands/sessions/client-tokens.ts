// Client tokens: HS256 JWTs that name a client session, made and verified synchronously (contract §2); their claims, as
// far as a caller may use them.
import { z } from 'zod';
import { type Rejection, reject } from '../../domain/decider.ts';
import { boundedCache } from '../../journal/bounded-cache.ts';
import type { Secrets } from '../../secrets.ts';

const Claims = z.object({
  sub: z.string(),
  acc: z.string(),
  intent: z.literal('CHECKOUT'),
  env: z.enum(['test', 'live']),
  iat: z.int(),
  exp: z.int(),
});

interface TokenClaims {
  readonly sessionId: string;
  readonly accountId: string;
  /** Both in ms. */
  readonly issuedAt: number;
  readonly expiresAt: number;
}

const HEADER = Buffer.from(JSON.stringify({ alg: 'HS256', typ: 'JWT' })).toString('base64url');
/** Verified tokens a process remembers; a token is verified again when it was forgotten. */
const CACHED_TOKENS = 20_000;
const MAX_TOKEN_LENGTH = 2_048;

export class ClientTokens {
  readonly #secrets: Secrets;
  readonly #env: 'test' | 'live';
  readonly #verified = boundedCache<TokenClaims>(CACHED_TOKENS);

  constructor(secrets: Secrets, env: 'test' | 'live') {
    this.#secrets = secrets;
    this.#env = env;
  }

  /**
   * Issues the token of these claims. Equal claims always give the same token, so a replayed response carries the first
   * one's.
   */
  issue({ sessionId, accountId, issuedAt, expiresAt }: TokenClaims): string {
    const seconds = (ms: number): number => Math.floor(ms / 1000);
    const claims = {
      sub: sessionId,
      acc: accountId,
      intent: 'CHECKOUT',
      env: this.#env,
      iat: seconds(issuedAt),
      exp: seconds(expiresAt),
    };
    const signed = `${HEADER}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
    const token = `${signed}.${this.#secrets.sign('client-token', signed).toString('base64url')}`;
    this.#verified.set(token, readFrom(claims)); // its first use is near, on this node as a rule
    return token;
  }

  /** The claims of a token that this service signed, expired or not; undefined for any other text. */
  read(token: string): TokenClaims | undefined {
    const known = this.#verified.get(token);
    if (known !== undefined) return known;
    if (token.length > MAX_TOKEN_LENGTH) return undefined;
    const [header, payload, signature, ...rest] = token.split('.');
    if (header !== HEADER || payload === undefined || signature === undefined || rest.length > 0) return undefined;
    const bytes = Buffer.from(signature, 'base64url');
    // Base64url has several spellings of the same bytes; only the issued spelling is honoured.
    if (bytes.toString('base64url') !== signature) return undefined;
    if (!this.#secrets.verifies('client-token', `${header}.${payload}`, bytes)) return undefined;
    const claims = Claims.safeParse(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')));
    if (!claims.success || claims.data.env !== this.#env) return undefined;
    const read = readFrom(claims.data);
    this.#verified.set(token, read);
    return read;
  }
}

const readFrom = ({
  sub,
  acc,
  iat,
  exp,
}: Pick<z.output<typeof Claims>, 'sub' | 'acc' | 'iat' | 'exp'>): TokenClaims => ({
  sessionId: sub,
  accountId: acc,
  issuedAt: iat * 1000,
  expiresAt: exp * 1000,
});

export const badToken = (): Rejection =>
  reject('ClientSessionValidationError', 'The client token is not valid: forged, expired, or of another account.');

/**
 * The claims of a token of this account, expired or not: whether it is too old is a question of state, which commands
 * ask after an idempotent replay (contract §1).
 */
export function ownClaims(
  { tokens }: { readonly tokens: ClientTokens },
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
  needs: { readonly tokens: ClientTokens },
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
