// The messages of batch appends, written and read without the client's objects: there are two for each append, and the
// client's objects cost far more.
import status, { type Status } from '@eventstore/db-client/generated/status_pb.js';
import type { NewEvent } from '../event-store.ts';
import { fieldSize, lengthField, varintSize, WireReader, WireWriter } from './wire.ts';

/** Larger appends go in several messages: the server takes no message of more than 4 MiB. */
const MESSAGE_BYTES = 1024 * 1024;
const UUID_BYTES = 36;
/** A message UUID holds one string. */
const UUID_SIZE = fieldSize(UUID_BYTES);
const CONTENT_TYPE = 'application/json';
const CONTENT_TYPE_ENTRY = fieldSize('content-type'.length) + fieldSize(CONTENT_TYPE.length);

/** One append, in as many messages as it takes; each lacks its correlation id, which is another at each try. */
export type AppendMessages = readonly Buffer[];

interface Sized {
  readonly event: NewEvent;
  readonly type: number;
  readonly data: number;
  readonly metadata: number;
  /** The size of the whole proposed message. */
  readonly size: number;
}

/** Without a deadline, because the server measures that by its own clock. */
export function appendRequest(stream: string, after: number, events: readonly NewEvent[]): AppendMessages {
  const groups: Sized[][] = [[]];
  let bytes = 0;
  for (const event of events) {
    const sized = sizesOf(event);
    if (bytes > 0 && bytes + sized.size > MESSAGE_BYTES) {
      groups.push([]);
      bytes = 0;
    }
    bytes += sized.size;
    groups.at(-1)?.push(sized);
  }
  return groups.map((group, place) =>
    written(place === 0 ? { stream, after } : undefined, group, place === groups.length - 1),
  );
}

/** A message as it is sent: its fields may come in any order, and this one is the first. */
export function correlated(id: string, message: Buffer): Buffer {
  const writer = new WireWriter(fieldSize(UUID_SIZE) + message.length);
  writer.open(1, UUID_SIZE);
  writer.text(2, id, UUID_BYTES);
  writer.raw(message);
  return writer.bytes;
}

function sizesOf(event: NewEvent): Sized {
  const [type, data, metadata] = [
    Buffer.byteLength(event.type),
    Buffer.byteLength(event.data),
    Buffer.byteLength(event.metadata),
  ];
  const maps = fieldSize(typeEntrySize(type)) + fieldSize(CONTENT_TYPE_ENTRY);
  return { event, type, data, metadata, size: fieldSize(UUID_SIZE) + maps + fieldSize(metadata) + fieldSize(data) };
}

const typeEntrySize = (type: number): number => fieldSize('type'.length) + fieldSize(type);

function written(
  options: { stream: string; after: number } | undefined,
  events: readonly Sized[],
  isFinal: boolean,
): Buffer {
  const name = options === undefined ? 0 : Buffer.byteLength(options.stream);
  const after = options?.after ?? -1;
  const optionsSize = fieldSize(fieldSize(name)) + (after < 0 ? fieldSize(0) : 1 + varintSize(after));
  let size = isFinal ? 2 : 0;
  if (options !== undefined) size += fieldSize(optionsSize);
  for (const sized of events) size += fieldSize(sized.size);
  const writer = new WireWriter(size);
  if (options !== undefined) {
    writer.open(2, optionsSize);
    writer.open(1, fieldSize(name));
    writer.text(3, options.stream, name);
    if (after < 0) writer.open(3, 0);
    else writer.number(2, after);
  }
  for (const sized of events) writeProposed(writer, sized);
  if (isFinal) writer.number(4, 1);
  return writer.bytes;
}

function writeProposed(writer: WireWriter, { event, type, data, metadata, size }: Sized): void {
  writer.open(3, size);
  writer.open(1, UUID_SIZE);
  writer.text(2, event.id, UUID_BYTES);
  writer.open(2, typeEntrySize(type));
  writer.text(1, 'type', 'type'.length);
  writer.text(2, event.type, type);
  writer.open(2, CONTENT_TYPE_ENTRY);
  writer.text(1, 'content-type', 'content-type'.length);
  writer.text(2, CONTENT_TYPE, CONTENT_TYPE.length);
  writer.text(3, event.metadata, metadata);
  writer.text(4, event.data, data);
}

/** The server's answer to one append. */
export interface AppendResponse {
  readonly correlation: string;
  readonly isSuccess: boolean;
  readonly error: Status | undefined;
}

export function readAppendResponse(bytes: Buffer): AppendResponse {
  const reader = new WireReader(bytes);
  let [correlation, isSuccess]: [string, boolean] = ['', false];
  let error: Status | undefined;
  while (reader.more) {
    const key = reader.varint();
    if (key === lengthField(1)) correlation = uuidIn(reader.message());
    else if (key === lengthField(2)) {
      const { at, end } = reader.message();
      error = status.Status.deserializeBinary(bytes.subarray(at, end));
    } else {
      isSuccess ||= key === lengthField(3);
      reader.skip(key);
    }
  }
  return { correlation, isSuccess, error };
}

/** Empty for a value that is not a string. */
export function uuidIn(reader: WireReader): string {
  let uuid = '';
  while (reader.more) {
    const key = reader.varint();
    if (key === lengthField(2)) uuid = reader.text();
    else reader.skip(key);
  }
  return uuid;
}
