// The caller of a request: an API key, or on /checkout a client token. Every fault in them is answered by the same 401
// (contract §2).
import type { IncomingHttpHeaders } from 'node:http';
import type { Authentication, KeyHolder, SessionHolder } from '../../commands/access/authenticate.ts';
import { type Refusal, refuse } from '../errors.ts';

/** The questions about credentials. No answer reveals the fault. */
export type Credentials = Pick<Authentication, 'apiKey' | 'clientToken' | 'webhookToken' | 'user' | 'operatesStore'>;

const UNAUTHORIZED = refuse('Unauthorized', 'The credentials are missing or not valid.', {
  headers: ['WWW-Authenticate', 'ApiKey realm="counterfoil"'],
});

/** No API key ever reaches a browser: a key together with a client token is a mistake worth naming. */
export const checkConflict = (headers: IncomingHttpHeaders): Refusal | undefined =>
  headers['x-api-key'] !== undefined && headers['x-client-token'] !== undefined
    ? refuse(
        'ConflictingCredentials',
        'X-Api-Key and X-Client-Token were both sent. Checkout calls accept only the client token.',
      )
    : undefined;

const orUnauthorized = <Holder>(holder: Holder | undefined): Holder | Refusal => holder ?? UNAUTHORIZED;

/** Without a promise where the answer is known without a read. */
export function keyHolder(
  authentication: Credentials,
  header: string | string[] | undefined,
  at: number,
): KeyHolder | Refusal | Promise<KeyHolder | Refusal> {
  if (typeof header !== 'string') return UNAUTHORIZED;
  return judged(authentication.apiKey(header, at));
}

/** The holder of a path that acts as a key (contract §8). */
export const webhookHolder = (
  authentication: Credentials,
  { processor = '', token = '' }: { readonly [name: string]: string | undefined },
  at: number,
): KeyHolder | Refusal | Promise<KeyHolder | Refusal> => judged(authentication.webhookToken(processor, token, at));

const judged = (holder: ReturnType<Credentials['apiKey']>): KeyHolder | Refusal | Promise<KeyHolder | Refusal> =>
  holder instanceof Promise ? holder.then(orUnauthorized) : orUnauthorized(holder);

export function sessionHolder(
  authentication: Credentials,
  header: string | string[] | undefined,
  at: number,
): SessionHolder | Refusal {
  return typeof header === 'string' ? orUnauthorized(authentication.clientToken(header, at)) : UNAUTHORIZED;
}
