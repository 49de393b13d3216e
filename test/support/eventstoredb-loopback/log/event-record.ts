// A record of the log: an event as the frame that its readers get, so that reading needs no encoding.
import { FRAME_HEADER_BYTES } from '../grpc/grpc-call.ts';
import { fieldSize, lengthField, varintField, varintSize, WireReader, WireWriter } from '../grpc/wire.ts';

/** The type of the event that ends a stream for ever. Its revision is the largest possible. */
export const TOMBSTONE = '$streamDeleted';
/** That revision, as a field of the frame: 2^63 - 1 is more than a number holds. */
const LAST_REVISION = Buffer.from([varintField(3), ...Array.from({ length: 8 }, () => 0xff), 0x7f]);

export interface ProposedEvent {
  /** A UUID in lower case. */
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly metadata: Buffer;
  readonly data: Buffer;
}

/** The place of an event. */
export interface RecordPlace {
  readonly streamName: Buffer;
  readonly revision: number;
  /** The log's end, which is both commit and prepare position. */
  readonly position: number;
  /** The time of the append, as an entry of the event's map; see `mapEntry`. */
  readonly created: Buffer;
  /** True if more events of the same append follow. A log that ends here has lost the whole append. */
  readonly more: boolean;
}

/** The parts of a record that reading a log again needs. */
export interface RecordHead {
  readonly id: string;
  readonly streamName: string;
  readonly type: string;
  readonly revision: number;
  readonly more: boolean;
  /** A part of the frame. */
  readonly data: Buffer;
  /** Milliseconds since 1970. */
  readonly created: number;
}

const ID_BYTES = 36;
/** A recorded time is in units of 100 ns. */
const TICKS_A_MS = 10_000;
/** A field of the frame that clients do not know and skip. */
const MORE_FIELD = 15;

/** `map<string, string>`, field 6 of a recorded event. */
export function mapEntry(key: string, value: string): Buffer {
  const [keyBytes, valueBytes] = [Buffer.from(key), Buffer.from(value)];
  const length = fieldSize(keyBytes.length) + fieldSize(valueBytes.length);
  const writer = new WireWriter(Buffer.allocUnsafe(fieldSize(length)));
  writer.open(6, length);
  writer.field(1, keyBytes);
  writer.field(2, valueBytes);
  return writer.bytes;
}

const entries = new Map<string, Buffer>();

/** Keeps encoded types and content types: they are few, and every event repeats them. */
function knownEntry(key: string, value: string): Buffer {
  const known = entries.get(key + value);
  if (known !== undefined) return known;
  const entry = mapEntry(key, value);
  if (entries.size < 10_000) entries.set(key + value, entry);
  return entry;
}

/** A measured event, ready to be written. */
export interface PlannedRecord {
  /** The size in bytes, with the frame's header. */
  readonly size: number;
  write(bytes: Buffer, at: number): void;
}

export function planRecord(event: ProposedEvent, place: RecordPlace): PlannedRecord {
  const type = knownEntry('type', event.type);
  const contentType = knownEntry('content-type', event.contentType);
  const { streamName, revision, position, created, more } = place;
  const isLast = event.type === TOMBSTONE;
  const revisionSize = isLast ? LAST_REVISION.length : revision === 0 ? 0 : 1 + varintSize(revision);
  const positionSize = varintSize(position);
  const identifier = fieldSize(streamName.length);
  const recorded =
    fieldSize(2 + ID_BYTES) +
    fieldSize(identifier) +
    revisionSize +
    2 * (1 + positionSize) +
    type.length +
    contentType.length +
    created.length +
    (event.metadata.length === 0 ? 0 : fieldSize(event.metadata.length)) +
    (event.data.length === 0 ? 0 : fieldSize(event.data.length));
  const readEvent = fieldSize(recorded) + 1 + positionSize;
  const message = fieldSize(readEvent) + (more ? 2 : 0);
  return {
    size: FRAME_HEADER_BYTES + message,
    write(bytes, at): void {
      const writer = new WireWriter(bytes, at);
      writer.byte(0);
      bytes.writeUInt32BE(message, at + 1);
      writer.at = at + FRAME_HEADER_BYTES;
      writer.open(1, readEvent);
      writer.open(1, recorded);
      writer.open(1, 2 + ID_BYTES);
      writer.open(2, ID_BYTES);
      writer.ascii(event.id);
      writer.open(2, identifier);
      writer.field(3, streamName);
      if (isLast) writer.raw(LAST_REVISION);
      else if (revision !== 0) writer.number(3, revision);
      writer.number(4, position);
      writer.number(5, position);
      writer.raw(type);
      writer.raw(contentType);
      writer.raw(created);
      if (event.metadata.length !== 0) writer.field(7, event.metadata);
      if (event.data.length !== 0) writer.field(8, event.data);
      writer.number(3, position);
      if (more) writer.number(MORE_FIELD, 1);
    },
  };
}

/** The id of the event in this frame. Reading it costs less than reading the whole head. */
export function recordId(frame: Buffer): string {
  const reader = new WireReader(frame, FRAME_HEADER_BYTES);
  for (let depth = 0; depth < 2; depth += 1) {
    reader.varint();
    reader.varint();
  }
  const start = reader.at + 4;
  return frame.toString('latin1', start, start + ID_BYTES);
}

export function recordHead(frame: Buffer): RecordHead {
  const message = new WireReader(frame, FRAME_HEADER_BYTES);
  let head: Omit<RecordHead, 'more'> | undefined;
  let more = false;
  while (message.more) {
    const key = message.varint();
    if (key === lengthField(1)) head = readEventHead(message.message());
    else if (key === varintField(MORE_FIELD)) more = message.varint() === 1;
    else message.skip(key);
  }
  if (head === undefined) throw new Error('a frame without an event');
  return { ...head, more };
}

function readEventHead(event: WireReader): Omit<RecordHead, 'more'> | undefined {
  while (event.more) {
    const key = event.varint();
    if (key === lengthField(1)) return recordedHead(event.message());
    event.skip(key);
  }
  return undefined;
}

function recordedHead(recorded: WireReader): Omit<RecordHead, 'more'> {
  let [id, streamName, type, revision, created] = ['', '', '', 0, 0];
  let data: Buffer = Buffer.alloc(0);
  while (recorded.more) {
    const key = recorded.varint();
    if (key === lengthField(1)) id = onlyText(recorded.message());
    else if (key === lengthField(2)) streamName = onlyText(recorded.message());
    else if (key === varintField(3)) revision = recorded.varint();
    else if (key === lengthField(6)) {
      const { name, value } = entryIn(recorded.message());
      if (name === 'type') type = value;
      else if (name === 'created') created = Number(value) / TICKS_A_MS;
    } else if (key === lengthField(8)) data = recorded.slice();
    else recorded.skip(key);
  }
  return { id, streamName, type, revision, data, created };
}

/** The text of a message that has one field. */
function onlyText(message: WireReader): string {
  message.varint();
  return message.text();
}

function entryIn(entry: WireReader): { readonly name: string; readonly value: string } {
  entry.varint();
  const name = entry.text();
  entry.varint();
  return { name, value: entry.text() };
}
