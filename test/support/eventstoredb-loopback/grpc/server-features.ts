// Lists the calls that the server supports. By them the client takes it for a 23.10.
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import { framed, type GrpcCall, OK } from './grpc-call.ts';

const { SupportedMethod, SupportedMethods } = features;
const STREAMS = 'event_store.client.streams.streams';

const ANSWER: Buffer = framed(
  new SupportedMethods()
    .setEventStoreServerVersion('23.10.1.0')
    .setMethodsList(
      ['append', 'batchappend', 'delete', 'read', 'tombstone'].map((method) =>
        new SupportedMethod().setServiceName(STREAMS).setMethodName(method),
      ),
    )
    .serializeBinary(),
);

export function supportedMethods(call: GrpcCall): void {
  call.receive(
    () => undefined,
    () => call.end(OK, ANSWER),
  );
}
