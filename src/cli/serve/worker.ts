// One of several workers: the service on a shared port, until the supervisor, a signal or the supervisor's end stops
// it; and its side of the channel to the supervisor.
import cluster from 'node:cluster';
import type { SharedLimits } from '../../commands/limits/permits.ts';
import type { Config } from '../../config.ts';
import { aborted, OVER, unlessAborted } from '../../world.ts';
import { leaveAddress } from '../addresses.ts';
import type { CommonOptions } from '../command.ts';
import { openLog } from '../log.ts';
import { openCounterfoil } from '../open/open.ts';
import { announce } from './announce.ts';
import { runService } from './run-service.ts';
import { SharedCountsClient } from './shared-counts.ts';
import { type FromWorker, PLACE_VARIABLE, ToWorker, WorkerPlace } from './worker-messages.ts';

/** Rejects as `serve` does in a process of its own; the supervisor learns of it by the exit code. */
export async function runWorker(place: WorkerPlace, config: Config, options: CommonOptions): Promise<void> {
  const link = openWorkerLink(place);
  const log = await openLog(config.logLevel, link.number);
  const { signal } = link;
  const { acceptShorterLog } = options;
  const sharedLimits = link.limits(config.rateLimit);
  const opening = openCounterfoil(config, log, { sharedLimits, acceptShorterLog, signal });
  const opened = await opening.catch(unlessAborted(signal));
  if (opened === undefined) return;
  const { prometheus } = opened.telemetry;
  if (prometheus !== undefined) link.showMetrics(prometheus.values);
  try {
    if (link.signal.aborted) return;
    const running = await runService(opened, { host: config.host, port: link.port }, link.isStarted, true);
    const printed = (): void => void link.tell({ kind: 'announced' });
    // The service ends with its supervisor, and another worker takes the place of this one.
    const removeAddress = await leaveAddress(running, {
      dataDir: config.dataDir,
      pid: process.ppid,
      warn: (message) => log.warn(message),
    });
    const announced = link.announcing.then(() => announce(opened, running, options, printed, link.signal));
    try {
      await link.tell({ kind: 'listening', url: running.url });
      await Promise.race([announced.then(() => aborted(link.signal)), aborted(link.signal), running.failed]);
      log.info('stopping');
    } catch (fault) {
      if (!link.signal.aborted) throw fault;
    } finally {
      await removeAddress();
      await running.stop();
    }
  } finally {
    await opened.close();
    await link.lastMetrics();
  }
}

interface WorkerLink extends WorkerPlace {
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
function openWorkerLink(place: WorkerPlace): WorkerLink {
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
