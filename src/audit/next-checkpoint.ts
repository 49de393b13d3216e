// The next checkpoint of a log: continues the tree of the previous one, so that its cost grows with the new events
// alone.
import { AppError } from '../app-error.ts';
import {
  CHECKPOINTS_ID,
  type CheckpointEvent,
  type CheckpointMade,
  type Checkpoints,
  recordCheckpoint,
} from '../domain/checkpoint.ts';
import { policyContext } from '../journal/contexts.ts';
import { hashOf } from '../journal/envelope.ts';
import { readLog } from '../journal/read-log.ts';
import { knownKeys, publicKeysOf } from '../journal/signing-keys.ts';
import { recordBeforeBreak } from '../journal/store-stamp.ts';
import type { Streams } from '../journal/streams.ts';
import { transact } from '../journal/transact.ts';
import type { Secrets } from '../secrets.ts';
import type { EventStore, StoredEvent } from '../stores/event-store.ts';
import { newId, type World } from '../world.ts';
import { isSignedBy, receiptOf, signedCheckpoint } from './checkpoint.ts';
import { leafHash, MerkleTree } from './merkle-tree.ts';
import { restBetween } from './verify-log.ts';

interface CheckpointNeeds {
  readonly checkpoints: Streams<Checkpoints, CheckpointEvent>;
  readonly events: Pick<EventStore, 'read' | 'follow' | 'head'>;
  readonly secrets: Secrets;
  readonly world: World;
  /** Rejects with StoreUnavailable while the read models say that the log is another one. */
  readonly mayWrite: () => Promise<void> | undefined;
}

/**
 * Records a checkpoint of the log if the newest one, or the store itself, is `everyMs` old; resolves to true if this
 * call recorded it. One append is all that it writes: after a crash the next call begins again, and of two nodes one
 * records. Throws AppError CheckpointBroken if the newest checkpoint cannot be continued, the signal's reason, and
 * StoreUnavailable.
 */
export type MakeCheckpoint = (everyMs: number, actor: string, signal: AbortSignal) => Promise<boolean>;

export const makeCheckpoint =
  ({ checkpoints: streams, events, secrets, world, mayWrite }: CheckpointNeeds): MakeCheckpoint =>
  async (everyMs, actor, signal) => {
    const { state } = await streams.current(CHECKPOINTS_ID);
    const since = state.status === 'absent' ? await createdAt(events) : state.newestAt;
    if (since === undefined || since + everyMs > world.now()) return false;
    await mayWrite();
    const newest = state.status === 'absent' ? undefined : state.newest;
    const made = await nextCheckpoint(events, newest, { secrets, world }, signal);
    if (made === undefined) return false;
    const context = policyContext(world, actor, '', { correlationId: newId(world, 'checkpoint') });
    const done = await transact(streams, CHECKPOINTS_ID, context, recordCheckpoint(made, newest));
    return done.kind === 'written';
  };

async function createdAt(events: Pick<EventStore, 'read'>): Promise<number | undefined> {
  const record = await recordBeforeBreak(events);
  return record.status === 'absent' ? undefined : record.createdAt;
}

/**
 * A checkpoint of the log as it is now; undefined if it has nothing new. Chains are not checked: a break that a reader
 * finds must not leave the rest of the log unsigned. Throws as MakeCheckpoint does.
 */
export async function nextCheckpoint(
  events: Pick<EventStore, 'read' | 'follow' | 'head'>,
  newest: CheckpointMade | undefined,
  { secrets, world }: Pick<CheckpointNeeds, 'secrets' | 'world'>,
  signal: AbortSignal,
): Promise<CheckpointMade | undefined> {
  const at = world.now();
  const to = await events.head();
  const keys = knownKeys(publicKeysOf(secrets), await recordBeforeBreak(events));
  const tree = newest === undefined ? new MerkleTree() : continuedTree(newest, keys);
  const after = newest === undefined ? -1n : await placeOf(events, newest);
  const path = newest && tree.trackSize();
  let storeId = newest?.storeId;
  const rest = restBetween(world, signal);
  let last: StoredEvent | undefined;
  for await (const batch of readLog(events, { after, to, categories: [] }, signal)) {
    for (const stored of batch.events) {
      if (stored.position > to) break;
      const { stream, revision, id } = stored;
      tree.add(leafHash(stream, revision, hashOf(stored)));
      if (storeId === undefined && stream === 'store-0') storeId = id;
      last = stored;
      const resting = rest();
      if (resting !== undefined) await resting;
    }
    signal.throwIfAborted();
  }
  if (last === undefined) return undefined;
  const { stream, revision, position } = last;
  const edge = [...tree.perfect];
  const root = tree.root();
  tree.end(); // completes the path
  const older = newest && path && { treeSize: newest.treeSize, root: newest.root, path };
  const receipt = signedCheckpoint({ events: tree.size, root, position, storeId }, secrets, at, older);
  return { ...receipt, edge, last: { stream, revision } };
}

/** The tree of the newest checkpoint. A person who can write the log must not have the service sign another past. */
function continuedTree(newest: CheckpointMade, keys: readonly string[]): MerkleTree {
  const tree = MerkleTree.from(newest.treeSize, newest.edge);
  if (tree?.root() !== newest.root) throw broken(newest, 'its subtrees do not have its root');
  if (!keys.some((key) => isSignedBy(receiptOf(newest), key)))
    throw broken(newest, 'no known key of this store signed it. If its secret was removed, add it again');
  return tree;
}

/** The position in this store: a copy of a log has others. */
async function placeOf(events: Pick<EventStore, 'read'>, newest: CheckpointMade): Promise<bigint> {
  const { stream, revision } = newest.last;
  for await (const stored of events.read(stream, revision - 1, 1))
    if (stored.revision === revision) return stored.position;
  throw broken(newest, `its last event, ${stream}@${revision}, is not in the log`);
}

const broken = ({ madeAt, treeSize }: CheckpointMade, why: string): AppError =>
  new AppError(
    'CheckpointBroken',
    `No further checkpoint is created: that of ${treeSize} events at ${madeAt} cannot be continued, because ${why}. Run \`counterfoil audit verify\`.`,
  );
