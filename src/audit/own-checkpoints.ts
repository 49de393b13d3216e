// The checkpoints that a log has of itself, held against the log as it was walked.
import { CHECKPOINTS_ID, checkpointCategory } from '../domain/checkpoint.ts';
import { readUntilBreak } from '../journal/chain.ts';
import { unsealEvent } from '../journal/envelope.ts';
import type { EventStore } from '../stores/event-store.ts';
import { streamOf } from '../stores/stream-name.ts';
import type { Checkpoint } from '../verify/format.ts';
import { isSignedBy, receiptOf } from './checkpoint.ts';
import type { WalkedLog } from './verify-log.ts';

/** What the log's own checkpoints show. */
export interface OwnCheckpoints {
  /** Those that hold: their signature and their root are right. */
  readonly held: number;
  /** Those that do not hold. */
  readonly failed: number;
  /** Those of them whose key is not known: anybody can have signed them. */
  readonly ofOtherKeys: number;
  /** The newest that holds. */
  readonly newest?: Checkpoint;
  /** The oldest that does not hold, and why. */
  readonly firstFailed?: { readonly checkpoint: Checkpoint; readonly fault: string };
}

/** Oldest first, up to a break of their stream: the walk over the log names the break. Throws StoreUnavailable. */
export async function readOwnCheckpoints(events: Pick<EventStore, 'read'>): Promise<readonly Checkpoint[]> {
  const found: Checkpoint[] = [];
  await readUntilBreak(events, streamOf(checkpointCategory.name, CHECKPOINTS_ID), (stored) => {
    found.push(receiptOf(unsealEvent(checkpointCategory, stored).event.data));
    return true;
  });
  return found;
}

/** `own`: oldest first; the walk has noted the roots of their sizes. `keys`: the public keys that are known. */
export function heldAgainst(
  own: readonly Checkpoint[],
  walked: Pick<WalkedLog, 'roots' | 'storeId'>,
  keys: readonly string[],
): OwnCheckpoints {
  const faults = own.map((checkpoint) => ({ checkpoint, fault: faultIn(checkpoint, walked, keys) }));
  const held = faults.filter(({ fault }) => fault === undefined);
  const failed = faults.flatMap(({ checkpoint, fault }) => (fault === undefined ? [] : [{ checkpoint, fault }]));
  const [newest, [firstFailed]] = [held.at(-1)?.checkpoint, failed];
  return {
    held: held.length,
    failed: failed.length,
    ofOtherKeys: failed.filter(({ checkpoint }) => !keys.includes(checkpoint.publicKey)).length,
    ...(newest && { newest }),
    ...(firstFailed && { firstFailed }),
  };
}

function faultIn(
  checkpoint: Checkpoint,
  { roots, storeId }: Pick<WalkedLog, 'roots' | 'storeId'>,
  keys: readonly string[],
): string | undefined {
  const { publicKey, treeSize, root } = checkpoint;
  if (!keys.includes(publicKey)) return `it is signed by a key that is not known, ${publicKey}`;
  if (!isSignedBy(checkpoint, publicKey)) return 'it is not signed by the key that it names: it was altered';
  if (checkpoint.storeId !== storeId) return 'it is of another store, or the first event of this one was changed';
  if (roots.get(treeSize) !== root)
    return 'the events that it covers are not those that were signed: events were changed, removed or inserted';
  return undefined;
}
