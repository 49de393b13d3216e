// Checkpoints of a log: signed by a key that derives from the master secret, so that a person who can change the log
// cannot sign another one.
import { AppError } from '../app-error.ts';
import type { CheckpointMade } from '../domain/checkpoint.ts';
import { isSignature, signedBy } from '../journal/signing-keys.ts';
import type { Secrets } from '../secrets.ts';
import { CHECKPOINT_FORMAT, type Checkpoint, type Consistency, checkpointText } from '../verify/format.ts';
import { formatTime } from '../world.ts';
import type { WalkedLog } from './verify-log.ts';

/** A checkpoint of a whole log as it was walked. Throws AppError EmptyLog for a log without the store's first event. */
export function signedCheckpoint(
  { events, root, position, storeId }: Pick<WalkedLog, 'events' | 'root' | 'position' | 'storeId'>,
  secrets: Secrets,
  at: number,
  older?: Consistency,
): Checkpoint {
  if (storeId === undefined) throw new AppError('EmptyLog', 'The log has no store: there is nothing to sign.');
  const said = { storeId, treeSize: events, root, position: String(position), madeAt: formatTime(at) };
  return {
    format: CHECKPOINT_FORMAT,
    ...said,
    ...signedBy(secrets, checkpointText(said)),
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
  isSignature(checkpointText(checkpoint), { publicKey, signature: checkpoint.signature });
