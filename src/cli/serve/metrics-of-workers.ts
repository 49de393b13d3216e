// The port of the metrics where several workers answer: one scrape asks all of them.
import type { Config } from '../../config.ts';
import { SummedMetrics } from '../../telemetry/summed-metrics.ts';
import type { CommandLog } from '../log.ts';
import { listenForMetrics, type MetricsListener } from './metrics-listener.ts';
import type { WorkerProcess } from './worker-process.ts';

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
