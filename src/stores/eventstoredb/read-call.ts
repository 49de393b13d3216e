// One call that reads: its messages as they come, paused while the reader is slow, cancelled when the reader leaves.
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import type { ClientReadableStream } from '@grpc/grpc-js';
import type { NodeConnection } from './connection.ts';
import { type ReadResponse, readReadResponse } from './recorded-event.ts';

interface ReadCallOptions {
  /** Takes each message as it comes; true: enough for now, until `resume`. */
  readonly take: (message: ReadResponse) => boolean;
  /**
   * Called once, unless it was cancelled: with the fault that ended the call, or with nothing when the server had no
   * more.
   */
  readonly onEnd: (fault?: unknown) => void;
}

const PATH = '/event_store.client.streams.Streams/Read';
const serialize = (request: ReadReq): Buffer => Buffer.from(request.serializeBinary());

export class ReadCall {
  readonly #call: ClientReadableStream<ReadResponse>;
  #ended = false;

  static async open(connection: NodeConnection, request: ReadReq, options: ReadCallOptions): Promise<ReadCall> {
    const call = await connection.open((streams, metadata, callOptions) =>
      streams.makeServerStreamRequest(PATH, serialize, readReadResponse, request, metadata, callOptions),
    );
    return new ReadCall(call, options);
  }

  private constructor(call: ClientReadableStream<ReadResponse>, { take, onEnd }: ReadCallOptions) {
    this.#call = call;
    const end = (fault?: unknown): void => {
      if (this.#ended) return;
      this.#ended = true;
      onEnd(fault);
    };
    call.once('error', end);
    call.once('end', () => end());
    call.on('data', (message: ReadResponse) => {
      if (this.#ended) return;
      try {
        if (take(message)) call.pause();
      } catch (fault) {
        end(fault);
        this.cancel();
      }
    });
  }

  resume(): void {
    this.#call.resume();
  }

  /** Without this a call whose reader stopped stays open for ever. */
  cancel(): void {
    this.#ended = true;
    this.#call.cancel();
    this.#call.resume();
  }
}
