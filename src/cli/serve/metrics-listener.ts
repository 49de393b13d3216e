// Metrics on a port of their own: GET /metrics, and no route of the API.
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { boundUnfinished } from '../../http/server.ts';
import type { Prometheus } from '../../telemetry/prometheus.ts';
import { type Address, listen } from './http-listener.ts';

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
