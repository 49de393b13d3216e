// The whole service with metrics on a port of their own, and scrapes of them over a socket.
import { listenForMetrics } from '../../src/cli/serve/metrics-listener.ts';
import { metered } from '../../src/telemetry/metered.ts';
import { openPrometheus, type Prometheus } from '../../src/telemetry/prometheus.ts';
import { Sampler, type SamplerTimings } from '../../src/telemetry/sampler.ts';
import { type HttpService, type HttpServiceOptions, serveHttp } from '../support/http-service.ts';
import { type Exposition, parseExposition } from './exposition.ts';

export interface MeteredService {
  readonly http: HttpService;
  readonly prometheus: Prometheus;
  readonly sampler: Sampler;
  readonly metricsUrl: string;
  readonly scrape: () => Promise<Exposition>;
  readonly stop: () => Promise<void>;
}

/** Nothing is sampled unless the test says so. */
export async function serveMetered({
  samplerTimings,
  ...options
}: HttpServiceOptions & { readonly samplerTimings?: SamplerTimings } = {}): Promise<MeteredService> {
  const prometheus = openPrometheus({ version: '1.2.3', node: 'v20' });
  const http = await serveHttp({ ...options, watchers: (world) => [metered(prometheus, world)] });
  const { readiness, projections, readModels } = http.service;
  const sampler = new Sampler({ readiness, projections, events: http.stores.events, readModels }, http.world, samplerTimings);
  prometheus.showState(() => sampler.state());
  const listener = await listenForMetrics({ host: '127.0.0.1', port: 0 }, prometheus, (fault) => {
    throw fault;
  });
  return {
    http,
    prometheus,
    sampler,
    metricsUrl: listener.url,
    scrape: async () => parseExposition(await (await fetch(`${listener.url}/metrics`)).text()),
    async stop() {
      await listener.close();
      await http.stop();
    },
  };
}
