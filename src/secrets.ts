// The service's own keys, from the master secret and the store key: key hashes, signatures, derived ids, fingerprints.
import { createCipheriv, createDecipheriv, createHmac, hash, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { World } from './world.ts';

/** Everything that the master secrets make or verify has a label of its own, so that no key serves two purposes. */
export const SECRET_LABELS = [
  'api-key-hash',
  'client-token',
  'store-key-wrap',
  'sandbox-signature',
  'sandbox-call',
  'webhook-token',
  'session-hash',
  'welcome-link',
  'recovery-code',
  'checkpoint',
  'personal-key-wrap',
  'erasure-register',
] as const;
type SecretLabel = (typeof SECRET_LABELS)[number];
/** The names that are made with the store key; the key never changes for a store, so neither do these names. */
type StoreLabel =
  | 'idempotency-stream'
  | 'derived-id'
  | 'request-fingerprint'
  | 'card-fingerprint'
  | 'customer-wallet'
  | 'session-agreement'
  | 'notification-stream'
  | 'notification-content'
  | 'fold-snapshot'
  | 'email-stream'
  | 'customer-email'
  | 'password-pepper'
  | 'password-salt'
  | 'password-mac'
  | 'webhook-secret'
  | 'once-secret'
  | 'resume-token'
  | 'resume-token-hash'
  | 'payment-link'
  | 'agreement-payment'
  | 'retry-ledger'
  | 'route-draw'
  | 'personal-subject';

/** The keys of ours that a key of the master secret wraps. */
type WrapLabel = 'store-key-wrap' | 'personal-key-wrap';

/** The texts that are kept encrypted under the store key. */
type SealLabel = 'two-factor-secret' | 'two-factor-offer';

const IV_BYTES = 12;
/** An iv of 12 bytes and a tag of 16. */
const SEAL_BYTES = 28;
/** The digits of a hash for a draw: as many as a number holds. */
const DRAWN_DIGITS = 12;
const DRAWN = 16 ** DRAWN_DIGITS;
/** An iv of 12 bytes, a tag of 16, a key of 32. */
const WRAPPED_BYTES = 60;

/** Master secrets in order of preference: the first makes, all verify (rotation). Each 32 bytes. */
export class Secrets {
  readonly #masters: readonly Buffer[];
  readonly #derived = new Map<SecretLabel, readonly Buffer[]>();

  constructor(masters: readonly Buffer[]) {
    this.#masters = masters;
  }

  /** The keys of a label, the signing key first. */
  keys(label: SecretLabel): readonly Buffer[] {
    const known = this.#derived.get(label);
    if (known !== undefined) return known;
    const keys = this.#masters.map((master) => Buffer.from(hkdfSync('sha256', master, '', label, 32)));
    this.#derived.set(label, keys);
    return keys;
  }

  /** HMAC-SHA256 with the key that makes. */
  sign(label: SecretLabel, text: string): Buffer {
    const [first] = this.keys(label);
    if (first === undefined) throw new TypeError('at least one master secret is needed');
    return createHmac('sha256', first).update(text).digest();
  }

  /** The text's HMACs in hex under every key of the label: what may have been stored for it. */
  signatures(label: SecretLabel, text: string): readonly string[] {
    return this.keys(label).map((key) => createHmac('sha256', key).update(text).digest('hex'));
  }

  /** True if any of the keys made this signature; in constant time. */
  verifies(label: SecretLabel, text: string, signature: Buffer): boolean {
    return this.keys(label).some((key) => {
      const expected = createHmac('sha256', key).update(text).digest();
      return isSameBytes(expected, signature);
    });
  }

  /**
   * Encrypts a key of 32 bytes, such as the store key: base64url of iv, tag and text (AES-256-GCM). `bound`: the id of
   * the key, under which alone it opens.
   */
  wrap(key: Buffer, world: Pick<World, 'randomBytes'>, label: WrapLabel = 'store-key-wrap', bound = ''): string {
    const [first] = this.keys(label);
    if (first === undefined) throw new TypeError('at least one master secret is needed');
    return encrypted(first, key, world.randomBytes(IV_BYTES), bound).toString('base64url');
  }

  /** The store key, and whether the first master wraps it; undefined if no master does. */
  unwrap(wrapped: string): { readonly storeKey: Buffer; readonly byFirst: boolean } | undefined {
    const found = unwrapped(this.keys('store-key-wrap'), wrapped);
    return found && { storeKey: found.key, byFirst: found.by === 0 };
  }
}

/** A key that one of the wrapping keys has wrapped for this id, and which one; undefined if none of them did. */
export function unwrapped(
  keys: readonly Uint8Array[],
  wrapped: string,
  bound = '',
): { readonly key: Buffer; readonly by: number } | undefined {
  const bytes = Buffer.from(wrapped, 'base64url');
  if (bytes.length !== WRAPPED_BYTES) return undefined; // a shorter tag would be easier to forge
  for (const [by, wrapping] of keys.entries()) {
    const key = decrypted(wrapping, bytes, bound);
    if (key !== undefined) return { key, by };
  }
  return undefined;
}

/** iv, tag and text of AES-256-GCM. `iv`: random, 12 bytes. `bound`: what the text belongs to, which is not in it. */
export function encrypted(key: Uint8Array, text: string | Uint8Array, iv: Uint8Array, bound = ''): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  if (bound !== '') cipher.setAAD(Buffer.from(bound));
  const start = typeof text === 'string' ? cipher.update(text, 'utf8') : cipher.update(text);
  const end = cipher.final();
  return Buffer.concat([iv, cipher.getAuthTag(), start, end]);
}

