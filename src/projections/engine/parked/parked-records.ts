// The records of parked streams: documents, so that every process and every rebuild has them. What an operator released
// is in the log too, in a stream of its own for each, so that no rebuild and no loss of read models forgets it.
import { act, actCategory, isReleasedAt, type Released, releasedIn, releaseOf } from '../../../domain/act.ts';
import { UnknownEvent, unsealEvent } from '../../../journal/envelope.ts';
import { BrokenStream } from '../../../stores/broken-stream.ts';
import type { EventStore } from '../../../stores/event-store.ts';
import type { Collection, ReadModels } from '../../../stores/read-models.ts';
import { streamOf } from '../../../stores/stream-name.ts';
import { type CopyName, copyId } from '../generations/copy.ts';
import type { ProjectionFault } from './projection-fault.ts';

export interface ParkedStream {
  readonly projection: string;
  readonly generation: number;
  readonly stream: string;
  /** The revision of the event that could not be projected. */
  readonly revision: number;
  readonly position: string;
  readonly type: string;
  /**
   * unknown: a newer node wrote it; each node tries it once, and a node that knows it brings it on. poison: the
   * projection threw. broken: it does not follow the event before it. limited: the event store was told to lose events
   * of the stream.
   */
  readonly reason: 'poison' | 'unknown' | 'broken' | 'limited';
  readonly fault: string;
  /** ms */
  readonly at: number;
  readonly isOpen: boolean;
  /**
   * The state in a log projection. passed: it continues without the stream from this event on. joining: the stream is
   * being included again, so its new events are applied. Absent: the projection waits before the event, for a newer
   * node.
   */
  readonly held?: 'passed' | 'joining';
  /**
   * An operator let everything go on without the stream from here on: it counts as parked no longer, and nothing waits
   * for it.
   */
  readonly isReleased?: true;
}

const parkedStreams: Collection<ParkedStream, 'copy'> = {
  name: 'parked',
  version: 1,
  keys: {
    copy: ({ isOpen, projection, generation }) => (isOpen ? copyId({ name: projection, generation }) : undefined),
  },
  indexes: [['copy']],
};

/**
 * The name under which broken streams are parked: a break is in the log, so it applies to every read model and
 * generation, and to commands.
 */
export const LOG: CopyName = { name: 'log', generation: 0 };

/** Streams that will lose events are on record under this name. Everything goes on with them until they have. */
export const LIMITS: CopyName = { name: 'limits', generation: 0 };

const parkedId = (copy: CopyName, stream: string): string => `${copyId(copy)}/${stream}`;
const PAGE = 500;

interface ParkParts {
  readonly events: Pick<EventStore, 'read'>;
  readonly store: ReadModels;
}

/** Records that a stream is parked; a repetition is harmless. A break is recorded under LOG only. `at` in ms. */
export async function park(parts: ParkParts, copy: CopyName, fault: ProjectionFault, at: number): Promise<void> {
  await parkOrRelease(parts, recordOf(fault.reason === 'broken' ? LOG : copy, fault, at));
}

/**
 * Puts on record that a log projection cannot go on with a stream; a break is put under LOG as well. `at` in ms.
 * Answers the record, which is the older one where the same event was on record before.
 */
export async function parkLog(
  parts: ParkParts,
  copy: CopyName,
  fault: ProjectionFault,
  at: number,
  held?: ParkedStream['held'],
): Promise<ParkedStream> {
  if (fault.reason === 'broken') await park(parts, LOG, fault, at);
  return parkOrRelease(parts, { ...recordOf(copy, fault, at), ...(held !== undefined && { held }) });
}

/**
 * The log is asked after the record is there: a release is in the log before it looks for records (`release`), so one
 * of the two sees the other, whichever comes first.
 */
async function parkOrRelease({ events, store }: ParkParts, record: ParkedStream): Promise<ParkedStream> {
  const parked = await change(store, record, (known) => {
    if (known?.isOpen !== true || known.revision !== record.revision) return record;
    return { ...known, ...record, at: known.at };
  });
  if (parked.isReleased === true) return parked;
  const released = await releasedOf(events, record.stream);
  if (!isReleasedAt(released, record.revision)) return parked;
  return (await markReleased(
    store,
    [{ name: parked.projection, generation: parked.generation }],
    record.stream,
    released,
  ))
    ? { ...parked, isReleased: true }
    : parked;
}

/** Says of an open record of a log projection that its stream is being taken in again. */
export async function markJoining(store: ReadModels, copy: CopyName, stream: string): Promise<void> {
  await changeOpen(store, copy, stream, (known) => ({ ...known, held: 'joining' }));
}

/**
 * Says of the open records of a stream in these copies, at the revisions that are released, that they are; so it says
 * of a limit where the stream is broken already, and released as such: then it matters no longer. True if there was
 * one.
 */
export async function markReleased(
  store: ReadModels,
  copies: readonly CopyName[],
  stream: string,
  released: readonly Released[],
): Promise<boolean> {
  let isAny = false;
  for (const copy of copies) {
    const next = (known: ParkedStream): ParkedStream =>
      isReleasedAt(released, known.revision) ? { ...known, isReleased: true } : known;
    const isMarked = (await changeOpen(store, copy, stream, next))?.isReleased === true;
    if (isMarked && copy.name === LOG.name)
      await changeOpen(store, LIMITS, stream, (known) => ({ ...known, isReleased: true }));
    isAny ||= isMarked;
  }
  return isAny;
}

