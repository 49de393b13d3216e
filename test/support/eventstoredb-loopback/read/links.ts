// Resolves links for readers that ask for it: the event that a link names, with the link, or the link alone where that
// event is gone.
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { FRAME_HEADER_BYTES, framed } from '../grpc/grpc-call.ts';
import type { EventLog } from '../log/event-log.ts';
import { firstVisible, isTombstoned } from '../log/stream-metadata.ts';

const LINK = '$>';

export const isLink = (log: EventLog, index: number): boolean => log.typeName(index) === LINK;

/** The frame of a link, with the event that it names in place of it; `data` of a link is `<revision>@<stream>`. */
export function resolved(log: EventLog, frame: Buffer): Buffer {
  const message = messageIn(frame);
  const read = message.getEvent();
  const link = read?.getEvent();
  if (read === undefined || link === undefined) return frame;
  const [, revision = '', name = ''] = /^(\d+)@(.+)$/.exec(Buffer.from(link.getData_asU8()).toString()) ?? [];
  const target = targetOf(log, name, Number(revision));
  read.setLink(link);
  if (target === undefined) read.clearEvent();
  else read.setEvent(messageIn(log.frame(target)).getEvent()?.getEvent());
  return framed(message.serializeBinary());
}

function targetOf(log: EventLog, name: string, revision: number): number | undefined {
  const stream = log.stream(name);
  if (stream === undefined || isTombstoned(log, stream) || revision < firstVisible(log, stream)) return undefined;
  return stream.events[revision];
}

const messageIn = (frame: Buffer): streams.ReadResp =>
  streams.ReadResp.deserializeBinary(frame.subarray(FRAME_HEADER_BYTES));
