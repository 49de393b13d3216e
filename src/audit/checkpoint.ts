// Checkpoints of a log: signed by a key that derives from the master secret, so that a person who can change the log
// cannot sign another one.
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { AppError } from '../app-error.ts';
import type { CheckpointMade } from '../domain/checkpoint/events.ts';
import type { Secrets } from '../secrets.ts';
import { CHECKPOINT_FORMAT, type Checkpoint, type Consistency, checkpointText } from '../verify/format.ts';
import { formatTime } from '../world.ts';
import type { WalkedLog } from './verify-log.ts';

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

/** A checkpoint of a whole log as it was walked. Throws AppError EmptyLog for a log without the store's first event. */
export function signedCheckpoint(
  { events, root, position, storeId }: Pick<WalkedLog, 'events' | 'root' | 'position' | 'storeId'>,
  secrets: Secrets,
  at: number,
  older?: Consistency,
): Checkpoint {
  if (storeId === undefined) throw new AppError('EmptyLog', 'The log has no store: there is nothing to sign.');
  const [key] = privateKeysOf(secrets);
  if (key === undefined) throw new TypeError('at least one master secret is needed');
  const said = { storeId, treeSize: events, root, position: String(position), madeAt: formatTime(at) };
  return {
    format: CHECKPOINT_FORMAT,
    ...said,
    publicKey: publicTextOf(key),
    signature: sign(null, Buffer.from(checkpointText(said)), key).toString('base64url'),
    ...(older !== undefined && { extends: older }),
  };
}

/** The receipt of a recorded checkpoint: a file for `audit verify --checkpoint` and counterfoil-verify. */
export const receiptOf = ({ edge: _edge, last: _last, extends: older, ...receipt }: CheckpointMade): Checkpoint => ({
  ...receipt,
  ...(older !== undefined && { extends: older }),
});

/** True if this public key made the signature. */
export const isSignedBy = (checkpoint: Checkpoint, publicKey: string): boolean =>
  verify(
    null,
    Buffer.from(checkpointText(checkpoint)),
    createPublicKey({ key: Buffer.concat([SPKI, Buffer.from(publicKey, 'base64url')]), format: 'der', type: 'spki' }),
    Buffer.from(checkpoint.signature, 'base64url'),
  );
