// Standard Webhooks 1.0: an endpoint's secrets, and the headers that sign a message with them (contract §8).
import { createHmac } from 'node:crypto';
import type { StoreKey } from '../../secrets.ts';

/**
 * The bytes of an endpoint's secret. It derives from the store key, so that it stands in no event and no document, and a rotation is the
 * next number. 32 bytes.
 */
const secretBytes = (storeKey: StoreKey, endpointId: string, rotations: number): Buffer =>
  Buffer.from(storeKey.fingerprint('webhook-secret', `${endpointId}\n${rotations}`), 'hex');

/** `whsec_` and the secret in base64: what receivers verify with. */
export const endpointSecret = (storeKey: StoreKey, endpointId: string, rotations: number): string =>
  `whsec_${secretBytes(storeKey, endpointId, rotations).toString('base64')}`;

interface Signed {
  readonly endpointId: string;
  /** The numbers of the secrets that sign. */
  readonly secrets: readonly number[];
  readonly messageId: string;
  /** Real time, ms: receivers compare it with their own clocks. */
  readonly at: number;
  readonly body: string;
}

/** The headers of a message; every live secret signs, so that a receiver may change its own at any time of a rotation. */
export function signedHeaders(
  storeKey: StoreKey,
  { endpointId, secrets, messageId, at, body }: Signed,
): { readonly [name: string]: string } {
  const timestamp = Math.floor(at / 1_000);
  const signatures = secrets.map((rotations) => {
    const hmac = createHmac('sha256', secretBytes(storeKey, endpointId, rotations));
    return `v1,${hmac.update(`${messageId}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': messageId, 'webhook-timestamp': String(timestamp), 'webhook-signature': signatures.join(' ') };
}
