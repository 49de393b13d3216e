// Reads a stream's metadata stream: where the stream is truncated, how many events it keeps, whether it is deleted.
import type { EventLog, LoggedStream } from './event-log.ts';
import { recordHead, TOMBSTONE } from './event-record.ts';

export interface StreamMetadata {
  /** The first revision that readers of the stream see. */
  readonly truncateBefore: number;
  readonly maxCount: number;
  /** Seconds; older events are not seen. */
  readonly maxAge: number;
}

/** A soft deletion truncates before this revision, the largest possible. */
export const SOFT_DELETED = '{"$tb":9223372036854775807}';
const DELETED_BEFORE = 2 ** 63;

const NONE: StreamMetadata = {
  truncateBefore: 0,
  maxCount: Number.POSITIVE_INFINITY,
  maxAge: Number.POSITIVE_INFINITY,
};

const METASTREAM = '$$';
export const metastreamOf = (stream: string): string => METASTREAM + stream;

/** The stream whose metadata a stream holds; undefined for a stream of events. */
export const ofMetastream = (stream: string): string | undefined =>
  stream.startsWith(METASTREAM) ? stream.slice(METASTREAM.length) : undefined;

export function metadataOf(log: EventLog, stream: string): StreamMetadata {
  const last = log.stream(metastreamOf(stream))?.events.at(-1);
  if (last === undefined) return NONE;
  const metadata: unknown = parsed(recordHead(log.frame(last)).data);
  return {
    truncateBefore: numberIn(metadata, '$tb') ?? 0,
    maxCount: numberIn(metadata, '$maxCount') ?? Number.POSITIVE_INFINITY,
    maxAge: numberIn(metadata, '$maxAge') ?? Number.POSITIVE_INFINITY,
  };
}

export const isSoftDeleted = (log: EventLog, stream: string): boolean =>
  metadataOf(log, stream).truncateBefore >= DELETED_BEFORE;

/** The metadata of a stream, with another revision before which it is truncated. */
export function truncatedAt(log: EventLog, stream: string, revision: number): string {
  const last = log.stream(metastreamOf(stream))?.events.at(-1);
  const metadata: unknown = last === undefined ? undefined : parsed(recordHead(log.frame(last)).data);
  return JSON.stringify({ ...(typeof metadata === 'object' ? metadata : undefined), $tb: revision });
}

export function isTombstoned(log: EventLog, stream: LoggedStream): boolean {
  const last = stream.events.at(-1);
  return last !== undefined && log.typeName(last) === TOMBSTONE;
}

/** The first revision that readers of the stream see; the stream's length if they see none. */
export function firstVisible(log: EventLog, stream: LoggedStream): number {
  const { truncateBefore, maxCount, maxAge } = metadataOf(log, stream.name);
  const length = stream.events.length;
  let first = Math.min(length, Math.max(truncateBefore, length - maxCount, 0));
  if (maxAge === Number.POSITIVE_INFINITY) return first;
  const oldest = Date.now() - maxAge * 1_000;
  while (first < length && log.createdAt(stream.events[first] ?? 0) < oldest) first += 1;
  return first;
}

function parsed(data: Buffer): unknown {
  try {
    return JSON.parse(data.toString());
  } catch {
    return undefined;
  }
}

function numberIn(metadata: unknown, key: string): number | undefined {
  if (typeof metadata !== 'object' || metadata === null) return undefined;
  const value: unknown = Reflect.get(metadata, key);
  return typeof value === 'number' ? value : undefined;
}
