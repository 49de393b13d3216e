// The whole service with metrics on a port of their own, and scrapes of them over a socket.
import { listenForMetrics } from '../../src/cli/serve/metrics.ts';
import { Sampler, type SamplerTimings } from '../../src/cli/serve/sampler.ts';
import { CARD_TESTING_LIMITS } from '../../src/commands/limits/card-testing-counts.ts';
import type { EventStore } from '../../src/stores/event-store.ts';
import { openPrometheus, type Prometheus } from '../../src/telemetry/prometheus.ts';
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

interface MeteredOptions {
  readonly samplerTimings?: SamplerTimings;
  /** The sampler's store in place of the event store; the service looks at that too, at any time. */
  readonly sampled?: (events: EventStore) => EventStore;
}

/** Nothing is sampled unless the test says so. */
export async function serveMetered({
  samplerTimings,
  sampled = (same) => same,
  ...options
}: HttpServiceOptions & MeteredOptions = {}): Promise<MeteredService> {
  const prometheus = openPrometheus({ version: '1.2.3', node: 'v20', limits: CARD_TESTING_LIMITS });
  const http = await serveHttp({ ...options, sinks: (world) => ({ meters: prometheus, spans: undefined, world }) });
  const { readiness, projections, readModels } = http.service;
  const sampler = new Sampler(
    { readiness, projections, events: sampled(http.stores.events), readModels },
    http.world,
    samplerTimings,
  );
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
