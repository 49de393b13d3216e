// The claims of a client token, read without its key: they choose the frame's address. The service alone verifies the
// token.

interface TokenClaims {
  readonly account: string;
  readonly session: string;
  /** Whether it is a test, where no money moves. */
  readonly isTest: boolean;
  /** When the service issued it, by the business clock, in ms; undefined if it does not say. */
  readonly issuedAt: number | undefined;
}

const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const MAX_LENGTH = 2_048;

/** The claims, or undefined for any text that is not a client token. */
export function claimsOf(clientToken: unknown): TokenClaims | undefined {
  if (typeof clientToken !== 'string' || clientToken.length > MAX_LENGTH || !TOKEN.test(clientToken)) return undefined;
  try {
    const payload = (clientToken.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const claims: unknown = JSON.parse(atob(payload));
    if (typeof claims !== 'object' || claims === null || !('acc' in claims) || !('sub' in claims)) return undefined;
    if (typeof claims.acc !== 'string' || typeof claims.sub !== 'string') return undefined;
    const issuedAt = 'iat' in claims && typeof claims.iat === 'number' ? claims.iat * 1_000 : undefined;
    return { account: claims.acc, session: claims.sub, isTest: 'env' in claims && claims.env === 'test', issuedAt };
  } catch {
    return undefined;
  }
}
