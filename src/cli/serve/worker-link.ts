// A worker's side of the channel to its supervisor: its place, the orders that it gets, and its end.
import cluster from 'node:cluster';
import type { SharedLimits } from '../../commands/limits/shared-limits.ts';
import { OVER } from '../../world.ts';
import { SharedCountsClient } from './shared-counts-client.ts';
import { type FromWorker, PLACE_VARIABLE, ToWorker, WorkerPlace } from './worker-messages.ts';

export interface WorkerLink extends WorkerPlace {
  /**
   * Aborts when the worker is to finish what runs, and end: by the supervisor's order, by SIGTERM, or because the
   * supervisor is gone.
   */
  readonly signal: AbortSignal;
  /** Resolves when this worker is to print the address. */
  readonly announcing: Promise<void>;
  /** True if the address is printed. */
  readonly isStarted: () => boolean;
  /** Resolves when the supervisor's end of the channel has the message, or is gone. */
  tell(message: FromWorker): Promise<void>;
  /** Of all workers together. */
  limits(requestsPerSecond: number): SharedLimits;
  /** The source of this worker's metrics, as JSON. */
  showMetrics(source: () => Promise<readonly unknown[]>): void;
  /** Sends the metrics a last time at the end, so that no count of a worker that ends in order is lost. */
  lastMetrics(): Promise<void>;
}

/** Undefined in a process that is its own service. */
export function workerPlace(env: NodeJS.ProcessEnv): WorkerPlace | undefined {
  const place = env[PLACE_VARIABLE];
  return place === undefined || !cluster.isWorker ? undefined : WorkerPlace.parse(JSON.parse(place));
}

/** Once in a worker's process: listens to signals and to the supervisor until the process ends. */
export function openWorkerLink(place: WorkerPlace): WorkerLink {
  const ending = new AbortController();
  const stop = (): void => ending.abort(OVER);
  let isStarted = false;
  let announce = (): void => undefined;
  const announcing = new Promise<void>((resolve) => {
    announce = resolve;
  });
  // a terminal sends it to every process: the supervisor hears it, and orders the end
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', stop);
  const { worker } = cluster;
  worker?.on('disconnect', () => {
    worker.exitedAfterDisconnect = true; // else Node ends the process at once, in the middle of its requests
    counts.end();
    stop();
  });
  const counts = new SharedCountsClient(tell);
  let metrics = async (): Promise<readonly unknown[]> => [];
  const scraped = async (): Promise<void> => tell({ kind: 'metrics', metrics: [...(await metrics())] });
  process.on('message', (received: unknown) => {
    const message = ToWorker.parse(received);
    switch (message.kind) {
      case 'announce':
        return announce();
      case 'started':
        isStarted = true;
        return undefined;
      case 'stop':
        return stop();
      case 'scrape':
        return void scraped();
      case 'counted':
        return counts.counted(message.results);
      default:
        return message satisfies never;
    }
  });
  return {
    ...place,
    signal: ending.signal,
    announcing,
    isStarted: () => isStarted,
    tell,
    limits: (requestsPerSecond) => counts.limits(requestsPerSecond, place.workers),
    showMetrics(source) {
      metrics = source;
    },
    lastMetrics: scraped,
  };
}

const tell = (message: FromWorker): Promise<void> =>
  new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve();
    else process.send(message, undefined, undefined, () => resolve());
  });
