// The work of counterfoil serve: the service, until it is told to stop.
import { type Config, readConfig, unknownVariables } from '../../config.ts';
import { aborted, unlessAborted } from '../../world.ts';
import { leaveAddress } from '../addresses.ts';
import type { CommonOptions } from '../command.ts';
import { onInterrupt } from '../exit.ts';
import { type CommandLog, openLog } from '../log.ts';
import { openCounterfoil } from '../open/open.ts';
import { announce } from './announce.ts';
import { runService } from './run-service.ts';
import { PLACE_VARIABLE } from './worker-messages.ts';

export async function serve(given: CommonOptions): Promise<undefined> {
  const config = readConfig(given, process.env);
  if (process.env[PLACE_VARIABLE] !== undefined) {
    const { runWorker, workerPlace } = await import('./worker.ts');
    const place = workerPlace(process.env);
    if (place !== undefined) {
      await runWorker(place, config, given);
      return;
    }
  }
  const log = await openLog(config.logLevel);
  for (const variable of unknownVariables(process.env)) log.warn(`${variable} is not a setting; it is ignored.`);
  if (config.workers > 1) await (await import('./workers.ts')).superviseWorkers(config, log);
  else await runAlone(config, given, log);
}

async function runAlone(config: Config, options: CommonOptions, log: CommandLog): Promise<void> {
  const interrupts = onInterrupt((name) => log.info(`${name}: stopping; repeat it to stop immediately`));
  const { signal } = interrupts;
  const { acceptShorterLog } = options;
  const opened = await openCounterfoil(config, log, { acceptShorterLog, signal }).catch(unlessAborted(signal));
  if (opened === undefined) return interrupts.stop();
  try {
    let isStarted = false;
    const running = await runService(opened, config, () => isStarted);
    const started = (): void => {
      isStarted = true;
    };
    const { dataDir } = config;
    const removeAddress = await leaveAddress(running, {
      dataDir,
      pid: process.pid,
      warn: (message) => log.warn(message),
    });
    try {
      await Promise.race([announce(opened, running, options, started, interrupts.signal), running.failed]);
      await Promise.race([aborted(interrupts.signal), running.failed]);
    } catch (fault) {
      if (!interrupts.signal.aborted) throw fault;
    } finally {
      await removeAddress();
      await running.stop();
    }
  } finally {
    await opened.close();
    interrupts.stop();
  }
}
