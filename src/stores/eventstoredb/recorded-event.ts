// An event as the server sends it, made one of the port.
import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { AppError } from '../../app-error.ts';
import type { StoredEvent } from '../event-store.ts';

export type RecordedEvent = ReadResp.ReadEvent.RecordedEvent;

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();

export const streamOf = (recorded: RecordedEvent): string =>
  textOf(recorded.getStreamIdentifier()?.getStreamName_asU8() ?? new Uint8Array());

/** Throws AppError ForeignEvent for one whose place in the log is not one number: a transaction of another program wrote it. */
export function positionOf(recorded: RecordedEvent): bigint {
  const commit = recorded.getCommitPosition();
  if (commit !== recorded.getPreparePosition())
    throw new AppError(
      'ForeignEvent',
      `The event at ${commit}/${recorded.getPreparePosition()} of stream ${streamOf(recorded)} was written in a transaction of another ` +
        'program. Counterfoil needs an EventStoreDB of its own.',
    );
  return BigInt(commit);
}

/** The texts are as they are stored, whatever content type they have: nothing is parsed. */
export function storedEvent(recorded: RecordedEvent, stream: string, position: bigint): StoredEvent {
  return {
    id: recorded.getId()?.getString() ?? '',
    type: recorded.getMetadataMap().get('type') ?? '',
    data: textOf(recorded.getData_asU8()),
    metadata: textOf(recorded.getCustomMetadata_asU8()),
    stream,
    revision: Number(recorded.getStreamRevision()),
    position,
  };
}

/** Streams that the server keeps for itself. */
export const isSystemStream = (stream: string): boolean => stream.startsWith('$');
