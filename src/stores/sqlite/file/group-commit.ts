// Durable writes from many requests at once: what waits goes to one thread and into one transaction.
import type { Worker } from 'node:worker_threads';
import { AppError } from '../../../app-error.ts';
import type { World } from '../../../world.ts';
import { StoreUnavailable } from '../../store-unavailable.ts';
import type { BatchReply, ThreadData } from './commit-thread.ts';
import { startThread } from './thread.ts';

interface GroupCommitOptions<Reply> {
  readonly file: string;
  /** Module that exports `openHandler: OpenHandler` (handler.ts); `besides('./x', import.meta.url)` names it. */
  readonly handler: URL;
  /** Replies cross a thread, so their type is checked here; a cheap test will do, the handler is ours. */
  readonly isReply: (reply: unknown) => reply is Reply;
  readonly world: World;
  readonly report: (fault: unknown) => void;
}

/** The fault that the handler threw about one request; nothing of that request was written. */
export class CommitRefused extends AppError {
  constructor(message: string) {
    super('CommitRefused', message);
  }
}

interface Waiting<Request, Reply> {
  readonly request: Request;
  readonly bytes: number;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (fault: unknown) => void;
}

const MAX_BATCH_REQUESTS = 512;
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
const MAX_QUEUED_REQUESTS = 20_000;
const MAX_QUEUED_BYTES = 64 * 1024 * 1024;
/** A batch that takes longer is given up: longer than the thread itself waits for another process's lock. */
const STALLED_AFTER_MS = 10_000;
const WATCH_EVERY_MS = 1_000;
/** After so long without a write the WAL gives its space back. */
const REST_AFTER_MS = 5_000;
/**
 * The thread holds a batch and a few prepared statements; pages that it reads are in SQLite's cache and the system's.
 */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 8, stackSizeMb: 1 };

/**
 * Runs requests in the handler's thread, those that wait in one `BEGIN IMMEDIATE … COMMIT` with synchronous=FULL.
 * The thread starts with the first request. Requests keep their order.
 *
 *     const handler = besides('./ledger-handler', import.meta.url);
 *     const ledger = new GroupCommit<Entry, number>({ file, handler, isReply, world, report });
 *     const reply = await ledger.submit(entry); // durable now
 */
export class GroupCommit<Request, Reply> {
  readonly #options: GroupCommitOptions<Reply>;
  #closing = false;
  readonly #closed = new AbortController();
  #queue: Waiting<Request, Reply>[] = [];
  #queuedBytes = 0;
  #scheduled = false;
  /** With the thread; empty if that batch was given up but the thread has not answered yet. */
  #inFlight: readonly Waiting<Request, Reply>[] | undefined;
  #sentAt = 0;
  #watched = false;
  #worker: Worker | undefined;
  #idle: (() => void) | undefined;
  #batches = 0;
  #awaitsRest = false;

  constructor(options: GroupCommitOptions<Reply>) {
    this.#options = options;
  }

  /**
   * The handler's reply, once its transaction is on the disk. `bytes` (roughly, of the request) bounds batches and
   * queue. Throws StoreUnavailable (`outcomeUnknown` when the request was with the thread) or CommitRefused.
   */
  submit(request: Request, bytes = 0): Promise<Reply> {
    const refusal = this.#refusal();
    if (refusal !== undefined) return Promise.reject(new StoreUnavailable(refusal));
    return new Promise((resolve, reject) => {
      this.#queue.push({ request, bytes, resolve, reject });
      this.#queuedBytes += bytes;
      this.#schedule();
    });
  }

