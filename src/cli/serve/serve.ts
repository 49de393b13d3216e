// counterfoil serve: the service, until it is told to stop.
import type { Command } from 'commander';
import type { FirstAccount } from '../../commands/access/first-account.ts';
import { cautions, unknownVariables } from '../../config.ts';
import { aborted } from '../../world.ts';
import { ALL_SETTINGS, type CommonOptions, configOf, declare } from '../command.ts';
import type { Opened } from '../open/open.ts';
import { tell, write, writeJson } from '../output.ts';
import type { Running } from './run-service.ts';

export function serve(parent: Command): void {
  declare(parent, {
    usage: 'serve',
    summary: 'Run the service; the first start makes an account and prints its API key',
    examples: ['serve', 'serve --port 8080 --data-dir /var/lib/counterfoil'],
    settings: ALL_SETTINGS,
  }).action(run);
}

async function run(options: CommonOptions): Promise<void> {
  const config = configOf(options);
  const { openCounterfoil } = await import('../open/open.ts');
  const { runService } = await import('./run-service.ts');
  const { openLog } = await import('../log.ts');
  const { onInterrupt } = await import('../interrupt.ts');
  const log = await openLog(config.logLevel);
  for (const variable of unknownVariables(process.env)) log.warn(`${variable} is no setting; it does nothing.`);
  for (const caution of cautions(config)) log.warn(caution);
  const interrupts = onInterrupt((name) => log.info(`${name}: stopping; once more stops at once`));
  const opened = await openCounterfoil(config, log);
  try {
    let isStarted = false;
    const running = await runService(opened, config, () => isStarted);
    const started = (): void => {
      isStarted = true;
    };
    try {
      await Promise.race([announce(opened, running, options, started, interrupts.signal), running.failed]);
      await Promise.race([aborted(interrupts.signal), running.failed]);
    } catch (fault) {
      if (!interrupts.signal.aborted) throw fault;
    } finally {
      await running.stop();
    }
  } finally {
    await opened.close();
    interrupts.stop();
  }
}

/** Long enough for stores that are up to date. */
const PATIENCE_MS = 2_000;

/** `started` is called as soon as the address and the key are printed, and not when a slow reader has taken them. */
async function announce(opened: Opened, running: Running, options: CommonOptions, started: () => void, signal: AbortSignal): Promise<void> {
  const { config, service, world, log } = opened;
  const { connectSandboxes, dashboardOf, firstStart, hasAccounts } = await import('./first-start.ts');
  const { within } = await import('../../world.ts');
  const ready = running.untilReady(signal);
  if ((await within(world, PATIENCE_MS, () => ready)) === 'timeout') {
    log.warn(`Listening on ${running.url}, not ready yet: ${service.readiness().reasons.join('; ')}`);
    // A large rebuild, or a parked stream, does not delay the printed address; a first start needs its read models.
    if (!(await hasAccounts(opened))) await ready;
  }
  const first = await firstStart(opened);
  await connectSandboxes(opened, signal);
  const dashboard = await dashboardOf(opened, running.publicUrl, first?.accountId);
  if (config.mode === 'live') log.warn('This version has no processor for live mode: payments cannot be made.');
  log.info(`Documentation: ${running.url}/docs, the API: ${running.url}/docs/api`);
  if (options.json === true) {
    const written = writeJson(`${JSON.stringify(asJson(running, dashboard, first))}\n`);
    started();
    return written;
  }
  const written = write(greeting(running, dashboard, first));
  started();
  await written;
  if (first?.key !== undefined) tell('The API key is shown this once; `counterfoil keys create` makes another.');
}

const asJson = ({ url }: Running, dashboardLink: string, first: FirstAccount | undefined): object => ({
  url,
  accountId: first?.accountId ?? null,
  keyId: first?.key?.keyId ?? null,
  key: first?.key?.key ?? null,
  dashboardLink,
});

function greeting({ url }: Running, dashboard: string, first: FirstAccount | undefined): string {
  const listening = `Listening on ${url}\nDashboard: ${dashboard}\n`;
  if (first?.key === undefined) return listening;
  return `${listening}API key: ${first.key.key}

Try it:

curl -s ${url}/client-session \\
  -H 'X-Api-Key: ${first.key.key}' \\
  -H 'Content-Type: application/json' \\
  -d '{"orderId": "order-1", "currencyCode": "EUR", "order": {"lineItems": [{"itemId": "shirt", "amount": 2500, "quantity": 2}]}}'

`;
}
