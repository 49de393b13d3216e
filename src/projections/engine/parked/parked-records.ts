// The records of parked streams, and of the events that an operator discarded: documents, so that every process and every rebuild has them.
import { UnknownEvent } from '../../../journal/envelope.ts';
import { BrokenStream } from '../../../stores/broken-stream.ts';
import type { StoredEvent } from '../../../stores/event-store.ts';
import type { Collection, ReadModels } from '../../../stores/read-models.ts';
import { type CopyName, copyId } from '../generations/copy.ts';
import type { ProjectionFault } from './projection-fault.ts';

export interface ParkedStream {
  readonly projection: string;
  readonly generation: number;
  readonly stream: string;
  /** Of the event that could not be projected. */
  readonly revision: number;
  readonly position: string;
  readonly type: string;
  /**
   * unknown: a newer node wrote it; each node tries it once, and a node that knows it brings it on. poison: the projection threw.
   * broken: it does not follow the event before it. limited: the event store was told to lose events of the stream.
   */
  readonly reason: 'poison' | 'unknown' | 'broken' | 'limited';
  readonly fault: string;
  /** ms */
  readonly at: number;
  readonly isOpen: boolean;
  /**
   * Of a log projection. passed: it goes on without the stream from this event. joining: the stream is being taken in again, so its new
   * events are applied. Absent: the projection waits before the event, for a newer node.
   */
  readonly held?: 'passed' | 'joining';
}

const parkedStreams: Collection<ParkedStream, 'copy'> = {
  name: 'parked',
  version: 1,
  keys: { copy: ({ isOpen, projection, generation }) => (isOpen ? copyId({ name: projection, generation }) : undefined) },
  indexes: [['copy']],
};

/** Events that an operator ordered to be passed over; they hold for every generation to come. */
export const discards: Collection<{ readonly at: number }, never> = { name: 'discards', version: 1, keys: {}, indexes: [] };

/** Broken streams are parked under this name: a break is in the log, so it holds for every read model and generation, and for commands. */
export const LOG: CopyName = { name: 'log', generation: 0 };

/** Streams that will lose events are on record under this name. Everything goes on with them until they have. */
export const LIMITS: CopyName = { name: 'limits', generation: 0 };

const parkedId = (copy: CopyName, stream: string): string => `${copyId(copy)}/${stream}`;
const discardId = (projection: string, stream: string, revision: number): string => `${projection}/${stream}@${revision}`;
const PAGE = 500;
const FAULT_LENGTH = 1_000;

/** Puts on record that a stream is parked; once more is harmless. A break is put under LOG, and under nothing else. `at` in ms. */
export function park(store: ReadModels, copy: CopyName, fault: ProjectionFault, at: number): Promise<void> {
  return put(store, recordOf(fault.cause instanceof BrokenStream ? LOG : copy, fault, at));
}

/**
 * Puts on record that a log projection cannot go on with a stream; a break is put under LOG as well. `at` in ms. Answers the record, which is
 * the older one where the same event was on record before.
 */
export async function parkLog(
  store: ReadModels,
  copy: CopyName,
  fault: ProjectionFault,
  at: number,
  held?: ParkedStream['held'],
): Promise<ParkedStream> {
  if (fault.cause instanceof BrokenStream) await park(store, LOG, fault, at);
  const record = recordOf(copy, fault, at);
  const [row] = await store.get(parkedStreams, [parkedId(copy, record.stream)]);
  const isKnown = row?.doc.isOpen === true && row.doc.revision === record.revision;
  const known = isKnown ? { ...record, at: row.doc.at, ...(row.doc.held !== undefined && { held: row.doc.held }) } : record;
  const doc = held === undefined ? known : { ...known, held };
  await put(store, doc);
  return doc;
}

/** Says of an open record of a log projection that its stream is being taken in again. */
export async function markJoining(store: ReadModels, copy: CopyName, stream: string): Promise<void> {
  const [row] = await store.get(parkedStreams, [parkedId(copy, stream)]);
  if (row?.doc.isOpen === true) await put(store, { ...row.doc, held: 'joining' });
}

