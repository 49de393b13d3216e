// Brings documents of a log projection up to events, in log order: each once, none before another, and none passed over but by order.
import type { StoredEvent } from '../../../stores/event-store.ts';
import type { ReadModelStore, Stored } from '../../../stores/read-models.ts';
import type { World } from '../../../world.ts';
import type { Change, LogProjection } from '../../projection.ts';
import type { Copy } from '../catalog.ts';
import { isDiscarded, parkIn } from '../parked.ts';
import { type Fault, faultAt, type StreamReaders } from './stream-readers.ts';

export interface ApplyLogParts {
  readonly store: ReadModelStore;
  readonly world: Pick<World, 'now' | 'sleep'>;
}

/** Events of a batch that are projected together: a document that many of them change is read once and written once. */
const EVENTS_A_BATCH = 500;
/** Newest reads of ids that a store has not seen are few at a time. */
const IDS_A_READ = 100;
const ROWS_A_WRITE = 500;

export interface Applied {
  /** The last event that was applied, or passed over by order; undefined when there was none. */
  readonly reached: bigint | undefined;
  /** Why the next one could not be, which is on record. */
  readonly parked: Fault | undefined;
}

/**
 * Applies events, in log order, to one generation: everything before them is applied already, and some of them may be. Documents are
 * written with the position of the last event that changed them, so a second follower, or a batch that is applied twice, changes nothing.
 *
 * The first event that cannot be projected parks the projection: what comes before it is written, nothing after it is, and it goes on
 * after the code or the log was mended or an operator discarded the event. Rejects with StoreUnavailable, and may be called again with
 * the same events.
 */
export async function applyToLog<Doc extends object, K extends string>(
  parts: ApplyLogParts,
  of: LogProjection<Doc, K>,
  copy: Copy<Doc, K>,
  readers: StreamReaders<Doc>,
  events: readonly StoredEvent[],
): Promise<Applied> {
  let reached: bigint | undefined;
  for (let from = 0; from < events.length; ) {
    if (from > 0) await parts.world.sleep(0, new AbortController().signal);
    const batch = events.slice(from, from + EVENTS_A_BATCH);
    const { changed, taken, fault } = await projectBatch(parts, of, copy, readers, batch);
    for (let at = 0; at < changed.length; at += ROWS_A_WRITE) await parts.store.write(copy, changed.slice(at, at + ROWS_A_WRITE));
    reached = batch[taken - 1]?.position ?? reached;
    from += taken;
    if (fault === undefined) continue;
    await parkIn(parts.store, copy, fault.stored, fault.cause, parts.world.now());
    return { reached, parked: fault };
  }
  return { reached, parked: undefined };
}

interface Projected<Doc> {
  readonly changed: readonly Stored<Doc>[];
  /** So many events of the batch are applied, or passed over. */
  readonly taken: number;
  readonly fault?: Fault;
}

async function projectBatch<Doc extends object, K extends string>(
  { store }: ApplyLogParts,
  of: LogProjection<Doc, K>,
  copy: Copy<Doc, K>,
  readers: StreamReaders<Doc>,
  batch: readonly StoredEvent[],
): Promise<Projected<Doc>> {
  const { read, fault: unread } = await readBatch(store, of.name, readers, batch);
  const docs = new Documents<Doc>();
  const ids = [...new Set(read.flatMap((changes) => changes.map(({ id }) => id)))];
  for (let from = 0; from < ids.length; from += IDS_A_READ) docs.found(await store.get(copy, ids.slice(from, from + IDS_A_READ)));
  for (const [place, changes] of read.entries()) {
    const stored = batch[place];
    if (stored === undefined) break;
    try {
      docs.change(stored.position, changes);
    } catch (cause) {
      if (!(await isDiscarded(store, of.name, stored))) return { changed: docs.changed, taken: place, fault: { stored, cause } };
    }
  }
  return { changed: docs.changed, taken: read.length, ...(unread !== undefined && { fault: unread }) };
}

/** What the events change, up to the first that cannot be read. */
async function readBatch<Doc extends object>(
  store: ReadModelStore,
  name: string,
  readers: StreamReaders<Doc>,
  batch: readonly StoredEvent[],
): Promise<{ readonly read: readonly (readonly Change<Doc>[])[]; readonly fault?: Fault }> {
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

/** The documents that a batch changes, each at the position that it has seen. */
class Documents<Doc extends object> {
  readonly #rows = new Map<string, Stored<Doc>>();
  readonly #changed = new Set<string>();

  found(rows: readonly Stored<Doc>[]): void {
    for (const row of rows) this.#rows.set(row.id, row);
  }

  /** All changes of an event, or none where one throws. A document that has seen the event stays. */
  change(position: bigint, changes: readonly Change<Doc>[]): void {
    const made = new Map<string, Stored<Doc>>();
    const revision = Number(position); // below 2^53 in every log that we know
    for (const { id, change } of changes) {
      const before = this.#rows.get(id);
      if (before !== undefined && before.revision >= revision) continue;
      made.set(id, { id, revision, doc: change((made.get(id) ?? before)?.doc) });
    }
    for (const [id, row] of made) {
      this.#rows.set(id, row);
      this.#changed.add(id);
    }
  }

  get changed(): readonly Stored<Doc>[] {
    return [...this.#changed].flatMap((id) => this.#rows.get(id) ?? []);
  }
}
