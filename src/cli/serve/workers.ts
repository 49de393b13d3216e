// The workers of one service, on one port, until a signal: this process starts and replaces them, ends them in order,
// and answers no request itself.
import cluster from 'node:cluster';
import type { Config } from '../../config.ts';
import { aborted, liveWorld, within } from '../../world.ts';
import { onInterrupt, StartFailed } from '../exit.ts';
import type { CommandLog } from '../log.ts';
import { type MetricsOfWorkers, metricsOfWorkers } from './metrics.ts';
import { SharedCounts } from './shared-counts.ts';
import { type WorkerEnd, WorkerProcess, wordsOf } from './worker-process.ts';

/**
 * Resolves when a signal has stopped all workers. Rejects with StartFailed if a worker cannot start, and with what
 * listen throws when the port of the metrics is taken.
 */
export async function superviseWorkers(config: Config, log: CommandLog): Promise<void> {
  const interrupts = onInterrupt((name) => log.info(`${name}: stopping; repeat it to stop immediately`));
  const workers = new Workers(config, log, {
    ended: (worker) => metrics?.workerEnded(worker),
    replaced: () => metrics?.workerReplaced(),
  });
  let metrics: MetricsOfWorkers | undefined;
  const kill = (): void => workers.kill();
  process.once('exit', kill);
  try {
    metrics = await metricsOfWorkers(config, log, () => workers.answering);
    await Promise.race([workers.start(), aborted(interrupts.signal)]);
    await aborted(interrupts.signal);
  } catch (fault) {
    if (!interrupts.signal.aborted) throw fault;
  } finally {
    await workers.stop();
    await metrics?.close();
    process.off('exit', kill);
    interrupts.stop();
  }
}

/** A worker that dies sooner after its start has failed, and the pause before the next one grows, ms. */
const STEADY_MS = 10_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
/** Workers that are begun at one place, one after the other, while the service starts. */
const MOST_STARTS = 5;
/** Longer than a worker that is unready takes for the requests that run and the work after them. */
const END_WITHIN_MS = 30_000;

interface Listeners {
  /** Called when the worker leaves `answering`. */
  ended(worker: WorkerProcess): void;
  replaced(): void;
}

class Workers {
  readonly #config: Config;
  readonly #log: CommandLog;
  readonly #on: Listeners;
  readonly #running = new Map<number, WorkerProcess>();
  readonly #ending = new AbortController();
  readonly #counts: SharedCounts;
  /** The address on which the first worker listens, and with it all. */
  #url: string | undefined;
  #port: number;
  /** Resolves when the next worker of a service that is starting listens. */
  #listened = signalled();
  readonly #announced = signalled();
  /** True if the first worker is to print the address, and if it has. */
  #isAnnouncing = false;
  #isStarted = false;

  constructor(config: Config, log: CommandLog, on: Listeners) {
    this.#config = config;
    this.#log = log;
    this.#on = on;
    this.#port = config.port;
    this.#counts = new SharedCounts(config.rateLimit, config.workers);
    // Each worker gets its turn: where all take connections from one handle, a pool of connections piles up at one of
    // them.
    cluster.schedulingPolicy = cluster.SCHED_RR;
  }

