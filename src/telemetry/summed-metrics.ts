// The metrics of several workers as those of one node: counts summed, also those of workers that have ended.
import { AggregatorRegistry, Counter, Gauge, type PrometheusContentType, Registry } from 'prom-client';
import { z } from 'zod';

/** The report of one worker: its metrics as JSON. Each says how it is combined with those of others (prometheus.ts). */
const Metrics = z.array(z.looseObject({ name: z.string(), type: z.string() }));

/**
 * These only grow: a worker's share of them outlives the worker, because Prometheus takes a smaller sum for a restart
 * of the node.
 */
const GROWING: ReadonlySet<string> = new Set(['counter', 'histogram']);

export class SummedMetrics {
  readonly #own = new Registry();
  readonly #workers = this.#gauge();
  readonly #ends = this.#counter();
  /** Of workers that have ended: what is summed already, and then those that are not. */
  #ended: readonly z.output<typeof Metrics>[] = [];
  #adding: Promise<void> = Promise.resolve();

  readonly contentType = this.#own.contentType;

  /** A worker has ended, with these last metrics: they count from this call on. */
  async workerEnded(metrics: readonly unknown[]): Promise<void> {
    this.#ended = [...this.#ended, Metrics.parse(metrics).filter(({ type }) => GROWING.has(type))];
    // Added up in turn: two ends at the same time lose nothing.
    const before = this.#adding;
    this.#adding = before.then(async () => {
      const all = this.#ended;
      const sum = Metrics.parse(await summed(all).getMetricsAsJSON());
      this.#ended = [sum, ...this.#ended.slice(all.length)];
    });
    await this.#adding;
  }

  /** Another worker takes the place of one that ended. */
  workerReplaced(): void {
    this.#ends.inc();
  }

  /** In Prometheus' text format. `workers`: what each worker that has not ended tells, of the moment of this call. */
  async text(workers: readonly (readonly unknown[])[]): Promise<string> {
    const ended = this.#ended; // of the same moment: each worker counts once, however soon it ends
    this.#workers.set(workers.length);
    const own = Metrics.parse(await this.#own.getMetricsAsJSON());
    // Living workers first: they decide how a metric is combined, and give a label that counts once.
    return summed([...workers.map((metrics) => Metrics.parse(metrics)), ...ended, own]).metrics();
  }

  #gauge(): Gauge {
    return new Gauge({ name: 'counterfoil_workers', help: 'Workers that answer requests.', registers: [this.#own] });
  }

  #counter(): Counter {
    return new Counter({
      name: 'counterfoil_worker_ends_total',
      help: 'Workers that ended and were replaced.',
      registers: [this.#own],
    });
  }
}

const summed = (metrics: readonly object[]): Registry<PrometheusContentType> =>
  AggregatorRegistry.aggregate<PrometheusContentType>([...metrics]);
