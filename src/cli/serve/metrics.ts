// Metrics of a running service on a port of their own: GET /metrics, and no route of the API. Where several workers
// answer, one scrape asks all of them.
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Config } from '../../config.ts';
import { boundUnfinished } from '../../http/server.ts';
import type { Ready } from '../../projections/engine/health/readiness.ts';
import { meterConnections } from '../../telemetry/meters.ts';
import type { Prometheus } from '../../telemetry/prometheus.ts';
import { SummedMetrics } from '../../telemetry/summed-metrics.ts';
import type { CommandLog } from '../log.ts';
import type { Opened } from '../open/open.ts';
import { type Address, listen } from './http-listener.ts';
import { Sampler } from './sampler.ts';
import type { WorkerProcess } from './worker-process.ts';

interface RunningMetrics {
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

export interface MetricsListener {
  /** The address, without a path. */
  readonly url: string;
  /** Answers that are being written are cut off. */
  close(): Promise<void>;
}

/** From a connection's first byte to the end of its request. */
const REQUEST_WITHIN_MS = 5_000;
interface MetricsLimits {
  /** The time after which a connection without traffic ends, even if its client does not read the response. */
  readonly silentMs: number;
  /** Prometheus keeps one connection; the rest is for people. */
  readonly connections: number;
}
const defaultLimits: MetricsLimits = { silentMs: 5_000, connections: 50 };
const TEXT = 'text/plain; charset=utf-8';
const POINTER = "The metrics of this node are at /metrics, in Prometheus' text format.\n";

/** Throws what listen throws. */
export async function listenForMetrics(
  address: Address,
  prometheus: Pick<Prometheus, 'text' | 'contentType'>,
  report: (fault: unknown) => void,
  limits: MetricsLimits = defaultLimits,
): Promise<MetricsListener> {
  const options = {
    headersTimeout: REQUEST_WITHIN_MS,
    requestTimeout: REQUEST_WITHIN_MS,
    connectionsCheckingInterval: REQUEST_WITHIN_MS,
  };
  let collecting: Promise<string> | undefined;
  // Requests that come during a scrape share its answer: a scrape takes milliseconds of the thread that answers the
  // API.
  const text = (): Promise<string> => {
    collecting ??= prometheus.text().finally(() => {
      collecting = undefined;
    });
    return collecting;
  };
  const listener: RequestListener = (request, response) => {
    answer(request, response, { text, contentType: prometheus.contentType }).catch((fault: unknown) => {
      report(fault);
      send(response, 500, TEXT, 'The metrics could not be collected.\n');
    });
  };
  const server = createServer(options, boundUnfinished(listener, refuseTooMany));
  server.maxConnections = limits.connections;
  server.timeout = limits.silentMs;
  const url = await listen(server, address, 'metricsPort');
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function refuseTooMany(response: ServerResponse): void {
  response.setHeader('Connection', 'close');
  send(response, 429, TEXT, 'This connection is too many requests ahead of its responses.\n');
}

async function answer(
  { method, url = '' }: IncomingMessage,
  response: ServerResponse,
  prometheus: Pick<Prometheus, 'text' | 'contentType'>,
): Promise<void> {
  const path = url.replace(/\?.*$/s, '');
  if (path !== '/metrics' && path !== '/') return send(response, 404, TEXT, 'Only /metrics exists here.\n');
  if (method !== 'GET' && method !== 'HEAD') {
    response.setHeader('Allow', 'GET, HEAD');
    return send(response, 405, TEXT, 'Only GET and HEAD are allowed here.\n');
  }
  if (path === '/') return send(response, 200, TEXT, POINTER);
  send(response, 200, prometheus.contentType, await prometheus.text());
}

function send(response: ServerResponse, status: number, type: string, text: string): void {
  const headers = {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(text),
    'X-Content-Type-Options': 'nosniff',
  };
  response.writeHead(status, headers).end(text);
}

type Metered = Pick<WorkerProcess, 'scrape' | 'lastMetrics'>;

export interface MetricsOfWorkers {
  /** Called when the worker leaves `workers`. */
  workerEnded(worker: Metered): void;
  workerReplaced(): void;
  close(): Promise<void>;
}

/** A worker that has not answered by then, because its event loop is busy, counts with its last figures, ms. */
const ASKED_FOR_MS = 1_000;

/**
 * `workers`: those that answer, and have not ended. Undefined if no metrics are wanted. Throws what listen throws.
 */
export async function metricsOfWorkers(
  { metricsPort, host }: Pick<Config, 'metricsPort' | 'host'>,
  log: Pick<CommandLog, 'info' | 'error'>,
  workers: () => readonly Metered[],
): Promise<MetricsOfWorkers | undefined> {
  if (metricsPort === undefined) return undefined;
  const report = (fault: unknown): void => log.error({ err: fault }, 'fault');
  const metrics = new SummedMetrics();
  const text = async (): Promise<string> => {
    await Promise.all(workers().map((worker) => worker.scrape(ASKED_FOR_MS)));
    // one that ended meanwhile is summed with those that have ended
    return metrics.text(workers().map(({ lastMetrics }) => lastMetrics));
  };
  const { contentType } = metrics;
  const listener: MetricsListener = await listenForMetrics({ host, port: metricsPort }, { text, contentType }, report);
  log.info(`Metrics at ${listener.url}/metrics`);
  return {
    workerEnded: ({ lastMetrics }) => void metrics.workerEnded(lastMetrics).catch(report),
    workerReplaced: () => metrics.workerReplaced(),
    close: () => listener.close(),
  };
}