/** The text that `encrypted` has encrypted with this key for this purpose; undefined if it did not. */
export function decrypted(key: Uint8Array, bytes: Buffer, bound = ''): Buffer | undefined {
  if (bytes.length < SEAL_BYTES) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), { authTagLength: 16 });
  if (bound !== '') decipher.setAAD(Buffer.from(bound));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, SEAL_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(SEAL_BYTES)), decipher.final()]);
  } catch {
    return undefined; // the tag does not match
  }
}

/** Names and fingerprints that belong to one store. */
export class StoreKey {
  readonly #key: Buffer;
  /** The keys of draws in hex, each derived once for its label. */
  readonly #drawKeys = new Map<StoreLabel, string>();

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** For a thread of this process. */
  get bytes(): Uint8Array {
    return this.#key;
  }

  /** 32 hex characters (128 bits) that only this store can compute. */
  name(label: StoreLabel, text: string): string {
    return createHmac('sha256', this.#key).update(`${label}\n${text}`).digest('hex').slice(0, 32);
  }

  /**
   * By which a search finds payments without an index of addresses: of the trimmed address in lower case. Undefined if
   * there is no address.
   */
  emailHash(address: string | undefined): string | undefined {
    const told = address?.trim().toLowerCase();
    return told === undefined || told === '' ? undefined : this.name('customer-email', told);
  }

  /** The stream of a processor's notification, so that each is taken once; `notificationId`: as it came. */
  notificationStream(accountId: string, processor: string, notificationId: string): string {
    return this.name('notification-stream', `${accountId}\n${processor}\n${notificationId}`);
  }

  /**
   * From 0 to below 1: a keyed hash of the text, the same on every node for as long as the store lives. One hash takes
   * a quarter of the time of an HMAC, and is enough here: nobody sees a draw, so nobody can extend its text.
   */
  draw(label: StoreLabel, text: string): number {
    const digest = hash('sha256', `${this.#drawKey(label)}\n${text}`, 'hex');
    return Number.parseInt(digest.slice(0, DRAWN_DIGITS), 16) / DRAWN;
  }

  #drawKey(label: StoreLabel): string {
    const known = this.#drawKeys.get(label);
    if (known !== undefined) return known;
    const key = createHmac('sha256', this.#key).update(label).digest('hex');
    this.#drawKeys.set(label, key);
    return key;
  }

  /**
   * Encrypts a text for the log or a page of ours: base64url of iv, tag and text (AES-256-GCM), under a key of the
   * label.
   */
  seal(label: SealLabel, text: string, world: Pick<World, 'randomBytes'>): string {
    return encrypted(this.#sealKey(label), text, world.randomBytes(IV_BYTES)).toString('base64url');
  }

  /** The text; undefined if this store has not sealed it for this label. */
  unseal(label: SealLabel, sealed: string): string | undefined {
    return decrypted(this.#sealKey(label), Buffer.from(sealed, 'base64url'))?.toString('utf8');
  }

  #sealKey(label: SealLabel): Buffer {
    return createHmac('sha256', this.#key).update(`seal\n${label}`).digest();
  }

  /** 64 hex characters, for comparing. */
  fingerprint(label: StoreLabel, text: string): string {
    return createHmac('sha256', this.#key).update(`${label}\n${text}`).digest('hex');
  }
}

/** In constant time. */
export const isSameBytes = (one: Buffer, other: Buffer): boolean =>
  one.length === other.length && timingSafeEqual(one, other);
