// Several workers on one port: starts them, replaces those that die, and ends them in order. It answers no request itself.
import cluster from 'node:cluster';
import type { Config } from '../../config.ts';
import { aborted, liveWorld, within } from '../../world.ts';
import { onInterrupt } from '../interrupt.ts';
import type { CommandLog } from '../log.ts';
import { type MetricsOfWorkers, metricsOfWorkers } from './metrics-of-workers.ts';
import { SharedCounts } from './shared-counts.ts';
import { WorkerProcess, wordsOf } from './worker-process.ts';

/** A worker that dies sooner after its start has failed, and the pause before the next one grows, ms. */
const STEADY_MS = 10_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
/** Longer than a worker takes for the requests that run and the work after them. */
const END_WITHIN_MS = 30_000;

/**
 * Resolves when a signal has stopped all workers. Rejects with StartFailed when a worker ends before the address is printed, and with what
 * listen throws when the port of the metrics is taken.
 */
export async function superviseWorkers(config: Config, log: CommandLog): Promise<void> {
  const interrupts = onInterrupt((name) => log.info(`${name}: stopping; once more stops at once`));
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
  #url: string | undefined;
  #port: number;

  constructor(config: Config, log: CommandLog, on: Listeners) {
    this.#config = config;
    this.#log = log;
    this.#on = on;
    this.#port = config.port;
    this.#counts = new SharedCounts(config.rateLimit, config.workers);
    // Each worker gets its turn: where all take connections from one handle, a pool of connections piles up at one of them.
    cluster.schedulingPolicy = cluster.SCHED_RR;
  }

  /** Those that answer requests, and those whose end has not been heard whole. */
  get answering(): readonly WorkerProcess[] {
    return [...this.#running.values()].filter(({ hasListened }) => hasListened);
  }

  /** Those that answer requests. */
  get listening(): readonly WorkerProcess[] {
    return [...this.#running.values()].filter(({ isListening }) => isListening);
  }

  /** The first worker alone makes the stores and meets wrong settings; the address is printed when all of them answer. */
  async start(): Promise<void> {
    const first = this.#fork(1);
    this.#url = await Promise.race([first.listening, first.failed]);
    if (this.#ending.signal.aborted) return;
    const others = Array.from({ length: this.#config.workers - 1 }, (_, place) => this.#fork(place + 2));
    const all = [first, ...others];
    const failed = all.map((worker) => worker.failed);
    await Promise.race([Promise.all(others.map(({ listening }) => listening)), ...failed]);
    first.tell({ kind: 'announce' });
    await Promise.race([first.announced, ...failed]);
    this.#log.info(`${all.length} workers answer: processes ${all.map(({ pid }) => pid).join(', ')}.`);
    for (const worker of all) {
      worker.tell({ kind: 'started' });
      void this.#keep(worker);
    }
  }

  /** Resolves when all have ended. */
  async stop(): Promise<void> {
    this.#ending.abort();
    const left = [...this.#running.values()];
    for (const worker of left) worker.stop();
    const ended = await within(liveWorld, END_WITHIN_MS, () => Promise.all(left.map((worker) => worker.ended)));
    if (ended === 'timeout') this.#log.warn(`Workers were still running after ${END_WITHIN_MS / 1_000} s; they are killed.`);
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

  /** Replaces the worker each time that it ends, for as long as the service runs. */
  async #keep(first: WorkerProcess): Promise<void> {
    let worker = first;
    let failures = 0;
    for (;;) {
      const startedAt = liveWorld.monotonic();
      const end = await worker.ended;
      if (this.#ending.signal.aborted) return;
      this.#on.replaced();
      failures = liveWorld.monotonic() - startedAt < STEADY_MS ? failures + 1 : 0;
      const pauseMs = failures === 0 ? 0 : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
      const soon = pauseMs === 0 ? 'at once' : `in ${pauseMs / 1_000} s`;
      this.#log.warn(`Worker ${worker.number} ended ${wordsOf(end)}; another takes its place ${soon}.`);
      await liveWorld.sleep(pauseMs, this.#ending.signal).catch(() => undefined);
      if (this.#ending.signal.aborted) return;
      worker = this.#replace(worker.number);
    }
  }

  #replace(number: number): WorkerProcess {
    const url = this.#url ?? '';
    // The port is free again when no worker listens: a free port is not chosen twice.
    if (this.listening.length === 0) this.#port = Number(new URL(url).port);
    const worker = this.#fork(number);
    void worker.listening.then((listensOn) => {
      if (this.#ending.signal.aborted) return;
      if (listensOn === url) {
        this.#log.info(`Worker ${number} answers again: process ${worker.pid}.`);
        return worker.tell({ kind: 'started' });
      }
      this.#log.warn(`Worker ${number} listens on ${listensOn}, and not on ${url}: it is ended.`);
      worker.kill('SIGTERM');
    });
    return worker;
  }
}
