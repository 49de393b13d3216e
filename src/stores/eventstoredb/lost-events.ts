// The ways in which EventStoreDB loses events of a stream: it is deleted, for good or softly, or its metadata limits
// it.
import { BrokenStream } from '../broken-stream.ts';
import type { StreamLimit } from '../event-store.ts';
import { METADATA_OF, type RecordedEvent, TOMBSTONE } from './recorded-event.ts';

/** A soft deletion truncates a stream before this revision: 2^63 - 1, as a number of JavaScript. */
const DELETED_BEFORE = 2 ** 63;

/** The fault of a stream of which nothing is left to read; `why` is a sentence of its own. */
const nothingLeft = (stream: string, why: string): BrokenStream =>
  new BrokenStream({ stream, revision: 0, position: '0', type: '' }, why);

export const tombstoned = (stream: string): BrokenStream =>
  nothingLeft(
    stream,
    'EventStoreDB deleted the stream permanently (a tombstone), and its name can never be used again',
  );

export const hidden = (stream: string, limit: string | undefined): BrokenStream =>
  nothingLeft(
    stream,
    `EventStoreDB hides all events of the stream (${limit ?? 'they are older than its metadata allows'}); remove the metadata of the stream, and again where EventStoreDB then sets $tb itself`,
  );

/** The limit that an event of the server sets for one of our streams; undefined for any other event. */
export function limitIn({ stream, type, data }: RecordedEvent): StreamLimit | undefined {
  if (type === TOMBSTONE) return { stream, limit: 'a tombstone' };
  if (type !== '$metadata' || !stream.startsWith(METADATA_OF)) return undefined;
  return { stream: stream.slice(METADATA_OF.length), limit: limitOf(data()) };
}

/** The limits in the metadata of a stream, as people name them; undefined if there is none. */
export function limitOf(metadata: string): string | undefined {
  const parsed = parse(metadata);
  const limits = ['$maxCount', '$maxAge', '$tb'].flatMap((name) => {
    const value: unknown = parsed === undefined ? undefined : Reflect.get(parsed, name);
    if (typeof value !== 'number' || (name === '$tb' && value <= 0)) return [];
    return [name === '$tb' && value >= DELETED_BEFORE ? 'a soft deletion' : `${name} ${value}`];
  });
  return limits.length === 0 ? undefined : limits.join(', ');
}

/** True if the metadata says that the stream was deleted softly. */
export function isSoftDeletion(metadata: string): boolean {
  const before: unknown = Reflect.get(parse(metadata) ?? {}, '$tb');
  return typeof before === 'number' && before >= DELETED_BEFORE;
}

function parse(metadata: string): object | undefined {
  try {
    const parsed: unknown = JSON.parse(metadata);
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
  } catch {
    return undefined;
  }
}
