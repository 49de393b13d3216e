// Standard Webhooks 1.0: an endpoint's secrets, and the headers that sign a message with them (contract §8).
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { StoreKey } from '../../secrets.ts';

/** Secrets that are kept derived, of a store: an endpoint signs thousands of messages with the same one. */
const KEPT = 500;
const derived = new WeakMap<StoreKey, LRUCache<string, KeyObject>>();

/**
 * An endpoint's secret, 32 bytes. It derives from the store key, so that it stands in no event and no document, and a
 * rotation is the next number.
 */
function secretOf(storeKey: StoreKey, endpointId: string, rotations: number): KeyObject {
  const kept = derived.get(storeKey) ?? new LRUCache<string, KeyObject>({ max: KEPT });
  derived.set(storeKey, kept);
  const name = `${endpointId}\n${rotations}`;
  const known = kept.get(name);
  if (known !== undefined) return known;
  const made = createSecretKey(Buffer.from(storeKey.fingerprint('webhook-secret', name), 'hex'));
  kept.set(name, made);
  return made;
}

/** `whsec_` and the secret in base64: what receivers verify with. */
export const endpointSecret = (storeKey: StoreKey, endpointId: string, rotations: number): string =>
  `whsec_${secretOf(storeKey, endpointId, rotations).export().toString('base64')}`;

interface Signing {
  readonly endpointId: string;
  /** The numbers of the secrets that sign. */
  readonly secrets: readonly number[];
  readonly messageId: string;
  /** Real time, s: receivers compare it with their own clocks. */
  readonly timestamp: number;
  readonly body: string;
}

/** `webhook-signature`; every live secret signs, so that a receiver may change its own at any time of a rotation. */
export function signatureOf(storeKey: StoreKey, { endpointId, secrets, messageId, timestamp, body }: Signing): string {
  const signatures = secrets.map((rotations) => {
    const hmac = createHmac('sha256', secretOf(storeKey, endpointId, rotations));
    return `v1,${hmac.update(`${messageId}.${timestamp}.${body}`).digest('base64')}`;
  });
  return signatures.join(' ');
}

interface SignedMessage {
  readonly messageId: string;
  readonly timestamp: number;
  readonly signature: string;
}

/** The headers of the call that delivers a message. */
export const messageHeaders = ({
  messageId,
  timestamp,
  signature,
}: SignedMessage): { readonly [name: string]: string } => ({
  'Content-Type': 'application/json',
  'User-Agent': 'Counterfoil-Webhooks/1.0',
  'webhook-id': messageId,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': signature,
});
