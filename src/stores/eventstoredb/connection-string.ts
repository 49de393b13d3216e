// The connection string for the client: checked for options that the client would only warn about, with the required
// options added.
import { AppError } from '../../app-error.ts';

/** Times that the client itself takes, in milliseconds; it warns on the console about lower ones. */
const KEEPALIVE_MS = 10_000;

const KNOWN = new Set(
  (
    'userCertFile userKeyFile maxDiscoverAttempts connectionName defaultDeadline discoveryInterval gossipTimeout nodePreference ' +
    'tls tlsVerifyCert tlsCAFile throwOnAppendFailure keepAliveInterval keepAliveTimeout'
  )
    .toLowerCase()
    .split(' '),
);

/** As the client compares names. */
const flat = (name: string): string => name.trim().toLowerCase().replaceAll(/[_-]/g, '');

interface Parts {
  readonly base: string;
  readonly options: readonly (readonly [name: string, value: string])[];
}

function partsOf(url: string): Parts {
  const [base = '', query = ''] = url.split('?', 2);
  const options = query.split('&').flatMap((option) => {
    const [name = ''] = option.split('=', 1);
    return option === '' ? [] : [[flat(name), option.slice(name.length + 1)] as const];
  });
  return { base, options };
}

const optionIn = ({ options }: Parts, wanted: string): string | undefined =>
  options.findLast(([name]) => name === wanted)?.[1];

/**
 * Throws AppError WrongSettings for options that would be ignored: the client says so on the console, each time it
 * connects.
 */
export function checkOptions(url: string): void {
  const parts = partsOf(url);
  const unknown = parts.options.find(([name]) => !KNOWN.has(name));
  if (unknown !== undefined)
    throw new AppError(
      'WrongSettings',
      `The URL of the event store has an option that EventStoreDB does not know: ${unknown[0]}.`,
    );
  if (optionIn(parts, 'tlsverifycert')?.trim() === 'false')
    throw new AppError(
      'WrongSettings',
      'The URL of the event store says tlsVerifyCert=false, which is not possible here. Name the certificate that signed the ' +
        "server's: tlsCAFile=<path>.",
    );
}

/** True if the URL has a user that the server never sees. */
export const sendsNoCredentials = (url: string): boolean =>
  /:\/\/[^/?]+@/.test(url) && optionIn(partsOf(url), 'tls')?.trim() === 'false';

let made = 0;

/**
 * For one client. Keepalive is on, even if the URL says otherwise: without it a hanging server is never noticed. Its
 * interval differs by some milliseconds from client to client, because gRPC gives clients with the same options one
 * connection, and one pause before that is tried again. Calls go to the leader: the next read must see what was
 * written.
 */
export function ownConnectionString(url: string): string {
  made += 1;
  const parts = partsOf(url);
  const given = Number(optionIn(parts, 'keepaliveinterval'));
  const interval = (given > KEEPALIVE_MS ? given : KEEPALIVE_MS) + (made % 1_000);
  const kept = parts.options.filter(([name]) => name !== 'keepaliveinterval' && name !== 'nodepreference');
  const options = [...kept, ['keepaliveinterval', String(interval)], ['nodepreference', 'leader']];
  return `${parts.base}?${options.map(([name, value]) => `${name}=${value}`).join('&')}`;
}
