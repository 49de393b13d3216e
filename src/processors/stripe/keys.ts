// The secrets of a connection: which mode the key is of, and whether this store may use it.
import type { Connection } from '../processor.ts';

type Mode = 'test' | 'live';

/** By the beginning of a secret or restricted key; undefined for another text (docs.stripe.com/keys). */
export function modeOf({ secrets: { secretKey = '' } }: Connection): Mode | undefined {
  if (/^(sk|rk)_live_\S+$/.test(secretKey)) return 'live';
  return /^(sk|rk)_test_\S+$/.test(secretKey) ? 'test' : undefined;
}

/** Why the secrets may not be used; without any of them. */
export function refusal(connection: Connection, mode: Mode): string | undefined {
  const { secretKey } = connection.secrets;
  const own = modeOf(connection);
  if (secretKey === undefined) return 'The connection has no secret named secretKey.';
  if (secretKey.startsWith('pk_'))
    return 'The secret named secretKey is a publishable key: a secret or restricted key of Stripe is needed.';
  if (own === undefined)
    return 'The secret named secretKey is not a key of Stripe: these begin with sk_test_, rk_test_, sk_live_ or rk_live_.';
  if (own !== mode) return `The secret named secretKey is of Stripe's ${own} mode, and this store is in ${mode} mode.`;
  return mode === 'live' && connection.apiUrl !== undefined
    ? 'A connection in live mode speaks to Stripe itself: it has no other API URL.'
    : undefined;
}
