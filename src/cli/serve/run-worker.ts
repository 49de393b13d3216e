// One of several workers: the service on a shared port, until the supervisor, a signal or the supervisor's end stops
// it.
import type { Config } from '../../config.ts';
import { aborted, unlessAborted } from '../../world.ts';
import type { CommonOptions } from '../command.ts';
import { openLog } from '../log.ts';
import { openCounterfoil } from '../open/open.ts';
import { leaveAddress } from '../running-address.ts';
import { announce } from './announce.ts';
import { runService } from './run-service.ts';
import { openWorkerLink } from './worker-link.ts';
import type { WorkerPlace } from './worker-messages.ts';

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
