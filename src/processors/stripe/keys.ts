// The keys and secrets of a connection: which mode they are of, and whether this store may use them.
import type { Connection } from '../processor.ts';

type Mode = 'test' | 'live';

/** By the beginning of a secret or restricted key; undefined for another text (docs.stripe.com/keys). */
export function modeOf({ secrets: { secretKey = '' } }: Connection): Mode | undefined {
  if (/^(sk|rk)_live_\S+$/.test(secretKey)) return 'live';
  return /^(sk|rk)_test_\S+$/.test(secretKey) ? 'test' : undefined;
}

/** Why the secret of this name, or the publishable key, may not be used; without any of them. */
export function refusal(connection: Connection, mode: Mode, name: string): string | undefined {
  const { secrets, publishableKey } = connection;
  if (name === 'secretKey') return refusalOfKey(connection, mode);
  if (name === 'publishableKey') return publishableKey === undefined ? undefined : refusalOfShown(publishableKey, mode);
  return name !== 'webhookSecret' || secrets[name] === undefined || secrets[name].startsWith('whsec_')
    ? undefined
    : 'The secret named webhookSecret is not a signing secret of Stripe: these begin with whsec_.';
}

function refusalOfKey(connection: Connection, mode: Mode): string | undefined {
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

const refusalOfShown = (key: string, mode: Mode): string | undefined =>
  key.startsWith(`pk_${mode}_`)
    ? undefined
    : `The publishable key must be of Stripe's ${mode} mode, which begins with pk_${mode}_: this store is in ${mode} mode.`;
