// Brings documents of a log projection up to events, in log order: each once, and none before another one of its
// stream.
import type { EventStore, StoredEvent } from '../../../stores/event-store.ts';
import type { ReadModelStore, ReadModels, Stored } from '../../../stores/read-models.ts';
import type { World } from '../../../world.ts';
import type { Change, LogProjection } from '../../projection.ts';
import type { Copy } from '../generations/copy.ts';
import { isDiscarded } from '../parked/discards.ts';
import { parkLog } from '../parked/parked-records.ts';
import { faultAt, type ProjectionFault } from '../parked/projection-fault.ts';
import { Documents } from './documents.ts';
import { HeldStreams } from './held-streams.ts';
import type { StreamReaders } from './stream-readers.ts';

export interface ApplyLogParts {
  readonly events: Pick<EventStore, 'read'>;
  readonly store: ReadModelStore;
  readonly world: Pick<World, 'now' | 'sleep'>;
}

/** Events of a batch that are projected together: a document that many of them change is read once and written once. */
export const EVENTS_A_BATCH = 500;
/** Newest reads of ids that a store has not seen are few at a time. */
const IDS_A_READ = 100;
const ROWS_A_WRITE = 500;

export interface Applied {
  /** The last event that was applied, or passed over by order; undefined if there was none. */
  readonly reached: bigint | undefined;
  /** Before which event the projection waits for a newer node, which is on record. */
  readonly parked: ProjectionFault | undefined;
}

/**
 * Applies events, in log order, to one generation: everything before them is applied already, and some of them may be.
 * Documents are written with the position of the last event that changed them, so a second follower, or a batch that is
 * applied twice, changes nothing.
 *
 * An event that cannot be projected parks its stream: the projection goes on without it (`held`), until the code or the
 * log was mended or an operator discarded the event. Before an event that only a newer node knows the projection waits
 * for a while, as a whole: a node that brings it past soon leaves no hole. Rejects with StoreUnavailable, and may be
 * called again with the same events.
 */
export async function applyToLog<Doc extends object, K extends string>(
  parts: ApplyLogParts,
  of: LogProjection<Doc, K>,
  copy: Copy<Doc, K>,
  readers: StreamReaders<Doc>,
  events: readonly StoredEvent[],
  held = new HeldStreams(parts.store, copy),
): Promise<Applied> {
  let reached: bigint | undefined;
  let left = (await withReturned(of, readers, events, held)).filter((stored) => !held.has(stored));
  for (let turn = 0; left.length > 0; turn += 1) {
    if (turn > 0) await parts.world.sleep(0, new AbortController().signal);
    const batch = left.slice(0, EVENTS_A_BATCH);
    const { taken, fault } = await applyBatch(parts, of, copy, readers, batch);
    reached = batch[taken - 1]?.position ?? reached;
    left = left.slice(taken);
    if (fault === undefined) continue;
    const now = parts.world.now();
    const record = await parkLog(parts, copy, fault, now);
    if (record.held === undefined && held.waitsFor(record, now)) return { reached, parked: fault };
    if (record.held !== 'passed') await parkLog(parts, copy, fault, now, 'passed');
    held.add(record, left[0]?.revision);
    left = left.filter((stored) => !held.has(stored));
  }
  return { reached, parked: undefined };
}

/** With the events, before them, of streams that were taken in again: those that this process has passed over. */
async function withReturned<Doc extends object, K extends string>(
  { add }: LogProjection<Doc, K>,
  readers: StreamReaders<Doc>,
  events: readonly StoredEvent[],
  held: HeldStreams,
): Promise<readonly StoredEvent[]> {
  if (add !== undefined) return events; // its holes are closed by a rebuild alone
  const returned = await held.returned(events);
  const missed: StoredEvent[] = [];
  for (const [stream, from] of returned) {
    const next = events.find((stored) => stored.stream === stream)?.revision ?? from;
    missed.push(...(await readers.between(stream, from, next)));
  }
  return missed.length === 0 ? events : [...missed, ...events];
}

/** Applies up to EVENTS_A_BATCH events, up to the first that cannot be projected. */
export async function applyBatch<Doc extends object, K extends string>(
  parts: ApplyLogParts,
  of: LogProjection<Doc, K>,
  copy: Copy<Doc, K>,
  readers: StreamReaders<Doc>,
  batch: readonly StoredEvent[],
): Promise<Taken> {
  const { changed, taken, fault } = await projectBatch(parts, of, copy, readers, batch);
  for (let at = 0; at < changed.length; at += ROWS_A_WRITE)
    await parts.store.write(copy, changed.slice(at, at + ROWS_A_WRITE));
  return { taken, ...(fault !== undefined && { fault }) };
}

interface Projected<Doc> extends Taken {
  readonly changed: readonly Stored<Doc>[];
}

async function projectBatch<Doc extends object, K extends string>(
  { store }: ApplyLogParts,
  of: LogProjection<Doc, K>,
  copy: Copy<Doc, K>,
  readers: StreamReaders<Doc>,
  batch: readonly StoredEvent[],
): Promise<Projected<Doc>> {
  const docs = new Documents<Doc>(of);
  const find = async (ids: readonly string[]): Promise<void> => {
    for (let from = 0; from < ids.length; from += IDS_A_READ)
      docs.found(await store.get(copy, ids.slice(from, from + IDS_A_READ)));
  };
  // whole documents are guarded by their revisions: nobody reads the earlier ones
  const taken = await readChanges(store, of.name, readers, batch, docs, of.add && find);
  return { ...taken, changed: docs.changed };
}

interface Taken {
  /** So many of the events are applied, or passed over by order. */
  readonly taken: number;
  /** Why the next one could not be. */
  readonly fault?: ProjectionFault;
}

/**
 * Applies events to documents in memory; `find` brings those that the events change, where they are not there already.
 */
export async function readChanges<Doc extends object>(
  store: ReadModels,
  name: string,
  readers: StreamReaders<Doc>,
  batch: readonly StoredEvent[],
  docs: Documents<Doc>,
  find?: (ids: readonly string[]) => Promise<void>,
): Promise<Taken> {
  const { read, fault: unread } = await readBatch(store, name, readers, batch);
  const wanted = read.flatMap((changes) => changes.map(({ id }) => id));
  await find?.([...new Set(wanted)]);
  for (const [place, changes] of read.entries()) {
    const stored = batch[place];
    if (stored === undefined) break;
    try {
      docs.change(stored.position, changes);
    } catch (cause) {
      if (!(await isDiscarded(store, name, stored))) return { taken: place, fault: faultAt(stored, cause) };
    }
  }
  return { taken: read.length, ...(unread !== undefined && { fault: unread }) };
}

/** The changes of the events, up to the first unreadable event. */
async function readBatch<Doc extends object>(
  store: ReadModels,
  name: string,
  readers: StreamReaders<Doc>,
  batch: readonly StoredEvent[],
): Promise<{ readonly read: readonly (readonly Change<Doc>[])[]; readonly fault?: ProjectionFault }> {
  const faults = await readers.prepare(batch);
  const read: (readonly Change<Doc>[])[] = [];
  for (const stored of batch) {
    const known = faults.get(stored.stream);
    if (known !== undefined) return { read, fault: known };
    try {
      read.push(readers.read(stored));
    } catch (cause) {
      const fault = faultAt(stored, cause);
      if (!(await isDiscarded(store, name, stored))) return { read, fault };
      readers.pass(stored);
      read.push([]);
    }
  }
  return { read };
}
