// Brings documents of streams up to events of the log: exactly the next event of a stream is applied; a stream that
// cannot go on is parked.
import { linkOf } from '../../../journal/chain.ts';
import type { StoredEvent } from '../../../stores/event-store.ts';
import type { Stored } from '../../../stores/read-models.ts';
import { idOf, streamOf } from '../../../stores/stream-name.ts';
import type { StreamProjection } from '../../projection.ts';
import { type Copy, copyOf } from '../generations/copy.ts';
import { writeEach } from '../generations/write-copies.ts';
import { isDiscarded } from '../parked/discards.ts';
import { park, parkedAmong } from '../parked/parked-records.ts';
import { faultAt, type ProjectionFault } from '../parked/projection-fault.ts';
import { type ApplyParts, catchUpStream } from './catch-up-stream.ts';
import type { Heads } from './heads.ts';

/**
 * Events that are folded before their documents are written: a stream's events are often near each other in the log.
 */
const EVENTS_A_PAGE = 10_000;
/**
 * How many of them between two turns of the event loop, and how many documents are written at once: requests go first.
 */
const EVENTS_A_TURN = 500;
const ROWS_A_WRITE = 500;

/**
 * Applies events of the projection's category, in log order, to the first of `generations` and writes what changed to
 * all. Documents that are further already stay; a stream whose next event cannot be projected, or does not follow, is
 * parked. Rejects with StoreUnavailable, and may be called again with the same events.
 */
export async function applyEvents<Doc extends object, K extends string>(
  parts: ApplyParts,
  of: StreamProjection<Doc, K>,
  generations: readonly number[],
  events: readonly StoredEvent[],
): Promise<void> {
  const copies = generations.map((generation) => copyOf(of, generation));
  const [own] = copies;
  if (own === undefined) return;
  for (let from = 0; from < events.length; from += EVENTS_A_PAGE) {
    const { changed, faults, gaps } = await foldPage(parts, of, own, events.slice(from, from + EVENTS_A_PAGE));
    const rows = [...changed.values()];
    for (let at = 0; at < rows.length; at += ROWS_A_WRITE)
      await writeEach(parts.store, copies, rows.slice(at, at + ROWS_A_WRITE));
    for (const [stream, fault] of faults) {
      if (await isDiscarded(parts.store, of.name, fault.stored)) await catchUpStream(parts, of, copies, stream);
      else await park(parts, own, fault, parts.world.now());
    }
    if (gaps.size === 0) continue;
    const waiting = await parkedAmong(parts.store, own, [...gaps]); // a parked or broken stream leaves a gap
    for (const stream of gaps) if (!waiting.has(stream)) await catchUpStream(parts, of, copies, stream);
  }
}

/** The documents as the store has them, by stream. */
type Before<Doc> = ReadonlyMap<string, Stored<Doc> | undefined>;

interface FoldedPage<Doc> {
  /** By stream. */
  readonly changed: Map<string, Stored<Doc>>;
  /** By stream. */
  readonly faults: Map<string, ProjectionFault>;
  /** Streams whose document lags further than these events, or whose last link is not known. */
  readonly gaps: Set<string>;
}

async function foldPage<Doc extends object, K extends string>(
  { store, world, heads }: ApplyParts,
  of: StreamProjection<Doc, K>,
  own: Copy<Doc, K>,
  page: readonly StoredEvent[],
): Promise<FoldedPage<Doc>> {
  const folded: FoldedPage<Doc> = { changed: new Map(), faults: new Map(), gaps: new Set() };
  const before = new Map<string, Stored<Doc> | undefined>();
  for (let from = 0; from < page.length; from += EVENTS_A_TURN) {
    if (from > 0) await world.sleep(0, new AbortController().signal);
    const turn = page.slice(from, from + EVENTS_A_TURN);
    const unread = new Set(turn.map(({ stream }) => stream).filter((stream) => !before.has(stream)));
    for (const stream of unread) before.set(stream, undefined);
    const rows = unread.size === 0 ? [] : await store.get(own, [...unread].map(idOf));
    for (const row of rows) before.set(streamOf(of.category, row.id), row);
    await heads.learn(linksWanted(before, turn));
    for (const stored of turn) foldOne(of, heads, before, folded, stored);
  }
  return folded;
}

/** The links of the documents to continue: what their next events have to follow. */
function linksWanted<Doc>(before: Before<Doc>, turn: readonly StoredEvent[]): ReadonlyMap<string, number> {
  const wanted = new Map<string, number>();
  for (const { stream, revision } of turn)
    if (revision > 0 && before.get(stream)?.revision === revision - 1) wanted.set(stream, revision - 1);
  return wanted;
}

function foldOne<Doc extends object, K extends string>(
  of: StreamProjection<Doc, K>,
  heads: Heads,
  before: Before<Doc>,
  { changed, faults, gaps }: FoldedPage<Doc>,
  stored: StoredEvent,
): void {
  const { stream, revision } = stored;
  const row = changed.get(stream) ?? before.get(stream);
  const next = (row?.revision ?? -1) + 1;
  if (revision < next || faults.has(stream)) return;
  const last = heads.at(stream, next - 1);
  if (revision > next || last === undefined) {
    gaps.add(stream);
    return;
  }
  try {
    heads.keep(stream, linkOf(last, stored));
    changed.set(stream, { id: idOf(stream), revision, doc: of.project(row?.doc, stored) });
  } catch (cause) {
    faults.set(stream, faultAt(stored, cause));
  }
}
