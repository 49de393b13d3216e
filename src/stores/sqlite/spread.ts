// Runs work on whole streams of the embedded log in threads, as many as there are cores.
import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import type { Parcel, SpreadWork } from '../event-store.ts';
import { StoreUnavailable } from '../store-unavailable.ts';
import { endThread, startThread } from './file/thread.ts';
import type { SharePlan } from './stream-pages.ts';

export interface SpreadPlan extends SharePlan {
  readonly file: string;
  readonly moduleUrl: string;
  readonly data: unknown;
  /** Their numbers are 1 to this. */
  readonly streams: number;
  readonly streamsAShare: number;
  /** Two numbers that the threads have in common: how many shares were begun, and 1 when no thread shall go on. */
  readonly shared: SharedArrayBuffer;
  /** Parcels that a thread may have handed over, and nobody taken, before it waits. */
  readonly parcelsWaiting: number;
}
export const BEGUN = 0;
export const STOPPED = 1;

/** `share`: its number, from 0. */
export type SpreadMessage =
  | { readonly kind: 'parcel'; readonly share: number; readonly parcel: Parcel }
  | { readonly kind: 'ended'; readonly share: number }
  | { readonly kind: 'done' }
  | { readonly kind: 'fault'; readonly fault: string };

export interface SpreadOptions {
  readonly file: string;
  /** The number of streams in the log. */
  readonly streams: number;
  readonly threads: number;
}

/** More threads find no work, because one thread takes what they make. */
const MOST_THREADS = 8;
/** As many as the process may use cores, 8 at most. */
export const threadsHere = (): number => Math.min(availableParallelism(), MOST_THREADS);

const STREAMS_A_SHARE = 400;
const PARCELS_WAITING = 2;
/** The heap of a thread, which holds a page of events, a document, and the parcels that wait. */
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 64 };

/** See EventStore.spread. */
export async function spread(
  options: SpreadOptions,
  { module, data, categories, to, checksData, take }: SpreadWork,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const shared = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  const plan: SpreadPlan = {
    file: options.file,
    moduleUrl: module.href,
    data,
    categories,
    to: Number(to),
    checksData,
    streams: options.streams,
    streamsAShare: STREAMS_A_SHARE,
    shared: shared.buffer,
    parcelsWaiting: PARCELS_WAITING,
  };
  const over = new AbortController();
  const stop = (): void => over.abort(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  const threads = Array.from({ length: options.threads }, () =>
    startThread('./spread-worker', import.meta.url, { name: 'log reader', workerData: plan, resourceLimits: LIMITS }),
  );
  const shares = new SharesInOrder(async (parcel, share) => {
    if (!over.signal.aborted) await take(parcel, Math.min(1, ((share + 1) * STREAMS_A_SHARE) / options.streams));
  });
  try {
    await Promise.all(threads.map((thread) => finished(thread, shares, over.signal)));
    await shares.taken;
  } finally {
    over.abort();
    signal.removeEventListener('abort', stop);
    Atomics.store(shared, STOPPED, 1);
    await Promise.all(threads.map((thread) => endThread(thread, 'stop')));
  }
}

type Take = (parcel: Parcel, share: number) => Promise<void>;

/** Hands parcels on one at a time: those of a share when all shares before it have ended. */
class SharesInOrder {
  readonly #take: Take;
  readonly #ended = new Set<number>();
  readonly #waiting = new Map<number, (() => void)[]>();
  /** The share whose parcels are taken. */
  #current = 0;
  taken = Promise.resolve();

  constructor(take: Take) {
    this.#take = take;
  }

  /** Resolves when the parcel is taken. */
  async add(share: number, parcel: Parcel): Promise<void> {
    if (share > this.#current)
      await new Promise<void>((resolve) => {
        const others = this.#waiting.get(share) ?? [];
        this.#waiting.set(share, [...others, resolve]);
      });
    this.taken = this.taken.then(() => this.#take(parcel, share));
    return this.taken;
  }

  end(share: number): void {
    this.#ended.add(share);
    while (this.#ended.delete(this.#current)) {
      this.#current += 1;
      for (const go of this.#waiting.get(this.#current) ?? []) go();
      this.#waiting.delete(this.#current);
    }
  }
}

/** Resolves when a thread found no more work, and when all that it made was handed to `take`. */
function finished(thread: Worker, shares: SharesInOrder, over: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const died = (why: unknown): void =>
      reject(new StoreUnavailable(`A thread that reads the event log has failed: ${String(why)}`, { cause: why }));
    over.addEventListener('abort', () => reject(over.reason), { once: true });
    thread.on('error', died);
    thread.once('exit', (code) => died(`it ended with code ${code}`));
    thread.on('message', (message: SpreadMessage) => {
      if (message.kind === 'done') resolve();
      else if (message.kind === 'fault') died(message.fault);
      else if (message.kind === 'ended') shares.end(message.share);
      else shares.add(message.share, message.parcel).then(() => thread.postMessage('taken'), reject);
    });
  });
}
