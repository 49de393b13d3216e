// Brings documents of one projection up to events: exactly the next event of a stream is applied, and what fails waits visibly.
import type { EventStore, StoredEvent } from '../../stores/event-store.ts';
import type { ReadModelStore, Stored } from '../../stores/read-models.ts';
import { NoSuchGeneration } from '../../stores/read-models.ts';
import type { World } from '../../world.ts';
import type { Projection } from '../projection.ts';
import { type Copy, copyOf } from './catalog.ts';
import { isDiscarded, park, parkedAmong, unpark } from './parked.ts';

export interface ApplyParts {
  readonly events: EventStore;
  readonly store: ReadModelStore;
  readonly world: World;
}

/** Events that are applied between two turns of the event loop. */
const EVENTS_AT_ONCE = 200;

interface Fault {
  readonly stored: StoredEvent;
  readonly cause: unknown;
}

type Row<Doc> = Stored<Doc> | undefined;
export const idIn = (category: string, stream: string): string => stream.slice(category.length + 1);

/**
 * Applies events of the projection's category, in log order, to the first of `generations` and writes what changed to all.
 * Documents that are further already stay; a stream whose next event cannot be projected is parked.
 * Rejects with StoreUnavailable, and may be called again with the same events.
 */
export async function applyEvents<Doc extends object, K extends string>(
  parts: ApplyParts,
  of: Projection<Doc, K>,
  generations: readonly number[],
  events: readonly StoredEvent[],
): Promise<void> {
  const [own, ...others] = generations.map((generation) => copyOf(of, generation));
  if (own === undefined) return;
  for (let from = 0; from < events.length; from += EVENTS_AT_ONCE) {
    const page = events.slice(from, from + EVENTS_AT_ONCE);
    const ids = [...new Set(page.map(({ stream }) => idIn(of.category, stream)))];
    const before = new Map<string, Row<Doc>>((await parts.store.get(own, ids)).map((row) => [row.id, row]));
    const { rows, faults, gaps } = foldPage(of, before, page);
    await writeAll(parts.store, [own, ...others], rows);
    for (const fault of faults) await meetFault(parts, of, [own, ...others], fault);
    if (gaps.length > 0) await closeGaps(parts, of, [own, ...others], gaps);
  }
}

interface Folded<Doc> {
  readonly rows: readonly Stored<Doc>[];
  readonly faults: readonly Fault[];
  /** Streams whose document is further behind than these events. */
  readonly gaps: readonly string[];
}

function foldPage<Doc extends object, K extends string>(
  of: Projection<Doc, K>,
  before: ReadonlyMap<string, Row<Doc>>,
  page: readonly StoredEvent[],
): Folded<Doc> {
  const changed = new Map<string, Stored<Doc>>();
  const faults = new Map<string, Fault>();
  const gaps = new Set<string>();
  for (const stored of page) {
    const id = idIn(of.category, stored.stream);
    const row = changed.get(id) ?? before.get(id);
    const next = (row?.revision ?? -1) + 1;
    if (stored.revision < next || faults.has(stored.stream)) continue;
    if (stored.revision > next) {
      gaps.add(stored.stream);
      continue;
    }
    try {
      changed.set(id, { id, revision: stored.revision, doc: of.project(row?.doc, stored) });
    } catch (cause) {
      faults.set(stored.stream, { stored, cause });
    }
  }
  return { rows: [...changed.values()], faults: [...faults.values()], gaps: [...gaps] };
}

/** A gap is what a parked stream leaves; any other one is closed from the stream itself. */
async function closeGaps<Doc extends object, K extends string>(
  parts: ApplyParts,
  of: Projection<Doc, K>,
  copies: readonly Copy<Doc, K>[],
  streams: readonly string[],
): Promise<void> {
  const [own] = copies;
  if (own === undefined) return;
  const waiting = await parkedAmong(parts.store, own, streams);
  for (const stream of streams) if (!waiting.has(stream)) await catchUpStream(parts, of, copies, stream);
}

/** Puts a stream that cannot go on on record; an event that an operator discarded is passed over instead. */
async function meetFault<Doc extends object, K extends string>(
  parts: ApplyParts,
  of: Projection<Doc, K>,
  copies: readonly Copy<Doc, K>[],
  { stored, cause }: Fault,
): Promise<void> {
  const [own] = copies;
  if (own === undefined) return;
  if (await isDiscarded(parts.store, of.name, stored)) await catchUpStream(parts, of, copies, stored.stream);
  else await park(parts.store, own, stored, cause, parts.world.now());
}

/** Folds a stream from its document to its end, writes it, and parks it where that is not possible. True when it got to the end. */
export async function catchUpStream<Doc extends object, K extends string>(
  parts: ApplyParts,
  of: Projection<Doc, K>,
  copies: readonly Copy<Doc, K>[],
  stream: string,
): Promise<boolean> {
  const [own] = copies;
  if (own === undefined) return true;
  const id = idIn(of.category, stream);
  const [row] = await parts.store.get(own, [id]);
  const { reached, fault } = await foldStream(parts, of, stream, row, Number.POSITIVE_INFINITY);
  if (reached !== undefined && reached !== row) await writeAll(parts.store, copies, [reached]);
  if (fault === undefined) await unpark(parts.store, own, stream);
  else await park(parts.store, own, fault.stored, fault.cause, parts.world.now());
  return fault === undefined;
}

/**
 * The document at `revision`, or as far as the stream goes, from an older one. Events that an operator discarded leave it as it is.
 * A fault says which event stopped it before.
 */
export async function foldStream<Doc extends object, K extends string>(
  { events, store }: Pick<ApplyParts, 'events' | 'store'>,
  of: Projection<Doc, K>,
  stream: string,
  from: Row<Doc>,
  revision: number,
): Promise<{ readonly reached: Row<Doc>; readonly fault?: Fault }> {
  const id = idIn(of.category, stream);
  let row = from;
  if ((row?.revision ?? -1) >= revision) return { reached: row };
  for await (const stored of events.read(stream, row?.revision ?? -1)) {
    try {
      row = { id, revision: stored.revision, doc: of.project(row?.doc, stored) };
    } catch (cause) {
      if (!(await isDiscarded(store, of.name, stored))) return { reached: row, fault: { stored, cause } };
      if (row !== undefined) row = { ...row, revision: stored.revision };
    }
    if (stored.revision >= revision) break;
  }
  return { reached: row };
}

/** A generation written besides the first may be gone: its build was given up. */
async function writeAll<Doc extends object, K extends string>(
  store: ReadModelStore,
  [own, ...others]: readonly Copy<Doc, K>[],
  rows: readonly Stored<Doc>[],
): Promise<void> {
  if (own === undefined || rows.length === 0) return;
  const isGone = (fault: unknown): void => {
    if (!(fault instanceof NoSuchGeneration)) throw fault;
  };
  await Promise.all([store.write(own, rows), ...others.map((copy) => store.write(copy, rows).catch(isGone))]);
}
