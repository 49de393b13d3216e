// One client of the server and the calls over it: the only place that touches the client's inside.
import { EventStoreDBClient } from '@eventstore/db-client';
import streamsGrpc, { type StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { CallOptions, ClientDuplexStream, ClientReadableStream, Metadata } from '@grpc/grpc-js';
import { AppError } from '../../app-error.ts';
import { ownConnectionString } from './connection-string.ts';

/** A read from another node may miss a write of a moment ago. */
const FROM_LEADER = { requiresLeader: true } as const;
/** Calls have no deadline of their own: the code that opens a call watches it and cancels it. */
const ENDLESS = { deadline: Number.POSITIVE_INFINITY } as const;
type Call = ClientDuplexStream<never, unknown> | ClientReadableStream<unknown>;
type Channel = ReturnType<StreamsClient['getChannel']>;

export class NodeConnection {
  readonly #client: EventStoreDBClient;
  readonly #channels = new Set<Channel>();
  readonly #calls = new Set<Call>();
  #closed = false;
  #onIdle: (() => void) | undefined;

  /** Throws AppError WrongSettings if the URL is none that the client takes; connects at the first call. */
  constructor(url: string) {
    try {
      this.#client = EventStoreDBClient.connectionString(ownConnectionString(url));
    } catch {
      // The client's message quotes from the URL, and a password may be in it.
      throw new AppError(
        'WrongSettings',
        'The URL of the event store is not a connection string that EventStoreDB knows.',
      );
    }
  }

  /** Opens a call. Its errors reach its listeners only. The opener cancels the call. */
  async open<C extends Call>(
    start: (streams: StreamsClient, metadata: Metadata, options: CallOptions) => C,
  ): Promise<C> {
    return this.#client['GRPCStreamCreator'](streamsGrpc.StreamsClient, 'counterfoil', (streams) => {
      if (this.#closed) throw new Error('the connection was closed before the call began');
      this.#channels.add(streams.getChannel());
      const call = start(streams, ...this.#client['callArguments'](FROM_LEADER, ENDLESS));
      this.#calls.add(call);
      call.on('error', () => undefined); // without a listener an error ends the process
      call.once('status', () => {
        this.#calls.delete(call);
        if (this.#calls.size === 0) this.#onIdle?.();
      });
      return call;
    })();
  }

  /** Closed as soon as no call is left on it; then `onClosed` is called. */
  retire(onClosed: () => void): void {
    this.#onIdle = () => {
      this.close();
      onClosed();
    };
    if (this.#calls.size === 0) this.#onIdle();
  }

  /** Cancels all calls that are still under way. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    const closeChannels = (): void => {
      for (const channel of this.#channels) channel.close();
    };
    this.#client.dispose().then(closeChannels, closeChannels);
  }
}
