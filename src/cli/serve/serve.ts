// counterfoil serve: the service, until it is told to stop.
import type { Command } from 'commander';
import { type Config, unknownVariables } from '../../config.ts';
import { aborted, unlessAborted } from '../../world.ts';
import { ALL_SETTINGS, type CommonOptions, configOf, declare } from '../command.ts';
import type { CommandLog } from '../log.ts';
import { PLACE_VARIABLE } from './worker-messages.ts';

export function serve(parent: Command): void {
  declare(parent, {
    usage: 'serve',
    summary: 'Run the service; the first start creates an account and prints its API key',
    examples: ['serve', 'serve --port 8080 --data-dir /var/lib/counterfoil', 'serve --workers max'],
    rules: [
      'stdout has `Listening on <url>`, at the first start the API key, and the dashboard’s address: a one-time link until someone has signed in.',
      'SIGTERM: stops accepting requests, finishes running ones (10 s) and exits 0.',
      'A worker that dies is replaced, during the start at most four times.',
    ],
    json: '{url, accountId, keyId, key, dashboardLink}: one line, once the link exists',
    settings: ALL_SETTINGS,
  }).action(run);
}

async function run(options: CommonOptions): Promise<void> {
  const config = configOf(options);
  if (process.env[PLACE_VARIABLE] !== undefined) {
    const { workerPlace } = await import('./worker-link.ts');
    const place = workerPlace(process.env);
    if (place !== undefined) return (await import('./run-worker.ts')).runWorker(place, config, options);
  }
  const { openLog } = await import('../log.ts');
  const log = await openLog(config.logLevel);
  for (const variable of unknownVariables(process.env)) log.warn(`${variable} is not a setting; it is ignored.`);
  if (config.workers > 1) return (await import('./supervise.ts')).superviseWorkers(config, log);
  return runAlone(config, options, log);
}

async function runAlone(config: Config, options: CommonOptions, log: CommandLog): Promise<void> {
  const { openCounterfoil } = await import('../open/open.ts');
  const { runService } = await import('./run-service.ts');
  const { announce } = await import('./announce.ts');
  const { onInterrupt } = await import('../interrupt.ts');
  const { leaveAddress } = await import('../running-address.ts');
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
