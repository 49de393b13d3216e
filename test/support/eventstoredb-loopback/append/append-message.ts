// Decodes batch appends by hand: no message is read more often under load.
import { lengthField, varintField, WireReader } from '../grpc/wire.ts';
import type { ProposedEvent } from '../log/event-record.ts';
import type { Expected } from './append-rules.ts';

/** One message. A large append comes in several, and only the first has options. */
export interface BatchAppendMessage {
  /** As it came, to be sent back. */
  readonly correlation: Buffer;
  readonly options: BatchAppendOptions | undefined;
  readonly events: readonly ProposedEvent[];
  readonly final: boolean;
  /** The reason why the message is a bad request, if it is one. */
  readonly refused: string | undefined;
}

export interface BatchAppendOptions {
  readonly stream: string;
  /** As it came, to be sent back. */
  readonly identifier: Buffer;
  readonly expected: Expected;
  /** The deadline in milliseconds since 1970, by the client's clock. */
  readonly deadline: number;
}

const NOTHING: Buffer = Buffer.alloc(0);
const NIL = '00000000-0000-0000-0000-000000000000';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function readBatchAppend(message: Buffer): BatchAppendMessage {
  const reader = new WireReader(message);
  let correlation: Buffer = NOTHING;
  let options: BatchAppendOptions | undefined;
  let final = false;
  let refused: string | undefined;
  const events: ProposedEvent[] = [];
  while (reader.more) {
    const key = reader.varint();
    if (key === lengthField(1)) correlation = reader.slice();
    else if (key === lengthField(2)) options = readOptions(reader.message());
    else if (key === lengthField(3)) {
      const event = readProposed(reader.message());
      refused ??= refusal(event);
      events.push(event);
    } else if (key === varintField(4)) final = reader.varint() === 1;
    else reader.skip(key);
  }
  return { correlation, options, events, final, refused };
}

/** The reason why the server refuses this event; undefined if it accepts it. */
export function refusal(event: ProposedEvent): string | undefined {
  if (!UUID.test(event.id)) return `Unrecognized Guid format: ${event.id}`;
  if (event.id === NIL) return 'Required field Id not set.';
  return event.type === '' ? 'Required field Type not set.' : undefined;
}

function readOptions(reader: WireReader): BatchAppendOptions {
  let [identifier, stream]: [Buffer, string] = [NOTHING, ''];
  let expected: Expected = 'any';
  let deadline = Number.POSITIVE_INFINITY;
  while (reader.more) {
    const key = reader.varint();
    if (key === lengthField(1)) {
      identifier = reader.slice();
      stream = streamNameIn(identifier);
    } else if (key === varintField(2)) expected = reader.varint();
    else if (key === lengthField(3)) expected = passed(reader, 'no_stream');
    else if (key === lengthField(4)) expected = passed(reader, 'any');
    else if (key === lengthField(5)) expected = passed(reader, 'stream_exists');
    else if (key === lengthField(6)) deadline = readTimestamp(reader.message());
    else reader.skip(key);
  }
  return { stream, identifier, expected, deadline };
}

function passed(reader: WireReader, expected: Expected): Expected {
  reader.slice();
  return expected;
}

function streamNameIn(identifier: Buffer): string {
  const reader = new WireReader(identifier);
  reader.varint();
  return reader.text();
}

function readTimestamp(reader: WireReader): number {
  let [seconds, nanos] = [0, 0];
  while (reader.more) {
    const key = reader.varint();
    if (key === varintField(1)) seconds = reader.varint();
    else if (key === varintField(2)) nanos = reader.varint();
    else reader.skip(key);
  }
  return seconds * 1_000 + nanos / 1_000_000;
}

function readProposed(reader: WireReader): ProposedEvent {
  let [id, type, contentType] = ['', '', ''];
  let [metadata, data]: [Buffer, Buffer] = [NOTHING, NOTHING];
  while (reader.more) {
    const key = reader.varint();
    if (key === lengthField(1)) {
      const uuid = reader.message();
      uuid.varint();
      id = uuid.text().toLowerCase();
    } else if (key === lengthField(2)) {
      const entry = reader.message();
      entry.varint();
      const name = entry.text();
      entry.varint();
      const value = entry.text();
      if (name === 'type') type = value;
      else if (name === 'content-type') contentType = value;
    } else if (key === lengthField(3)) metadata = reader.slice();
    else if (key === lengthField(4)) data = reader.slice();
    else reader.skip(key);
  }
  return { id, type, contentType, metadata, data };
}

/**
 * The size that the limit on appends counts. 23.10 counts the data alone; later versions count types and metadata too.
 */
export function appendBytes(events: readonly ProposedEvent[]): number {
  return events.reduce((bytes, { data }) => bytes + data.length, 0);
}
