// Writes the answers to batch appends: the many successes by hand, errors with the client's own message classes.
import shared from '@eventstore/db-client/generated/shared_pb.js';
import status from '@eventstore/db-client/generated/status_pb.js';
import googleAny from 'google-protobuf/google/protobuf/any_pb.js';
import { FRAME_HEADER_BYTES } from '../grpc/grpc-call.ts';
import { fieldSize, varintSize, WireWriter } from '../grpc/wire.ts';
import type { Expected } from './append-rules.ts';

/** The answer to an append. */
export type AppendOutcome =
  /**
   * `revision` of the append's last event; undefined in an empty stream. `position` is undefined if the real server
   * leaves it out.
   */
  | { readonly kind: 'written'; readonly revision: number | undefined; readonly position: number | undefined }
  | { readonly kind: 'wrong_expected'; readonly current: number | undefined }
  | { readonly kind: 'deleted' }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'not_ready' }
  | { readonly kind: 'bad_request'; readonly reason: string };

/** The append that an answer belongs to, as its client named it. */
export interface AppendSender {
  readonly correlation: Buffer;
  readonly identifier: Buffer;
  readonly expected: Expected;
}

/** The most data of one append, bytes. */
export const MAX_APPEND_BYTES = 1024 * 1024;

/** The answer as a frame. */
export function batchAnswer(outcome: AppendOutcome, sender: AppendSender): Buffer {
  return outcome.kind === 'written'
    ? withContent(3, successBytes(outcome.revision, outcome.position), sender)
    : withContent(2, statusOf(outcome, sender.expected), sender);
}

/** Field 2 is an error, field 3 a success. */
function withContent(field: 2 | 3, content: Buffer, { correlation, identifier }: AppendSender): Buffer {
  const message = fieldSize(correlation.length) + fieldSize(content.length) + fieldSize(identifier.length);
  const writer = new WireWriter(Buffer.allocUnsafe(FRAME_HEADER_BYTES + message));
  writer.byte(0);
  writer.at = writer.bytes.writeUInt32BE(message, 1);
  writer.field(1, correlation);
  writer.field(field, content);
  writer.field(4, identifier);
  return writer.bytes;
}

function successBytes(revision: number | undefined, position: number | undefined): Buffer {
  const positions = position === undefined ? 0 : 2 * (1 + varintSize(position));
  const revisionSize = revision === undefined ? 2 : 1 + varintSize(revision);
  const writer = new WireWriter(Buffer.allocUnsafe(revisionSize + fieldSize(positions)));
  if (revision === undefined) writer.open(2, 0);
  else writer.number(1, revision);
  writer.open(position === undefined ? 4 : 3, positions);
  if (position === undefined) return writer.bytes;
  writer.number(1, position);
  writer.number(2, position);
  return writer.bytes;
}

const OK = 0;
const INVALID_ARGUMENT = 3;
const DEADLINE_EXCEEDED = 4;
const NOT_FOUND = 5;
const ALREADY_EXISTS = 6;

interface Packable {
  serializeBinary(): Uint8Array;
}

function statusOf(outcome: Exclude<AppendOutcome, { readonly kind: 'written' }>, expected: Expected): Buffer {
  switch (outcome.kind) {
    case 'wrong_expected':
      return packed(
        ALREADY_EXISTS,
        'WrongExpectedVersion',
        'event_store.client.WrongExpectedVersion',
        wrongExpected(outcome.current, expected),
      );
    case 'deleted':
      return packed(NOT_FOUND, 'StreamDeleted', 'event_store.client.StreamDeleted', new shared.StreamDeleted());
    case 'too_large': {
      const details = new shared.MaximumAppendSizeExceeded().setMaxappendsize(MAX_APPEND_BYTES);
      return packed(
        INVALID_ARGUMENT,
        'MaximumAppendSizeExceeded',
        'event_store.client.MaximumAppendSizeExceeded',
        details,
      );
    }
    case 'timeout':
      return packed(DEADLINE_EXCEEDED, 'Timeout', 'event_store.client.Timeout', new shared.Timeout());
    case 'not_ready':
      return packed(OK, 'Server Is Not Ready', 'google.protobuf.Empty', new shared.Empty());
    case 'bad_request': {
      const details = new shared.BadRequest().setMessage(outcome.reason);
      return packed(INVALID_ARGUMENT, 'BadRequest', 'event_store.client.BadRequest', details);
    }
    default:
      return outcome satisfies never;
  }
}

function packed(code: number, message: string, typeName: string, details: Packable): Buffer {
  const any = new googleAny.Any();
  any.pack(details.serializeBinary(), typeName);
  return Buffer.from(new status.Status().setCode(code).setMessage(message).setDetails(any).serializeBinary());
}

function wrongExpected(current: number | undefined, expected: Expected): Packable {
  const details = new shared.WrongExpectedVersion();
  if (current === undefined) details.setCurrentNoStream(new shared.Empty());
  else details.setCurrentStreamRevision(String(current));
  if (expected === 'any') details.setExpectedAny(new shared.Empty());
  else if (expected === 'no_stream') details.setExpectedNoStream(new shared.Empty());
  else if (expected === 'stream_exists') details.setExpectedStreamExists(new shared.Empty());
  else details.setExpectedStreamPosition(String(expected));
  return details;
}
