// The walk over a log that recomputes the chain of every stream and the Merkle tree of the whole; threads do most of it
// for a long embedded log.
import { type Link, linkOf } from '../journal/chain.ts';
import { beforeFirst, checkReadableData, hashOf } from '../journal/envelope.ts';
import { readLog } from '../journal/read-log.ts';
import { FOLDS } from '../queries/replay-stream.ts';
import { BrokenStream } from '../stores/broken-stream.ts';
import type { EventStore, SpreadWork, StoredEvent } from '../stores/event-store.ts';
import { categoryOf } from '../stores/stream-name.ts';
import type { Consistency } from '../verify/format.ts';
import type { World } from '../world.ts';
import { type ChainsData, ChainsNote } from './chains-note.ts';
import { leafHash } from './merkle-tree.ts';
import { LEAF_BYTES, LeavesInOrder, WalkedTree } from './walked-tree.ts';

export interface LogWalk {
  /** The last position that is read. */
  readonly to: bigint;
  /** Numbers of events: the root of the log's beginning of that length is wanted. */
  readonly sizes?: readonly number[];
  /** A number of events: a proof that the whole log extends its beginning of that length is wanted. */
  readonly since?: number | undefined;
  /** Streams of which every event is handed over with its place in the log and its path. */
  readonly take?: {
    readonly streams: Pick<ReadonlySet<string>, 'has'>;
    readonly event: (stored: StoredEvent, index: number, path: readonly string[]) => void;
  };
  /** True: chains are not checked, so that memory stays flat whatever the number of streams. `streams` is then 0. */
  readonly isTreeOnly?: true;
  /** As of `restBetween`. */
  readonly rest?: ReturnType<typeof restBetween>;
  /** The events so far, and the position that was reached. */
  readonly onProgress?: (events: number, position: bigint) => void;
}

export interface WalkedLog {
  readonly events: number;
  readonly streams: number;
  /** At most MOST_BREAKS, in the order of the log. */
  readonly breaks: readonly BrokenStream[];
  /** How many breaks there are. */
  readonly broken: number;
  readonly root: string;
  /** The root of each wanted size that the log has, `since` among them. */
  readonly roots: ReadonlyMap<number, string>;
  /** Shows that the whole log extends its beginning of the wanted length; undefined if the log is shorter. */
  readonly extended: Consistency | undefined;
  /** The position of the last event; -1n of an empty log. */
  readonly position: bigint;
  /** The id of the store's first event, undefined if the log has none. */
  readonly storeId: string | undefined;
}

/** Events that a process which answers requests reads between two rests: a few ms of its thread. */
const READ_AT_ONCE = 250;

/**
 * Called after each event, and awaited where it answers a promise: every few hundred events a rest that is half as long
 * as the work before it, so that requests of the same thread wait little.
 */
export function restBetween(
  world: Pick<World, 'monotonic' | 'sleep'>,
  signal: AbortSignal,
): () => Promise<void> | undefined {
  let begun = world.monotonic();
  let read = 0;
  const rest = async (): Promise<void> => {
    await world.sleep((world.monotonic() - begun) / 2, signal);
    begun = world.monotonic();
  };
  return () => {
    read += 1;
    return read % READ_AT_ONCE === 0 ? rest() : undefined;
  };
}

const MOST_BREAKS = 1_000;

/**
 * Reads a log from its beginning. Streams of other programs are leaves like all, and have no chain. Throws the signal's
 * reason and StoreUnavailable.
 */
export async function walkLog(
  events: Pick<EventStore, 'follow' | 'spread'>,
  walk: LogWalk,
  signal: AbortSignal,
): Promise<WalkedLog> {
  if (walk.isTreeOnly === true || walk.take !== undefined) return walkEach(events, walk, signal);
  const tree = new WalkedTree(walk);
  const leaves = new LeavesInOrder((leaf) => tree.add(leaf));
  const whole = await walkInThreads(events, walk, leaves, signal);
  if (whole === undefined) return walkEach(events, walk, signal);
  leaves.end();
  return { ...whole, ...tree.ended(), breaks: [], broken: 0, position: walk.to };
}

/** The chains of a log without its Merkle tree, as `walkLog` finds them. */
export async function walkChains(
  events: Pick<EventStore, 'follow' | 'spread'>,
  walk: Pick<LogWalk, 'to' | 'onProgress'>,
  signal: AbortSignal,
): Promise<Pick<WalkedLog, 'events' | 'broken' | 'storeId'>> {
  const whole = await walkInThreads(events, walk, undefined, signal);
  return whole === undefined ? walkEach(events, walk, signal) : { ...whole, broken: 0 };
}

