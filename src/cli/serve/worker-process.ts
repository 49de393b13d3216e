// The supervisor's side of the channel to one worker: its start, its words, its end.
import cluster, { type Worker } from 'node:cluster';
import { z } from 'zod';
import { liveWorld, within } from '../../world.ts';
import type { SharedCounts } from './shared-counts.ts';
import { type CountCall, FromWorker, PLACE_VARIABLE, type ToWorker, type WorkerPlace } from './worker-messages.ts';

/** The end of a worker: its exit code, or the signal that ended it. */
export interface WorkerEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

export class WorkerProcess {
  readonly number: number;
  readonly pid: number;
  /** Resolves with the URL on which it answers; never, where it ends before. */
  readonly listening: Promise<string>;
  /** Resolves when it has printed the address; never, where it was not asked to. */
  readonly announced: Promise<void>;
  /** Resolves when it has ended, and all its messages have arrived. */
  readonly ended: Promise<WorkerEnd>;
  readonly #worker: Worker;
  readonly #handedOver: HandedOver;
  #isListening = false;
  #isOver = false;
  #metrics: readonly unknown[] = [];
  readonly #scraped: (() => void)[] = [];

  constructor(place: WorkerPlace, counts: Pick<SharedCounts, 'answer'>) {
    this.number = place.number;
    const worker = cluster.fork({ [PLACE_VARIABLE]: JSON.stringify(place) });
    this.#worker = worker;
    this.pid = worker.process.pid ?? -1;
    this.#handedOver = new HandedOver(worker);
    let listens = (_url: string): void => undefined;
    let hasAnnounced = (): void => undefined;
    this.listening = new Promise((resolve) => {
      listens = resolve;
    });
    this.announced = new Promise((resolve) => {
      hasAnnounced = resolve;
    });
    worker.on('error', () => undefined); // its end tells the same
    worker.on('message', (received: unknown) => {
      const message = FromWorker.parse(received);
      switch (message.kind) {
        case 'listening':
          this.#isListening = true;
          return listens(message.url);
        case 'announced':
          return hasAnnounced();
        case 'metrics':
          return this.#heard(message.metrics);
        case 'count':
          return void this.#count(message.calls, counts);
        default:
          return message satisfies never;
      }
    });
    this.ended = this.#end();
  }

  /** True if it answers requests. */
  get isListening(): boolean {
    return this.#isListening && !this.#isOver;
  }

  /** True if it has answered requests. */
  get hasListened(): boolean {
    return this.#isListening;
  }

  /** Asks for its metrics; resolves when they have arrived, when it has ended, and after `ms`. */
  async scrape(ms: number): Promise<void> {
    const told = new Promise<void>((resolve) => {
      this.#scraped.push(resolve);
    });
    this.tell({ kind: 'scrape' });
    await within(liveWorld, ms, () => Promise.race([told, this.ended]));
  }

  /** Its last reported metrics; empty if there are none. */
  get lastMetrics(): readonly unknown[] {
    return this.#metrics;
  }

  #heard(metrics: readonly unknown[]): void {
    this.#metrics = metrics;
    for (const told of this.#scraped.splice(0)) told();
  }

  async #count(calls: readonly (readonly [number, CountCall])[], counts: Pick<SharedCounts, 'answer'>): Promise<void> {
    const results = calls.map(
      async ([number, call]): Promise<[number, unknown]> => [number, await counts.answer(call)],
    );
    this.tell({ kind: 'counted', results: await Promise.all(results) });
  }

  /** A worker that has ended hears nothing. */
  tell(message: ToWorker): void {
    if (this.#worker.isConnected()) this.#worker.send(message, () => undefined);
  }

  /**
   * It is to finish what runs, and end. Node loses words to a process that has not begun to listen for them; a signal
   * is heard from the first moment on, and ends such a process at once.
   */
  stop(): void {
    this.tell({ kind: 'stop' });
    if (!this.#isListening) this.kill('SIGTERM');
  }

  /** After its end: connections that it was handed and never took go to another worker, where any listens. */
  passOnConnections(isAnyListening: boolean): void {
    this.#handedOver.passOn(isAnyListening);
  }

  kill(signal: 'SIGTERM' | 'SIGKILL'): void {
    this.#worker.process.kill(signal);
  }

  async #end(): Promise<WorkerEnd> {
    const { process: child } = this.#worker;
    const disconnected = new Promise<void>((resolve) => {
      this.#worker.once('disconnect', () => resolve());
    });
    const end = await new Promise<WorkerEnd>((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
    this.#isOver = true;
    if (this.#worker.isConnected()) await disconnected;
    return end;
  }
}

export const wordsOf = ({ code, signal }: WorkerEnd): string =>
  signal === null ? `with exit code ${code}` : `by ${signal}`;

/**
 * Node hands a new connection to a worker, keeps a copy, and closes the copy when the worker says that it has the
 * connection. A worker that is killed before leaves the copy open, and its client would wait for ever. So the
 * supervisor refuses the connection in the dead worker's name, and Node hands it to another one. No byte of it was
 * read: a worker says that it has a connection before it reads.
 */
class HandedOver {
  readonly #child: Worker['process'];
  readonly #waiting = new Map<number, { close(): void }>();

  constructor({ process: child }: Worker) {
    this.#child = child;
    const send = child.send.bind(child);
    child.send = (message: never, handle?: unknown, ...rest: never[]): boolean => {
      const handing = Handing.safeParse(message);
      if (handing.success && isClosable(handle)) this.#waiting.set(handing.data.seq, handle);
      return Reflect.apply(send, child, [message, handle, ...rest]);
    };
    child.on('internalMessage', (message: unknown) => {
      const taken = Taken.safeParse(message);
      if (taken.success) this.#waiting.delete(taken.data.ack);
    });
  }

  /** After the worker's end. Closes them where no other worker listens. */
  passOn(isAnyListening: boolean): void {
    for (const [seq, handle] of [...this.#waiting]) {
      if (isAnyListening)
        this.#child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack: seq, accepted: false }, undefined);
      else handle.close();
    }
    this.#waiting.clear();
  }
}

/** Node's own messages of the two. */
const Handing = z.object({ cmd: z.literal('NODE_CLUSTER'), act: z.literal('newconn'), seq: z.number() });
const Taken = z.object({ cmd: z.literal('NODE_CLUSTER'), ack: z.number() });

const isClosable = (handle: unknown): handle is { close(): void } =>
  typeof handle === 'object' && handle !== null && 'close' in handle && typeof handle.close === 'function';
