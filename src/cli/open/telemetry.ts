// What a running service is watched by: metrics when a port is set for them, traces when a tracer provider is registered.
import type { Config } from '../../config.ts';
import type { Watcher } from '../../telemetry/observed.ts';
import type { Prometheus } from '../../telemetry/prometheus.ts';
import type { World } from '../../world.ts';
import { packageVersion } from '../version.ts';

export interface Telemetry {
  /** Innermost first. */
  readonly watchers: readonly Watcher[];
  /** Undefined: no metrics. */
  readonly prometheus: Prometheus | undefined;
}

export const NO_TELEMETRY: Telemetry = { watchers: [], prometheus: undefined };

/** Loads what is wanted and nothing else: most services want neither. */
export async function openTelemetry({ metricsPort }: Pick<Config, 'metricsPort'>, world: World): Promise<Telemetry> {
  const prometheus = metricsPort === undefined ? undefined : await openMetrics();
  const metered = prometheus === undefined ? undefined : (await import('../../telemetry/metered.ts')).metered(prometheus, world);
  const traced = mayBeTraced() ? (await import('../../telemetry/traced.ts')).traced() : undefined;
  return { watchers: [metered, traced].filter((one) => one !== undefined), prometheus };
}

async function openMetrics(): Promise<Prometheus> {
  const { openPrometheus } = await import('../../telemetry/prometheus.ts');
  return openPrometheus({ version: packageVersion(), node: process.version });
}

/** Every copy of @opentelemetry/api 1.x keeps what is registered here; to ask the API itself takes 25 ms to load it. */
const mayBeTraced = (): boolean => Symbol.for('opentelemetry.js.api.1') in globalThis;
