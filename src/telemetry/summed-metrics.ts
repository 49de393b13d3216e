// The metrics of several workers as those of one node: counts summed, also those of workers that have ended.
import { AggregatorRegistry, Counter, Gauge, type PrometheusContentType, Registry } from 'prom-client';
import { z } from 'zod';

/** What one worker tells: its metrics as JSON. Each says how it is put together with those of others (prometheus.ts). */
const Metrics = z.array(z.looseObject({ name: z.string(), type: z.string() }));

/** These only grow: a worker's share of them outlives the worker, because Prometheus takes a smaller sum for a restart of the node. */
const GROWING: ReadonlySet<string> = new Set(['counter', 'histogram']);

export class SummedMetrics {
  readonly #own = new Registry();
  readonly #workers = this.#gauge();
  readonly #ends = this.#counter();
  /** Of workers that have ended. */
  #ended: z.output<typeof Metrics> = [];

  readonly contentType = this.#own.contentType;

  /** A worker has ended, and told this last. */
  async workerEnded(metrics: readonly unknown[]): Promise<void> {
    this.#ends.inc();
    const growing = Metrics.parse(metrics).filter(({ type }) => GROWING.has(type));
    // Added up in turn: two ends at the same time lose nothing.
    const before = this.#adding;
    this.#adding = before.then(async () => {
      this.#ended = Metrics.parse(await summed([this.#ended, growing]).getMetricsAsJSON());
    });
    await this.#adding;
  }

  /** In Prometheus' text format. `workers`: what each worker that answers requests tells now. */
  async text(workers: readonly (readonly unknown[])[]): Promise<string> {
    await this.#adding;
    this.#workers.set(workers.length);
    const own = Metrics.parse(await this.#own.getMetricsAsJSON());
    // Those of the living first: a metric's way of being put together, and a label that counts once, come from them.
    return summed([...workers.map((metrics) => Metrics.parse(metrics)), this.#ended, own]).metrics();
  }

  #adding: Promise<void> = Promise.resolve();

  #gauge(): Gauge {
    return new Gauge({ name: 'counterfoil_workers', help: 'Workers that answer requests.', registers: [this.#own] });
  }

  #counter(): Counter {
    return new Counter({ name: 'counterfoil_worker_ends_total', help: 'Workers that ended and were replaced.', registers: [this.#own] });
  }
}

const summed = (metrics: readonly object[]): Registry<PrometheusContentType> =>
  AggregatorRegistry.aggregate<PrometheusContentType>([...metrics]);