/** Puts on record that the event store will lose events of a stream; `limit` in the store's own words, `at` in ms. */
export async function parkLimited(store: ReadModels, stream: string, limit: string, at: number): Promise<void> {
  const { name: projection, generation } = LIMITS;
  const fault = `The metadata of this stream tells the event store to delete its events (${limit}).`;
  const none = {
    projection,
    generation,
    stream,
    revision: 0,
    position: '0',
    type: '',
    reason: 'limited',
    fault,
    at,
    isOpen: true,
  } as const;
  await change(store, none, (known) => (known?.isOpen === true ? { ...known, ...none, at: known.at } : none));
}

function recordOf(
  { name, generation }: CopyName,
  { stored, reason, fault }: ProjectionFault,
  at: number,
): ParkedStream {
  const { stream, revision, position, type } = stored;
  return {
    projection: name,
    generation,
    stream,
    revision,
    position: String(position),
    type,
    reason,
    fault,
    at,
    isOpen: true,
  };
}

/** Closes the record; nothing happens when there is none. */
export async function unpark(store: ReadModels, copy: CopyName, stream: string): Promise<void> {
  await changeOpen(store, copy, stream, (known) => ({ ...known, isOpen: false }));
}

/**
 * Closes the records of events before which a log projection waited, up to a position that it has reached. True when
 * none is left.
 */
export async function unparkUpTo(store: ReadModels, copy: CopyName, position: bigint): Promise<boolean> {
  const open = (await parkedIn(store, [copy])).filter(({ held }) => held === undefined);
  const passed = open.filter((held) => BigInt(held.position) <= position);
  for (const { stream } of passed) await unpark(store, copy, stream);
  return passed.length === open.length;
}

/** The streams of these that are parked in this copy, or broken. */
export async function parkedAmong(
  store: ReadModels,
  copy: CopyName,
  streams: readonly string[],
): Promise<ReadonlySet<string>> {
  const ids = [copy, LOG].flatMap((one) => streams.map((stream) => parkedId(one, stream)));
  const rows = await store.get(parkedStreams, ids);
  return new Set(rows.flatMap(({ doc }) => (doc.isOpen ? [doc.stream] : [])));
}

/** The open records of these streams in one copy. */
export async function recordsOf(
  store: ReadModels,
  copy: CopyName,
  streams: readonly string[],
): Promise<readonly ParkedStream[]> {
  const rows = await store.get(
    parkedStreams,
    streams.map((stream) => parkedId(copy, stream)),
  );
  return rows.flatMap(({ doc }) => (doc.isOpen ? [doc] : []));
}

/** The streams that are parked in these copies, in the order of their ids. */
export async function parkedIn(store: ReadModels, copies: readonly CopyName[]): Promise<readonly ParkedStream[]> {
  const found: ParkedStream[] = [];
  if (copies.length === 0) return found;
  const where = { copy: copies.map(copyId) };
  for (let after: string | undefined; ; ) {
    const rows = await store.find(parkedStreams, {
      where,
      ...(after !== undefined && { after: { key: '', id: after } }),
      limit: PAGE,
    });
    found.push(...rows.map(({ doc }) => doc));
    if (rows.length < PAGE) return found;
    after = rows.at(-1)?.id;
  }
}

type Place = Pick<ParkedStream, 'projection' | 'generation' | 'stream'>;

/** Changes a record, which others may change too; answers it as it then is. */
async function change<D extends ParkedStream | undefined>(
  store: ReadModels,
  { projection, generation, stream }: Place,
  next: (known: ParkedStream | undefined) => D,
): Promise<D> {
  const id = parkedId({ name: projection, generation }, stream);
  for (;;) {
    const [row] = await store.get(parkedStreams, [id]);
    const doc = next(row?.doc);
    if (doc === undefined || (row !== undefined && isSame(row.doc, doc))) return doc;
    if ((await store.write(parkedStreams, [{ id, revision: (row?.revision ?? -1) + 1, doc }])).length > 0) return doc;
  }
}

const changeOpen = (
  store: ReadModels,
  { name: projection, generation }: CopyName,
  stream: string,
  next: (known: ParkedStream) => ParkedStream,
): Promise<ParkedStream | undefined> =>
  change(store, { projection, generation, stream }, (known) => (known?.isOpen === true ? next(known) : undefined));

const isSame = (one: ParkedStream, other: ParkedStream): boolean =>
  one.isOpen === other.isOpen &&
  one.revision === other.revision &&
  one.fault === other.fault &&
  one.held === other.held &&
  one.isReleased === other.isReleased;

/**
 * The revisions at which a stream is released, oldest release first; none where it is not, and where the record of that
 * is damaged: then it stays parked. Rejects with StoreUnavailable.
 */
export async function releasedOf(events: Pick<EventStore, 'read'>, stream: string): Promise<readonly Released[]> {
  let state = act.initial;
  try {
    for await (const stored of events.read(streamOf(actCategory.name, releaseOf(stream)), -1)) {
      const { event, recorded } = unsealEvent(actCategory, stored);
      state = act.evolve(state, event, recorded);
    }
  } catch (fault) {
    if (fault instanceof BrokenStream || fault instanceof UnknownEvent) return [];
    throw fault;
  }
  return releasedIn(state);
}
