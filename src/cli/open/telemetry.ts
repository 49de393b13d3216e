// The observers of a running service: metrics when a port is set for them, traces when a tracer provider is registered.
import type { Adapters } from '../../adapters.ts';
import type { Config } from '../../config.ts';
import type { Prometheus } from '../../telemetry/prometheus.ts';
import type { Sinks } from '../../telemetry/sinks.ts';
import { type World, within } from '../../world.ts';
import { packageVersion } from '../package-version.ts';

export interface Telemetry {
  /** Undefined: neither metrics nor traces. */
  readonly sinks: Sinks | undefined;
  /** The adapters, observed; the same adapters where neither is on. */
  readonly observe: (adapters: Adapters) => Adapters;
  /** Undefined: no metrics. */
  readonly prometheus: Prometheus | undefined;
  /** For the end of the process: exports the spans that wait, within two seconds. */
  readonly flush: () => Promise<void>;
}

export const NO_TELEMETRY: Telemetry = {
  sinks: undefined,
  observe: (adapters) => adapters,
  prometheus: undefined,
  flush: async () => undefined,
};

/** For the last export; a collector that is gone does not hold up the end of the process. */
const FLUSH_WITHIN_MS = 2_000;

/** Loads the observers that are wanted and no others: most services want neither. */
export async function openTelemetry({ metricsPort }: Pick<Config, 'metricsPort'>, world: World): Promise<Telemetry> {
  const prometheus = metricsPort === undefined ? undefined : await openMetrics();
  const tracing = mayBeTraced() ? await import('../../telemetry/opentelemetry.ts') : undefined;
  const spans = tracing?.openSpans();
  if (prometheus === undefined && spans === undefined) return NO_TELEMETRY;
  const sinks: Sinks = { meters: prometheus, spans, world };
  const { observed } = await import('../../telemetry/observed.ts');
  const flush = async (): Promise<void> =>
    void (await within(world, FLUSH_WITHIN_MS, async () => tracing?.flushSpans()));
  return { sinks, observe: (adapters) => observed(adapters, sinks), prometheus, flush };
}

async function openMetrics(): Promise<Prometheus> {
  const [{ openPrometheus }, { CARD_TESTING_LIMITS }] = await Promise.all([
    import('../../telemetry/prometheus.ts'),
    import('../../commands/limits/card-testing-counts.ts'),
  ]);
  return openPrometheus({ version: packageVersion(), node: process.version, limits: CARD_TESTING_LIMITS });
}

/** Every copy of @opentelemetry/api 1.x keeps its registrations here; the API itself takes 25 ms to load. */
const mayBeTraced = (): boolean => Symbol.for('opentelemetry.js.api.1') in globalThis;