/** Puts on record that the event store will lose events of a stream; `limit` in the store's own words, `at` in ms. */
export function parkLimited(store: ReadModels, stream: string, limit: string, at: number): Promise<void> {
  const { name: projection, generation } = LIMITS;
  const fault = `The event store was told to lose events of this stream (${limit}).`;
  return put(store, { projection, generation, stream, revision: 0, position: '0', type: '', reason: 'limited', fault, at, isOpen: true });
}

function recordOf({ name, generation }: CopyName, { stored, cause }: ProjectionFault, at: number): ParkedStream {
  const { stream, revision, position, type } = stored;
  return {
    projection: name,
    generation,
    stream,
    revision,
    position: String(position),
    type,
    reason: cause instanceof BrokenStream ? 'broken' : cause instanceof UnknownEvent ? 'unknown' : 'poison',
    fault: String(cause).slice(0, FAULT_LENGTH),
    at,
    isOpen: true,
  };
}

/** Closes the record; nothing happens when there is none. */
export async function unpark(store: ReadModels, copy: CopyName, stream: string): Promise<void> {
  const [row] = await store.get(parkedStreams, [parkedId(copy, stream)]);
  if (row?.doc.isOpen === true) await put(store, { ...row.doc, isOpen: false });
}

/** Closes the records of events before which a log projection waited, up to a position that it has reached. True when none is left. */
export async function unparkUpTo(store: ReadModels, copy: CopyName, position: bigint): Promise<boolean> {
  const open = (await parkedIn(store, [copy])).filter(({ held }) => held === undefined);
  const passed = open.filter((held) => BigInt(held.position) <= position);
  for (const { stream } of passed) await unpark(store, copy, stream);
  return passed.length === open.length;
}

/** The streams of these that are parked in this copy, or broken. */
export async function parkedAmong(store: ReadModels, copy: CopyName, streams: readonly string[]): Promise<ReadonlySet<string>> {
  const ids = [copy, LOG].flatMap((one) => streams.map((stream) => parkedId(one, stream)));
  const rows = await store.get(parkedStreams, ids);
  return new Set(rows.flatMap(({ doc }) => (doc.isOpen ? [doc.stream] : [])));
}

/** The open records of these streams in one copy. */
export async function recordsOf(store: ReadModels, copy: CopyName, streams: readonly string[]): Promise<readonly ParkedStream[]> {
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
    const rows = await store.find(parkedStreams, { where, ...(after !== undefined && { after: { key: '', id: after } }), limit: PAGE });
    found.push(...rows.map(({ doc }) => doc));
    if (rows.length < PAGE) return found;
    after = rows.at(-1)?.id;
  }
}

/** Orders an event to be passed over: the document stays as it is, and the next event follows. */
export async function discard(store: ReadModels, projection: string, stream: string, revision: number, at: number): Promise<void> {
  await store.write(discards, [{ id: discardId(projection, stream, revision), revision: 0, doc: { at } }]);
}

export async function isDiscarded(
  store: ReadModels,
  projection: string,
  { stream, revision }: Pick<StoredEvent, 'stream' | 'revision'>,
): Promise<boolean> {
  return (await store.get(discards, [discardId(projection, stream, revision)])).length > 0;
}

async function put(store: ReadModels, doc: ParkedStream): Promise<void> {
  const id = parkedId({ name: doc.projection, generation: doc.generation }, doc.stream);
  for (;;) {
    const [row] = await store.get(parkedStreams, [id]);
    const there = row?.doc;
    if (there?.isOpen === doc.isOpen && there.revision === doc.revision && there.fault === doc.fault && there.held === doc.held) return;
    if ((await store.write(parkedStreams, [{ id, revision: (row?.revision ?? -1) + 1, doc }])).length > 0) return;
  }
}