  /** The workers that answer requests, and those whose end is not complete. */
  get answering(): readonly WorkerProcess[] {
    return [...this.#running.values()].filter(({ hasListened }) => hasListened);
  }

  /** The workers that answer requests. */
  get listening(): readonly WorkerProcess[] {
    return [...this.#running.values()].filter(({ isListening }) => isListening);
  }

  /**
   * The first worker alone makes the stores and meets wrong settings; the address is printed when all of them answer.
   * Rejects with StartFailed if a worker cannot start; one that was killed is replaced, a few times.
   */
  async start(): Promise<void> {
    const kept = [this.#keep(1)];
    await this.#untilListening(1, kept);
    if (this.#ending.signal.aborted) return;
    for (let number = 2; number <= this.#config.workers; number += 1) kept.push(this.#keep(number));
    await this.#untilListening(this.#config.workers, kept);
    this.#isAnnouncing = true;
    this.#running.get(1)?.tell({ kind: 'announce' });
    await Promise.race([this.#announced.promise, ...kept]);
    await this.#untilListening(this.#config.workers, kept);
    this.#isStarted = true;
    const all = [...this.#running.values()].sort((a, b) => a.number - b.number);
    this.#log.info(`${all.length} workers are ready: processes ${all.map(({ pid }) => pid).join(', ')}.`);
    for (const worker of all) worker.tell({ kind: 'started' });
  }

  /** Resolves when all have ended. */
  async stop(): Promise<void> {
    this.#ending.abort();
    const left = [...this.#running.values()];
    for (const worker of left) worker.stop();
    const ms = END_WITHIN_MS + this.#config.unreadySeconds * 1_000;
    const ended = await within(liveWorld, ms, () => Promise.all(left.map((worker) => worker.ended)));
    if (ended === 'timeout') this.#log.warn(`Workers were still running after ${ms / 1_000} s; they are being killed.`);
    this.kill();
  }

  kill(): void {
    for (const worker of this.#running.values()) worker.kill('SIGKILL');
  }

  #fork(number: number): WorkerProcess {
    const worker = new WorkerProcess({ number, port: this.#port, workers: this.#config.workers }, this.#counts);
    this.#running.set(number, worker);
    void worker.ended.then(() => {
      this.#running.delete(number);
      if (worker.hasListened) this.#on.ended(worker);
      worker.passOnConnections(this.listening.length > 0);
    });
    return worker;
  }

  async #untilListening(count: number, kept: readonly Promise<void>[]): Promise<void> {
    while (this.listening.length < count && !this.#ending.signal.aborted)
      await Promise.race([this.#listened.promise, ...kept]);
  }

  /**
   * Starts the worker and replaces it each time that it ends, for as long as the service runs. Rejects with StartFailed
   * where a worker ends while the service starts and another one would end the same way.
   */
  async #keep(number: number): Promise<void> {
    let worker = this.#begin(number);
    let failures = 0;
    for (;;) {
      const startedAt = liveWorld.monotonic();
      const end = await worker.ended;
      if (this.#ending.signal.aborted) return;
      failures = liveWorld.monotonic() - startedAt < STEADY_MS ? failures + 1 : 0;
      if (!this.#isStarted && (!wasEnded(end) || failures === MOST_STARTS)) {
        throw new StartFailed(`Worker ${number} ended ${wordsOf(end)} while the service started.`, end.code);
      }
      this.#on.replaced();
      const pauseMs = failures === 0 ? 0 : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
      const soon = pauseMs === 0 ? 'immediately' : `in ${pauseMs / 1_000} s`;
      this.#log.warn(`Worker ${number} ended ${wordsOf(end)}; a replacement starts ${soon}.`);
      await liveWorld.sleep(pauseMs, this.#ending.signal).catch(() => undefined);
      if (this.#ending.signal.aborted) return;
      worker = this.#begin(number);
    }
  }

  #begin(number: number): WorkerProcess {
    // The port is free again when no worker listens: a free port is not chosen twice.
    if (this.#url !== undefined && this.listening.length === 0) this.#port = Number(new URL(this.#url).port);
    const worker = this.#fork(number);
    void worker.listening.then((url) => this.#hearListening(worker, url));
    void worker.announced.then(this.#announced.resolve);
    return worker;
  }

  #hearListening(worker: WorkerProcess, listensOn: string): void {
    if (this.#ending.signal.aborted) return;
    const { number, pid } = worker;
    this.#url ??= listensOn;
    if (listensOn !== this.#url) {
      this.#log.warn(`Worker ${number} listens on ${listensOn}, not on ${this.#url}, so it is stopped.`);
      worker.kill('SIGTERM');
      return;
    }
    if (this.#isStarted) {
      this.#log.info(`Worker ${number} is ready again: process ${pid}.`);
      worker.tell({ kind: 'started' });
      return;
    }
    if (this.#isAnnouncing && number === 1) worker.tell({ kind: 'announce' });
    const { resolve } = this.#listened;
    this.#listened = signalled();
    resolve();
  }
}

/** An end that another worker need not meet: it was killed, or told to stop. */
const wasEnded = ({ code, signal }: WorkerEnd): boolean => signal !== null || code === 0;

/** A promise that its maker resolves. */
interface Signalled {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

function signalled(): Signalled {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((resolves) => {
    resolve = resolves;
  });
  return { promise, resolve };
}
