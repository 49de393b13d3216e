// Metrics of a running service: the samples, the figures of connections, and the port where all of it is scraped.
import type { Server } from 'node:http';
import type { Ready } from '../../projections/engine/health/readiness.ts';
import { meterConnections } from '../../telemetry/refused-connections.ts';
import type { Opened } from '../open/open.ts';
import { listenForMetrics } from './metrics-listener.ts';
import { Sampler } from './sampler.ts';

export interface RunningMetrics {
  stop(): Promise<void>;
}

/**
 * Undefined if none are wanted. `server`: the API's; `readiness`: as `/health/ready` reports it; `host` undefined: a
 * supervisor listens in place of this process. Throws what listen throws.
 */
export async function runMetrics(
  opened: Opened,
  server: Server,
  readiness: () => Ready,
  host: string | undefined,
): Promise<RunningMetrics | undefined> {
  const { config, log, report, service, events, world, telemetry } = opened;
  const { prometheus } = telemetry;
  if (config.metricsPort === undefined || prometheus === undefined) return undefined;
  const { projections, readModels } = service;
  const onNotConserved = (count: number): void =>
    log.error(
      { payments: count },
      'Money is not conserved: more was captured than authorized, or refunded than captured. Run `counterfoil audit conservation`.',
    );
  const sampler = new Sampler({ readiness, projections, events, readModels, onNotConserved }, world);
  prometheus.showState(() => sampler.state());
  prometheus.showLostLines(() => log.lost());
  meterConnections(server, prometheus);
  const listener =
    host === undefined ? undefined : await listenForMetrics({ host, port: config.metricsPort }, prometheus, report);
  if (listener !== undefined) log.info(`Metrics at ${listener.url}/metrics`);
  const ending = new AbortController();
  const sampling = sampler.run(ending.signal);
  return {
    async stop() {
      ending.abort();
      await sampling;
      await listener?.close();
    },
  };
}
