// An event as the server sends it, read byte by byte (every event of the log comes this way), and converted to one of
// the port.
import { AppError } from '../../app-error.ts';
import type { StoredEvent } from '../event-store.ts';
import { uuidIn } from './append-messages.ts';
import { lengthField, varintField, WireReader } from './wire.ts';

/** Its texts are decoded when they are asked for: not every event is wanted. */
export interface RecordedEvent {
  readonly id: string;
  readonly type: string;
  readonly stream: string;
  readonly revision: bigint;
  readonly prepare: bigint;
  readonly commit: bigint;
  readonly data: () => string;
  readonly metadata: () => string;
}

/** One answer to a read or a subscription: an event, a word about the log, or something that is not needed here. */
export interface ReadResponse {
  readonly event: RecordedEvent | undefined;
  readonly caughtUp: boolean;
  readonly fellBehind: boolean;
  /** There is no such stream, or it was deleted softly. */
  readonly notFound: boolean;
}

export function readReadResponse(bytes: Buffer): ReadResponse {
  const reader = new WireReader(bytes);
  let event: RecordedEvent | undefined;
  let [caughtUp, fellBehind, notFound] = [false, false, false];
  while (reader.more) {
    const key = reader.varint();
    if (key === lengthField(1)) event = eventIn(reader.message());
    else {
      caughtUp ||= key === lengthField(8);
      fellBehind ||= key === lengthField(9);
      notFound ||= key === lengthField(4);
      reader.skip(key);
    }
  }
  return { event, caughtUp, fellBehind, notFound };
}

/** Undefined for a link to an event that is gone. */
function eventIn(reader: WireReader): RecordedEvent | undefined {
  let event: RecordedEvent | undefined;
  while (reader.more) {
    const key = reader.varint();
    if (key === lengthField(1)) event = recordedIn(reader.message());
    else reader.skip(key);
  }
  return event;
}

const nothing = (): string => '';

function recordedIn(reader: WireReader): RecordedEvent {
  let [id, type, stream] = ['', '', ''];
  let [revision, prepare, commit] = [0n, 0n, 0n];
  let [data, metadata] = [nothing, nothing];
  while (reader.more) {
    const key = reader.varint();
    if (key === lengthField(1)) id = uuidIn(reader.message());
    else if (key === lengthField(2)) stream = streamIn(reader.message());
    else if (key === varintField(3)) revision = reader.uint64();
    else if (key === varintField(4)) prepare = reader.uint64();
    else if (key === varintField(5)) commit = reader.uint64();
    else if (key === lengthField(6)) type = typeIn(reader.message()) ?? type;
    else if (key === lengthField(7)) metadata = textIn(reader.message());
    else if (key === lengthField(8)) data = textIn(reader.message());
    else reader.skip(key);
  }
  return { id, type, stream, revision, prepare, commit, data, metadata };
}

const textIn =
  (reader: WireReader): (() => string) =>
  () =>
    reader.rest();

function streamIn(reader: WireReader): string {
  let stream = '';
  while (reader.more) {
    const key = reader.varint();
    if (key === lengthField(3)) stream = reader.text();
    else reader.skip(key);
  }
  return stream;
}

/** The type in one entry of the system's metadata; undefined for another entry. */
function typeIn(reader: WireReader): string | undefined {
  let isType = false;
  let value: WireReader | undefined;
  while (reader.more) {
    const key = reader.varint();
    if (key === lengthField(1)) isType = isTypeName(reader.message());
    else if (key === lengthField(2)) value = reader.message();
    else reader.skip(key);
  }
  return isType ? (value?.rest() ?? '') : undefined;
}

/** By its length first: the other names need not be decoded. */
const isTypeName = (name: WireReader): boolean => name.end - name.at === 'type'.length && name.rest() === 'type';

/**
 * Throws AppError ForeignEvent for one whose place in the log is not one number: a transaction of another program wrote
 * it.
 */
export function positionOf({ commit, prepare, stream }: RecordedEvent): bigint {
  if (commit !== prepare)
    throw new AppError(
      'ForeignEvent',
      `The event at ${commit}/${prepare} of stream ${stream} was written in a transaction of another ` +
        'program. Counterfoil needs an EventStoreDB of its own.',
    );
  return commit;
}

/** The texts are as they are stored, with any content type: nothing is parsed. */
export const storedEvent = (recorded: RecordedEvent, stream: string, position: bigint): StoredEvent => ({
  id: recorded.id,
  type: recorded.type,
  data: recorded.data(),
  metadata: recorded.metadata(),
  stream,
  revision: Number(recorded.revision),
  position,
});

/** The metadata of a stream is in the stream of this name before its own. */
export const METADATA_OF = '$$';
/**
 * The type of the event by which the server ends a stream for good; it is in that stream, at the largest possible
 * revision.
 */
export const TOMBSTONE = '$streamDeleted';

/** Events that the server keeps for itself: none of ours, and no place in the log that we follow. */
export const isServersOwn = ({ stream, type }: RecordedEvent): boolean => stream.startsWith('$') || type === TOMBSTONE;
