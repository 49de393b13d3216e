// The caller of a request: an API key, or on /checkout a client token. Every fault in them is answered by the same 401
// (contract §2).
import type { Authentication } from '../../commands/access/authenticate.ts';
import { refuse } from '../errors.ts';

/** The questions about credentials. No answer reveals the fault. */
export type Credentials = Pick<Authentication, 'apiKey' | 'clientToken' | 'webhookToken' | 'user' | 'operatesStore'>;

export const UNAUTHORIZED = refuse('Unauthorized', 'The credentials are missing or not valid.', {
  headers: ['WWW-Authenticate', 'ApiKey realm="counterfoil"'],
});

/** No API key ever reaches a browser: a key together with a client token is a mistake worth naming. */
export const CONFLICTING = refuse(
  'ConflictingCredentials',
  'X-Api-Key and X-Client-Token were both sent. Checkout calls accept only the client token.',
);
