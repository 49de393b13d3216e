// Batch append calls: appends share one call, answers find their appends by id, and a lost call loses all of them.
import { randomUUID } from 'node:crypto';
import type { ClientDuplexStream } from '@grpc/grpc-js';
import type { World } from '../../world.ts';
import { type AppendMessages, type AppendResponse, correlated, readAppendResponse } from './append-messages.ts';
import type { NodeConnection } from './connection.ts';

export type AppendAnswer =
  | { readonly kind: 'written' }
  | { readonly kind: 'conflict' }
  /** Nothing was written. */
  | { readonly kind: 'refused'; readonly why: AppendRefusal; readonly message: string }
  /**
   * The call ended before an answer, or the server gave up waiting for its own disks or nodes: it may have been
   * written.
   */
  | { readonly kind: 'lost'; readonly cause: unknown }
  /** The call had ended before: nothing was sent. */
  | { readonly kind: 'unsent' };

export type AppendRefusal = 'denied' | 'tombstoned' | 'too_large' | 'not_ready' | 'busy' | 'bad_request';

interface Waiting {
  readonly sentAt: number;
  readonly settle: (answer: AppendAnswer) => void;
}

interface AppendCallOptions {
  readonly world: World;
  /** How long an answer may take. */
  readonly tryMs: number;
  /** The server takes appends in the order in which they are sent. */
  readonly inOrder: boolean;
  /** Called once, when it can take no more appends. */
  readonly onLost: (cause: unknown) => void;
}

type Lane = ClientDuplexStream<Buffer, AppendResponse>;

const PATH = '/event_store.client.streams.Streams/BatchAppend';
const asIs = (message: Buffer): Buffer => message;

/**
 * The number of calls in use. grpc-js sends a call's next message when the previous one has left: on a single call only
 * two appends go out in a turn of the event loop. The server keeps the order of the appends on one call; the order
 * across calls is open.
 */
const LANES = 8;

export async function openAppendCall(connection: NodeConnection, options: AppendCallOptions): Promise<AppendCall> {
  const open = (): Promise<Lane> =>
    connection.open((streams, metadata, callOptions) =>
      streams.makeBidiStreamRequest(PATH, asIs, readAppendResponse, metadata, callOptions),
    );
  return new AppendCall(await Promise.all(Array.from({ length: options.inOrder ? 1 : LANES }, open)), options);
}

export class AppendCall {
  readonly #lanes: readonly Lane[];
  readonly #options: AppendCallOptions;
  /** In the order in which they were sent. */
  readonly #waiting = new Map<string, Waiting>();
  readonly #ended = new AbortController();
  #watched = false;
  #sent = 0;

  constructor(lanes: readonly Lane[], options: AppendCallOptions) {
    this.#lanes = lanes;
    this.#options = options;
    for (const lane of lanes) {
      lane.on('data', (response: AppendResponse) => this.#answered(response));
      lane.once('error', (fault) => this.lose(fault));
      lane.once('end', () => this.lose(new Error('the server ended the call')));
    }
  }

  /** It takes no more appends. */
  get isLost(): boolean {
    return this.#ended.signal.aborted;
  }

  /**
   * Never rejects. Its callers bound the number of writes: they wait for answers, and there are only so many callers.
   */
  send(messages: AppendMessages): Promise<AppendAnswer> {
    if (this.isLost) return Promise.resolve({ kind: 'unsent' });
    const id = randomUUID();
    const lane = this.#lanes[this.#sent++ % this.#lanes.length];
    for (const message of messages) lane?.write(correlated(id, message));
    return new Promise((settle) => {
      this.#waiting.set(id, { sentAt: this.#options.world.monotonic(), settle });
      if (!this.#watched) void this.#watch();
    });
  }

  /** Ends the call: every waiting append learns that its answer is lost. */
  lose(cause: unknown): void {
    if (this.isLost) return;
    this.#ended.abort();
    for (const lane of this.#lanes) lane.cancel();
    this.#options.onLost(cause);
    for (const { settle } of this.#waiting.values()) settle({ kind: 'lost', cause });
    this.#waiting.clear();
  }

  #answered(response: AppendResponse): void {
    const { correlation: id } = response;
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return; // the server answers some appends twice
    this.#waiting.delete(id);
    const answer = answerOf(response);
    waiting.settle(answer);
    // no append is taken for a while
    if (answer.kind === 'refused' && answer.why === 'not_ready') this.lose(new Error(answer.message));
  }

  /** One watch for all: the oldest is the first to be overdue. */
  async #watch(): Promise<void> {
    const { world, tryMs } = this.#options;
    const { signal } = this.#ended;
    this.#watched = true;
    for (;;) {
      const [oldest] = this.#waiting.values();
      if (oldest === undefined || signal.aborted) break;
      const left = oldest.sentAt + tryMs - world.monotonic();
      if (left <= 0) return this.lose(new Error(`EventStoreDB did not respond to an append within ${tryMs} ms`));
      await world.sleep(left, signal).catch(() => undefined);
    }
    this.#watched = false;
  }
}

const PREFIX = 'event_store.client.';

function answerOf({ isSuccess, error }: AppendResponse): AppendAnswer {
  if (isSuccess) return { kind: 'written' };
  const message = error?.getMessage() ?? '';
  const type = error?.getDetails()?.getTypeName() ?? '';
  const refused = (why: AppendRefusal): AppendAnswer => ({ kind: 'refused', why, message });
  switch (type.startsWith(PREFIX) ? type.slice(PREFIX.length) : message) {
    case 'WrongExpectedVersion':
      return { kind: 'conflict' };
    case 'Timeout':
      return { kind: 'lost', cause: new Error('EventStoreDB did not write in time') };
    case 'AccessDenied':
      return refused('denied');
    case 'StreamDeleted':
      return refused('tombstoned');
    case 'MaximumAppendSizeExceeded':
      return refused('too_large');
    case 'BadRequest':
      return refused('bad_request');
    case 'Server Is Busy':
      return refused('busy');
    case 'Server Is Not Ready':
    case 'No leader info available in response':
      return refused('not_ready');
    default:
      return {
        kind: 'lost',
        cause: new Error(`EventStoreDB answered an append with ${message || type || 'an unknown message'}`),
      };
  }
}
