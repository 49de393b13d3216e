// The port of the metrics where several workers answer: one scrape asks all of them.
import type { Config } from '../../config.ts';
import { SummedMetrics } from '../../telemetry/summed-metrics.ts';
import type { CommandLog } from '../log.ts';
import { listenForMetrics, type MetricsListener } from './metrics-listener.ts';
import type { WorkerProcess } from './worker-process.ts';

export interface MetricsOfWorkers {
  workerEnded(worker: WorkerProcess): void;
  close(): Promise<void>;
}

/** A worker that has not answered by then, because its event loop is busy, counts with its last figures, ms. */
const ASKED_FOR_MS = 1_000;

/** Undefined when no metrics are wanted. Throws what listen throws. */
export async function metricsOfWorkers(
  { metricsPort, host }: Config,
  log: CommandLog,
  listening: () => readonly WorkerProcess[],
): Promise<MetricsOfWorkers | undefined> {
  if (metricsPort === undefined) return undefined;
  const report = (fault: unknown): void => log.error({ err: fault }, 'fault');
  const metrics = new SummedMetrics();
  const text = async (): Promise<string> => metrics.text(await Promise.all(listening().map((worker) => worker.scrape(ASKED_FOR_MS))));
  const { contentType } = metrics;
  const listener: MetricsListener = await listenForMetrics({ host, port: metricsPort }, { text, contentType }, report);
  log.info(`Metrics at ${listener.url}/metrics`);
  return {
    workerEnded: ({ lastMetrics }) => void metrics.workerEnded(lastMetrics).catch(report),
    close: () => listener.close(),
  };
}
