// Deletes streams: softly, so that they can go on where they ended, or for ever, with a tombstone.
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { failures } from '../grpc/failures.ts';
import { framed, type GrpcCall, type GrpcStatus, OK } from '../grpc/grpc-call.ts';
import type { EventLog } from '../log/event-log.ts';
import { TOMBSTONE } from '../log/event-record.ts';
import { metastreamOf, SOFT_DELETED } from '../log/stream-metadata.ts';
import { systemEvent } from '../log/system-events.ts';
import { decide, type Expected, RecentIds } from './append-rules.ts';

type DeleteOptions = streams.DeleteReq.Options | streams.TombstoneReq.Options;

/** `onWritten` runs when there are new events to read. */
export function softDelete(log: EventLog, onWritten: () => void): (call: GrpcCall) => void {
  return (call) =>
    withOptions(call, streams.DeleteReq, (options) =>
      deleteWith(log, options, onWritten, (name) => {
        log.write(metastreamOf(name), [systemEvent('$metadata', SOFT_DELETED)], Date.now());
      }),
    );
}

export function tombstone(log: EventLog, onWritten: () => void): (call: GrpcCall) => void {
  return (call) =>
    withOptions(call, streams.TombstoneReq, (options) =>
      deleteWith(log, options, onWritten, (name) => {
        log.write(name, [systemEvent(TOMBSTONE, '')], Date.now());
      }),
    );
}

interface DeleteMessage {
  deserializeBinary(bytes: Uint8Array): { getOptions(): DeleteOptions | undefined };
}

function withOptions(
  call: GrpcCall,
  message: DeleteMessage,
  run: (options: DeleteOptions) => readonly [GrpcStatus, Buffer?],
): void {
  let options: DeleteOptions | undefined;
  call.receive(
    (bytes) => {
      options = message.deserializeBinary(bytes).getOptions();
    },
    () => {
      if (options === undefined) call.end(failures.unexpected());
      else call.end(...run(options));
    },
  );
}

function deleteWith(
  log: EventLog,
  options: DeleteOptions,
  onWritten: () => void,
  write: (stream: string) => void,
): readonly [GrpcStatus, Buffer?] {
  const name = Buffer.from(options.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString();
  const expected = expectedIn(options);
  const decision = decide(log, new RecentIds(), { stream: name, expected, events: [] });
  if (decision.kind === 'deleted') return [failures.deleted(name)];
  if (decision.kind !== 'write')
    return [failures.wrongExpected(name, expected, decision.kind === 'wrong_expected' ? decision.current : undefined)];
  const position = log.end;
  write(name);
  log.commit();
  onWritten();
  const at = new streams.DeleteResp.Position().setCommitPosition(String(position)).setPreparePosition(String(position));
  // Both kinds of deletion have the same answer on the wire.
  return [OK, framed(new streams.DeleteResp().setPosition(at).serializeBinary())];
}

function expectedIn(options: {
  hasNoStream(): boolean;
  hasStreamExists(): boolean;
  hasRevision(): boolean;
  getRevision(): string;
}): Expected {
  if (options.hasRevision()) return Number(options.getRevision());
  if (options.hasNoStream()) return 'no_stream';
  return options.hasStreamExists() ? 'stream_exists' : 'any';
}