/** From source or compiled. */
const chainsModule = new URL(`./chains-handler${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/**
 * Reads a log by whole streams, in threads; `leaves` gets a leaf for each event. Resolves to undefined if the store has
 * no threads for this, and unless all is whole: only a walk in the order of the log names each break.
 */
async function walkInThreads(
  events: Pick<EventStore, 'spread'>,
  { to, onProgress }: Pick<LogWalk, 'to' | 'onProgress'>,
  leaves: LeavesInOrder | undefined,
  signal: AbortSignal,
): Promise<Pick<WalkedLog, 'events' | 'streams' | 'storeId'> | undefined> {
  let count = 0;
  let isWhole = true;
  let storeId: string | undefined;
  const names: BigInt64Array[] = [];
  const take: SpreadWork['take'] = async ({ bytes, note }, share) => {
    const found = ChainsNote.parse(note);
    count += found.events;
    isWhole &&= found.isWhole;
    storeId ??= found.storeId;
    names.push(new BigInt64Array(bytes.slice(0, 8 * found.streams)));
    if (leaves !== undefined && isWhole) addLeaves(leaves, bytes, found);
    onProgress?.(count, BigInt(Math.floor(Number(to) * share)));
  };
  const data: ChainsData = { chained: [...FOLDS.keys()], withLeaves: leaves !== undefined };
  const running = events.spread?.({ module: chainsModule, data, categories: [], to, checksData: true, take }, signal);
  if (running === undefined) return undefined;
  await running;
  const streams = names.reduce((sum, { length }) => sum + length, 0);
  // Positions have no gaps: with fewer events than that, an event is not in the index by streams, or it is gone.
  const isAll = BigInt(count) === to + 1n;
  return isWhole && isAll && areDistinct(names, streams) ? { events: count, streams, storeId } : undefined;
}

/** Every position is at least 0, because the page is whole. */
function addLeaves(leaves: LeavesInOrder, bytes: ArrayBuffer, { events, streams }: ChainsNote): void {
  const positions = new BigInt64Array(bytes, 8 * streams, events);
  const all = new Uint8Array(bytes, 8 * (streams + events));
  for (const [n, position] of positions.entries())
    leaves.add(Number(position), all.subarray(n * LEAF_BYTES, (n + 1) * LEAF_BYTES));
}

/** False if two streams may have one name: each of the two would seem whole. */
function areDistinct(names: readonly BigInt64Array[], length: number): boolean {
  const all = new BigInt64Array(length);
  let end = 0;
  for (const part of names) {
    all.set(part, end);
    end += part.length;
  }
  return all.sort().every((name, at) => at === 0 || name !== all[at - 1]);
}

/** Both results. If one of the two works fails, `over` ends the other one, and its end is awaited. */
export async function bothOf<A, B>(one: Promise<A>, other: Promise<B>, over: AbortController): Promise<[A, B]> {
  try {
    return await Promise.all([one, other]);
  } finally {
    over.abort();
    await Promise.allSettled([one, other]);
  }
}

/**
 * Reads a log event by event. A break is noted, and its stream followed from there, so that a later one is found as
 * well. Memory grows with the number of streams, unless chains are left out.
 */
async function walkEach(events: Pick<EventStore, 'follow'>, walk: LogWalk, signal: AbortSignal): Promise<WalkedLog> {
  const { to, take, isTreeOnly, rest, onProgress } = walk;
  const tree = new WalkedTree(walk);
  const heads = new Map<string, Link>();
  /** The streams of other programs. */
  const others = new Set<string>();
  const breaks: BrokenStream[] = [];
  let broken = 0;
  let position = -1n;
  let storeId: string | undefined;
  const noteBreak = (fault: BrokenStream): void => {
    broken += 1;
    if (breaks.length < MOST_BREAKS) breaks.push(fault);
  };
  const hashInChain = (stored: StoredEvent): string => {
    const { stream } = stored;
    const before = heads.get(stream) ?? (FOLDS.has(categoryOf(stream)) ? beforeFirst : undefined);
    const link = before === undefined ? undefined : linkAfter(before, stored, noteBreak);
    if (link === undefined) others.add(stream);
    else heads.set(stream, link);
    return link?.hash ?? hashOf(stored);
  };
  for await (const batch of readLog(events, { after: -1n, to, categories: [] }, signal)) {
    for (const stored of batch.events) {
      if (stored.position > to) break;
      const { stream, revision } = stored;
      const hash = isTreeOnly === true ? hashOf(stored) : hashInChain(stored);
      if (storeId === undefined && stream === 'store-0') storeId = stored.id;
      const leaf = leafHash(stream, revision, hash);
      if (take?.streams.has(stream) === true) take.event(stored, tree.size, tree.addTracked(leaf));
      else tree.add(leaf);
      position = stored.position;
      const resting = rest?.();
      if (resting !== undefined) await resting;
    }
    onProgress?.(tree.size, batch.position);
  }
  const streams = heads.size + others.size;
  return { events: tree.size, streams, breaks, broken, ...tree.ended(), position, storeId };
}

/** The link of an event in its chain; a break goes to `onBreak`, and the event is where its stream goes on. */
export function linkAfter(before: Link, stored: StoredEvent, onBreak: (fault: BrokenStream) => void): Link {
  try {
    const link = linkOf(before, stored);
    checkReadableData(stored); // its metadata ends with the right hash
    return link;
  } catch (fault) {
    if (!(fault instanceof BrokenStream)) throw fault;
    onBreak(fault);
    return { revision: stored.revision, hash: hashOf(stored) };
  }
}