  /**
   * Waits for all submitted requests, then ends the thread; later requests are refused. A thread that the disk blocks
   * is abandoned.
   */
  async close(): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    if ((this.#inFlight?.length ?? 0) > 0 || this.#queue.length > 0) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    }
    this.#closed.abort();
    const worker = this.#worker;
    if (worker === undefined) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage('close');
    // not terminated: SQLite's binding aborts the whole process when its thread is, in the middle of a call
    if (this.#inFlight === undefined) await ended;
    else worker.unref();
  }

  #refusal(): string | undefined {
    if (this.#closing) return 'the store is closed';
    if (this.#inFlight?.length === 0) return 'the disk has not answered for too long';
    if (this.#queue.length >= MAX_QUEUED_REQUESTS || this.#queuedBytes >= MAX_QUEUED_BYTES)
      return 'too many writes are waiting';
    return undefined;
  }

  /**
   * At the end of this turn of the event loop: all requests that arrived together share a transaction. Sent at once,
   * what waits while a batch is written would go alone, and a message to the thread and a commit cost more than the
   * thread's rest.
   */
  #schedule(): void {
    if (this.#scheduled || this.#inFlight !== undefined) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#send();
    });
  }

  #send(): void {
    if (this.#inFlight !== undefined) return;
    if (this.#queue.length === 0) {
      this.#idle?.();
      return;
    }
    const batch = this.#takeBatch();
    this.#inFlight = batch;
    this.#batches += 1;
    this.#sentAt = this.#options.world.monotonic();
    if (!this.#watched) void this.#watch();
    try {
      this.#worker ??= this.#start();
      this.#worker.postMessage(batch.map(({ request }) => request));
    } catch (cause) {
      this.#settle({ kind: 'failed', message: 'the writer thread accepts no request', cause, outcomeUnknown: false });
    }
  }

  #takeBatch(): readonly Waiting<Request, Reply>[] {
    let bytes = 0;
    let count = 0;
    for (const waiting of this.#queue) {
      if (count === MAX_BATCH_REQUESTS || (count > 0 && bytes + waiting.bytes > MAX_BATCH_BYTES)) break;
      bytes += waiting.bytes;
      count += 1;
    }
    this.#queuedBytes -= bytes;
    if (count < this.#queue.length) return this.#queue.splice(0, count);
    const all = this.#queue;
    this.#queue = [];
    return all;
  }

  #start(): Worker {
    const { file, handler } = this.#options;
    const workerData: ThreadData = { file, handlerUrl: handler.href };
    const worker = startThread('./commit-thread', import.meta.url, {
      name: 'writer',
      workerData,
      resourceLimits: THREAD_LIMITS,
    });
    let cause: unknown;
    worker.on('message', (reply: BatchReply) => this.#settle(reply));
    worker.on('error', (fault) => {
      cause = fault;
    });
    worker.once('exit', (code) =>
      this.#died(worker, new Error(`the writer thread ended with code ${code}`, { cause })),
    );
    return worker;
  }

  #settle(reply: BatchReply): void {
    const batch = this.#inFlight ?? [];
    this.#inFlight = undefined;
    if (reply.kind === 'failed') {
      const { message, cause, outcomeUnknown } = reply;
      for (const { reject } of batch) reject(new StoreUnavailable(message, { cause, outcomeUnknown }));
    } else {
      for (const [index, waiting] of batch.entries())
        this.#answer(waiting, reply.replies[index], reply.refused?.get(index));
    }
    // deferred, so that follow-up writes of this batch join the next transaction
    this.#schedule();
    if (!this.#awaitsRest) void this.#awaitRest();
  }

  async #awaitRest(): Promise<void> {
    this.#awaitsRest = true;
    const { signal } = this.#closed;
    for (let seen = -1; seen !== this.#batches && !signal.aborted; ) {
      seen = this.#batches;
      await this.#options.world.sleep(REST_AFTER_MS, signal).catch(() => undefined);
    }
    this.#awaitsRest = false;
    if (!signal.aborted && this.#inFlight === undefined) this.#worker?.postMessage('rest');
  }

  #answer({ resolve, reject }: Waiting<Request, Reply>, reply: unknown, refused: string | undefined): void {
    if (refused !== undefined) reject(new CommitRefused(refused));
    else if (this.#options.isReply(reply)) resolve(reply);
    else reject(new TypeError('the handler answered something other than its reply'));
  }

  #died(worker: Worker, cause: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    if (this.#closed.signal.aborted) return;
    this.#options.report(cause);
    this.#settle({ kind: 'failed', message: 'the writer thread died', cause, outcomeUnknown: true });
  }

  /** Gives up a batch that the disk does not answer: its outcome is unknown, and no later batch was sent. */
  async #watch(): Promise<void> {
    this.#watched = true;
    while (this.#inFlight !== undefined && !this.#closed.signal.aborted) {
      await this.#options.world.sleep(WATCH_EVERY_MS, this.#closed.signal).catch(() => undefined);
      if (this.#inFlight === undefined || this.#inFlight.length === 0) continue;
      if (this.#options.world.monotonic() - this.#sentAt < STALLED_AFTER_MS) continue;
      this.#stall(this.#inFlight);
    }
    this.#watched = false;
  }

  #stall(batch: readonly Waiting<Request, Reply>[]): void {
    const message = 'the disk has not answered for too long';
    const queued = this.#queue;
    this.#inFlight = [];
    this.#queue = [];
    this.#queuedBytes = 0;
    for (const { reject } of batch) reject(new StoreUnavailable(message, { outcomeUnknown: true }));
    for (const { reject } of queued) reject(new StoreUnavailable(message));
    this.#options.report(new StoreUnavailable(message));
    this.#idle?.();
  }
}
