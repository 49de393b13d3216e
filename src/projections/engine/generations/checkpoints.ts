// The position of each generation of each projection in the log: kept now and then, and only ever moved forward.
import { AppError } from '../../../app-error.ts';
import type { EventStore } from '../../../stores/event-store.ts';
import type { Collection, ReadModelStore } from '../../../stores/read-models.ts';
import { type Copy, type CopyName, copyId } from './copy.ts';

interface Checkpoint {
  readonly position: string;
  /** The log that the position is of; older checkpoints do not say. */
  readonly log?: string;
  /** The store's mark when the documents up to here were synced; see ReadModelStore.sync. */
  readonly mark?: number;
}
export const checkpoints: Collection<Checkpoint, never> = { name: 'checkpoints', version: 1, keys: {}, indexes: [] };

export interface CheckpointParts {
  readonly store: ReadModelStore;
  readonly events: EventStore;
}

const names = new WeakMap<EventStore, string>();

/**
 * Tells logs apart: the id of the first event of the store, and its position, since a copy has the same event at
 * another position.
 */
export async function nameOf(events: EventStore): Promise<string | undefined> {
  const known = names.get(events);
  if (known !== undefined) return known;
  for await (const { id, position } of events.read('store-0', -1)) {
    names.set(events, `${id}@${position}`);
    break;
  }
  return names.get(events);
}

/**
 * Throws OtherLog if one of these generations was built from another log, which a position alone cannot always tell.
 */
export async function checkLog({ store, events }: CheckpointParts, copies: readonly CopyName[]): Promise<void> {
  const log = await nameOf(events);
  const rows = await store.get(checkpoints, copies.map(copyId));
  for (const { id, doc } of rows) if (doc.log !== undefined && doc.log !== log) throw new OtherLog(id);
}

/** The mark that came with the checkpoint; 0 for one without. */
export async function markOf(store: ReadModelStore, copy: CopyName): Promise<number> {
  const [row] = await store.get(checkpoints, [copyId(copy)]);
  return row?.doc.mark ?? 0;
}

/** The positions up to which each of these generations holds everything, in their order; -1n before the first event. */
export async function loadCheckpoints(store: ReadModelStore, copies: readonly CopyName[]): Promise<readonly bigint[]> {
  const ids = copies.map(copyId);
  const rows = new Map((await store.get(checkpoints, ids)).map(({ id, doc }) => [id, BigInt(doc.position)]));
  return ids.map((id) => rows.get(id) ?? -1n);
}

/** A copy whose documents a store can make durable, and up to where it has them. */
interface Reached {
  readonly name: CopyName;
  readonly position: bigint;
  readonly sync: (store: ReadModelStore) => Promise<number | undefined>;
}

export const reachedIn = <Doc extends object, K extends string>(copy: Copy<Doc, K>, position: bigint): Reached => ({
  name: copy,
  position,
  sync: (store) => store.sync(copy),
});

/**
 * First the rows are made to survive a loss of power, then the claim that they are there. Where that fails for some,
 * the others' checkpoints are kept all the same, before it rejects.
 */
export async function saveCheckpoints({ store, events }: CheckpointParts, reached: readonly Reached[]): Promise<void> {
  const synced = await Promise.allSettled(reached.map(({ sync }) => sync(store)));
  // learned before any read of it: a checkpoint is kept while the event store is unavailable, too
  const log = names.get(events);
  const rows = reached.flatMap(({ name, position }, place) => {
    const its = synced[place];
    if (its?.status !== 'fulfilled') return [];
    const mark = its.value;
    const doc: Checkpoint = {
      position: String(position),
      ...(log !== undefined && { log }),
      ...(mark !== undefined && { mark }),
    };
    // Guarded like any document, by the position itself (below 2^53 in every log that we know).
    return [{ id: copyId(name), revision: Number(position) + 1, doc }];
  });
  if (rows.length > 0) await store.write(checkpoints, rows);
  const failed = synced.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

export const saveCheckpoint = <Doc extends object, K extends string>(
  parts: CheckpointParts,
  copy: Copy<Doc, K>,
  position: bigint,
): Promise<void> => saveCheckpoints(parts, [reachedIn(copy, position)]);

/**
 * The positions up to which these generations hold everything, and the end of the log. Throws OtherLog and
 * CheckpointBeyondLog if a checkpoint is not a position of this log; documents are not checked.
 */
export async function placesInLog(
  { store, events }: CheckpointParts,
  copies: readonly CopyName[],
): Promise<{ readonly positions: readonly bigint[]; readonly head: bigint }> {
  const positions = await loadCheckpoints(store, copies);
  await checkLog({ store, events }, copies);
  const head = await events.head(); // read after the checkpoints, which another process may move
  for (const [place, { name }] of copies.entries()) {
    const position = positions[place] ?? -1n;
    if (position > head) throw new CheckpointBeyondLog(name, position, head);
  }
  return { positions, head };
}

/** True if a checkpoint of these generations is not a position of this log. Rejects with StoreUnavailable. */
export function areOfAnotherLog(parts: CheckpointParts, copies: readonly CopyName[]): Promise<boolean> {
  return placesInLog(parts, copies).then(
    () => false,
    (fault: unknown) => {
      if (isOfAnotherLog(fault)) return true;
      throw fault;
    },
  );
}

/** The error codes of stores and this engine for a checkpoint that is not a position of this log. */
const WRONG_LOG: ReadonlySet<string> = new Set(['OtherLog', 'CheckpointBeyondLog', 'LogEndsBefore', 'NoSuchPosition']);
export const isOfAnotherLog = (fault: unknown): fault is AppError =>
  fault instanceof AppError && WRONG_LOG.has(fault.code);

export class OtherLog extends AppError {
  constructor(id: string) {
    super(
      'OtherLog',
      `The read model ${id} was built from another log than the one that is configured. ` +
        'Restore the right log, or run `counterfoil projections rebuild --all`.',
    );
  }
}

/** The read models know more than the log: it was restored from an older backup, or they belong to another log. */
export class CheckpointBeyondLog extends AppError {
  constructor(name: string, position: bigint, head: bigint) {
    super(
      'CheckpointBeyondLog',
      `The read model ${name} was built up to event ${position}, but the log ends at ${head}: the log was restored from an older backup, or ` +
        'the read models belong to another log. Put the right log back, or start once with `counterfoil serve --accept-shorter-log`.',
    );
  }
}
