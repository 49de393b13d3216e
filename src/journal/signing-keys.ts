// The keys by which checkpoints are signed: those of the master secrets, and older ones, which a newer key has signed.
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { OlderKeys, StoreRecord } from '../domain/store.ts';
import type { Secrets } from '../secrets.ts';

/** The beginning of an Ed25519 private key in PKCS #8, before its 32 bytes (RFC 8410, section 7). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
/** The bytes before the 32 of a public key in SPKI (RFC 8410, section 4). */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');

const privateKeysOf = (secrets: Secrets): readonly KeyObject[] =>
  secrets
    .keys('checkpoint')
    .map((seed) => createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' }));

const publicTextOf = (key: KeyObject): string =>
  createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(SPKI.length).toString('base64url');

/** The public keys of the master secrets, base64url of 32 bytes; the first belongs to the secret that signs. */
export const publicKeysOf = (secrets: Secrets): readonly string[] => privateKeysOf(secrets).map(publicTextOf);

interface SignedText {
  readonly publicKey: string;
  /** Ed25519, base64url of 64 bytes. */
  readonly signature: string;
}

/** The signature of the first secret. Throws TypeError without a secret. */
export function signedBy(secrets: Secrets, text: string): SignedText {
  const [key] = privateKeysOf(secrets);
  if (key === undefined) throw new TypeError('at least one master secret is needed');
  return { publicKey: publicTextOf(key), signature: sign(null, Buffer.from(text), key).toString('base64url') };
}

/** True if this public key made the signature of the text. */
export const isSignature = (text: string, { publicKey, signature }: SignedText): boolean =>
  verify(
    null,
    Buffer.from(text),
    createPublicKey({ key: Buffer.concat([SPKI, Buffer.from(publicKey, 'base64url')]), format: 'der', type: 'spki' }),
    Buffer.from(signature, 'base64url'),
  );

/** Never the text of a checkpoint, whose first line is another one. */
const textOf = (publicKeys: readonly string[]): string => `counterfoil-older-keys-1\n${publicKeys.join('\n')}\n`;

/**
 * The trusted keys, and those that one of them has signed as older keys of the store. A log that was forged without the
 * secret can name other keys, and cannot have them signed.
 */
export function knownKeys(trusted: readonly string[], record: StoreRecord): readonly string[] {
  const older = record.status === 'absent' ? undefined : record.olderKeys;
  if (older === undefined) return trusted;
  const { publicKeys, signature } = older;
  const isOurs = trusted.some((publicKey) => isSignature(textOf(publicKeys), { publicKey, signature }));
  return isOurs ? [...new Set([...trusted, ...publicKeys])] : trusted;
}

/** The known keys that are older than the first secret's, with its signature: the event of a rotation keeps them. */
export function olderKeysOf(secrets: Secrets, record: StoreRecord): OlderKeys {
  const [, ...publicKeys] = knownKeys(publicKeysOf(secrets), record);
  return { publicKeys, signature: signedBy(secrets, textOf(publicKeys)).signature };
}
