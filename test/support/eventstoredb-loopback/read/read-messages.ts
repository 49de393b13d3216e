// The messages of reads and subscriptions that are not events, as frames.
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { framed } from '../grpc/grpc-call.ts';

const { ReadResp } = streams;

export const confirmation = (subscription: string): Buffer =>
  framed(
    new ReadResp()
      .setConfirmation(new ReadResp.SubscriptionConfirmation().setSubscriptionId(subscription))
      .serializeBinary(),
  );

export const CAUGHT_UP: Buffer = framed(new ReadResp().setCaughtUp(new ReadResp.CaughtUp()).serializeBinary());

export const checkpoint = (position: number): Buffer =>
  framed(
    new ReadResp()
      .setCheckpoint(new ReadResp.Checkpoint().setCommitPosition(String(position)).setPreparePosition(String(position)))
      .serializeBinary(),
  );

export const streamNotFound = (stream: string): Buffer =>
  framed(
    new ReadResp()
      .setStreamNotFound(
        new ReadResp.StreamNotFound().setStreamIdentifier(
          new shared.StreamIdentifier().setStreamName(Buffer.from(stream)),
        ),
      )
      .serializeBinary(),
  );
