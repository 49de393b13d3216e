// Brings documents of one projection up to events: exactly the next event of a stream is applied, and what fails waits visibly.
import { type Break, BrokenStream } from '../../journal/broken-stream.ts';
import { chained, linkOf } from '../../journal/chain.ts';
import type { EventStore, StoredEvent } from '../../stores/event-store.ts';
import type { ReadModelStore, Stored } from '../../stores/read-models.ts';
import { NoSuchGeneration } from '../../stores/read-models.ts';
import type { World } from '../../world.ts';
import type { StreamProjection } from '../projection.ts';
import { type Copy, copyOf } from './catalog.ts';
import type { Heads } from './heads.ts';
import { isDiscarded, park, parkedAmong, unpark } from './parked.ts';

export interface ApplyParts {
  readonly events: EventStore;
  readonly store: ReadModelStore;
  readonly world: World;
  readonly heads: Heads;
}

/** Events that are folded before their documents are written: a stream's events are often near each other in the log. */
const EVENTS_A_PAGE = 10_000;
/** Of those, how many between two turns of the event loop, and how many documents are written at once: requests go first. */
const EVENTS_A_TURN = 500;
const ROWS_A_WRITE = 500;

interface Fault {
  readonly stored: Break;
  readonly cause: unknown;
}

type Row<Doc> = Stored<Doc> | undefined;
export const idIn = (category: string, stream: string): string => stream.slice(category.length + 1);

/**
 * Applies events of the projection's category, in log order, to the first of `generations` and writes what changed to all.
 * Documents that are further already stay; a stream whose next event cannot be projected, or does not follow, is parked.
 * Rejects with StoreUnavailable, and may be called again with the same events.
 */
export async function applyEvents<Doc extends object, K extends string>(
  parts: ApplyParts,
  of: StreamProjection<Doc, K>,
  generations: readonly number[],
  events: readonly StoredEvent[],
): Promise<void> {
  const copies = generations.map((generation) => copyOf(of, generation));
  for (let from = 0; from < events.length; from += EVENTS_A_PAGE) {
    const { changed, faults, gaps } = await foldPage(parts, of, copies, events.slice(from, from + EVENTS_A_PAGE));
    const rows = [...changed.values()];
    for (let at = 0; at < rows.length; at += ROWS_A_WRITE) await writeAll(parts.store, copies, rows.slice(at, at + ROWS_A_WRITE));
    for (const fault of faults.values()) await meetFault(parts, of, copies, fault);
    if (gaps.size > 0) await closeGaps(parts, of, copies, [...gaps]);
  }
}

interface Folded<Doc> {
  readonly changed: Map<string, Stored<Doc>>;
  /** By stream. */
  readonly faults: Map<string, Fault>;
  /** Streams whose document lags further than these events, or whose last link is not known. */
  readonly gaps: Set<string>;
}

async function foldPage<Doc extends object, K extends string>(
  { store, world, heads }: ApplyParts,
  of: StreamProjection<Doc, K>,
  [own]: readonly Copy<Doc, K>[],
  page: readonly StoredEvent[],
): Promise<Folded<Doc>> {
  const folded: Folded<Doc> = { changed: new Map(), faults: new Map(), gaps: new Set() };
  const before = new Map<string, Row<Doc>>();
  for (let from = 0; own !== undefined && from < page.length; from += EVENTS_A_TURN) {
    if (from > 0) await world.sleep(0, new AbortController().signal);
    const turn = page.slice(from, from + EVENTS_A_TURN);
    const unknown = new Set(turn.map(({ stream }) => idIn(of.category, stream)).filter((id) => !before.has(id)));
    for (const id of unknown) before.set(id, undefined);
    for (const row of unknown.size === 0 ? [] : await store.get(own, [...unknown])) before.set(row.id, row);
    await heads.learn(linksWanted(of, before, turn));
    for (const stored of turn) foldOne(of, heads, before, folded, stored);
  }
  return folded;
}

/** Of the documents that were read and are to be taken further: what their next events have to follow. */
function linksWanted<Doc extends object, K extends string>(
  of: StreamProjection<Doc, K>,
  before: ReadonlyMap<string, Row<Doc>>,
  turn: readonly StoredEvent[],
): ReadonlyMap<string, number> {
  const wanted = new Map<string, number>();
  for (const { stream, revision } of turn)
    if (revision > 0 && before.get(idIn(of.category, stream))?.revision === revision - 1) wanted.set(stream, revision - 1);
  return wanted;
}

function foldOne<Doc extends object, K extends string>(
  of: StreamProjection<Doc, K>,
  heads: Heads,
  before: ReadonlyMap<string, Row<Doc>>,
  { changed, faults, gaps }: Folded<Doc>,
  stored: StoredEvent,
): void {
  const id = idIn(of.category, stored.stream);
  const row = changed.get(id) ?? before.get(id);
  const next = (row?.revision ?? -1) + 1;
  if (stored.revision < next || faults.has(stored.stream)) return;
  const last = heads.at(stored.stream, next - 1);
  if (stored.revision > next || last === undefined) {
    gaps.add(stored.stream);
    return;
  }
  try {
    heads.keep(stored.stream, linkOf(last, stored));
    changed.set(id, { id, revision: stored.revision, doc: of.project(row?.doc, stored) });
  } catch (cause) {
    faults.set(stored.stream, { stored, cause });
  }
}

/** A parked or broken stream leaves a gap; any other gap is closed from the stream itself. */
async function closeGaps<Doc extends object, K extends string>(
  parts: ApplyParts,
  of: StreamProjection<Doc, K>,
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
  of: StreamProjection<Doc, K>,
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
  of: StreamProjection<Doc, K>,
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
  { events, store, heads }: Pick<ApplyParts, 'events' | 'store' | 'heads'>,
  of: StreamProjection<Doc, K>,
  stream: string,
  from: Row<Doc>,
  revision: number,
): Promise<{ readonly reached: Row<Doc>; readonly fault?: Fault }> {
  const id = idIn(of.category, stream);
  let row = from;
  if ((row?.revision ?? -1) >= revision) return { reached: row };
  try {
    for await (const { stored, link } of chained(events, stream, row?.revision ?? -1)) {
      try {
        row = { id, revision: stored.revision, doc: of.project(row?.doc, stored) };
      } catch (cause) {
        if (!(await isDiscarded(store, of.name, stored))) return { reached: row, fault: { stored, cause } };
        if (row !== undefined) row = { ...row, revision: stored.revision };
      }
      heads.keep(stream, link);
      if (stored.revision >= revision) break;
    }
  } catch (cause) {
    if (!(cause instanceof BrokenStream)) throw cause;
    return { reached: row, fault: { stored: cause, cause } };
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
