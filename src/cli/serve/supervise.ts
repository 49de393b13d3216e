// Several workers on one port, until a signal: this process starts and replaces them, and answers no request itself.
import type { Config } from '../../config.ts';
import { aborted } from '../../world.ts';
import { onInterrupt } from '../interrupt.ts';
import type { CommandLog } from '../log.ts';
import { type MetricsOfWorkers, metricsOfWorkers } from './metrics-of-workers.ts';
import { Workers } from './workers.ts';

/**
 * Resolves when a signal has stopped all workers. Rejects with StartFailed if a worker cannot start, and with what
 * listen throws when the port of the metrics is taken.
 */
export async function superviseWorkers(config: Config, log: CommandLog): Promise<void> {
  const interrupts = onInterrupt((name) => log.info(`${name}: stopping; repeat it to stop immediately`));
  const workers = new Workers(config, log, {
    ended: (worker) => metrics?.workerEnded(worker),
    replaced: () => metrics?.workerReplaced(),
  });
  let metrics: MetricsOfWorkers | undefined;
  const kill = (): void => workers.kill();
  process.once('exit', kill);
  try {
    metrics = await metricsOfWorkers(config, log, () => workers.answering);
    await Promise.race([workers.start(), aborted(interrupts.signal)]);
    await aborted(interrupts.signal);
  } catch (fault) {
    if (!interrupts.signal.aborted) throw fault;
  } finally {
    await workers.stop();
    await metrics?.close();
    process.off('exit', kill);
    interrupts.stop();
  }
}
