// The words of a service that answers now: its address, its dashboard, and at the first start the API key.
import type { FirstAccount } from '../../commands/access/first-account.ts';
import { within } from '../../world.ts';
import type { CommonOptions } from '../command.ts';
import type { Opened } from '../open/open.ts';
import { tell, write, writeJson } from '../output.ts';
import { connectSandboxes, dashboardOf, firstStart, untilStepsMayRun, whenThere } from './first-start.ts';
import type { Running } from './run-service.ts';

/** Long enough for stores that are up to date. */
const PATIENCE_MS = 2_000;

/**
 * Takes the steps of a first start, and prints. `printed` is called once address and key are printed, before a slow
 * reader has taken them. No step needs a read model at once: a step waits for its own, and the link to the dashboard
 * follows the address when it is there.
 */
export async function announce(
  opened: Opened,
  running: Running,
  options: CommonOptions,
  printed: () => void,
  signal: AbortSignal,
): Promise<void> {
  const { config, service, world, log } = opened;
  const started = (): void => {
    printed();
    void examined(opened, signal);
  };
  const ready = running.untilReady(signal);
  if ((await within(world, PATIENCE_MS, () => ready)) === 'timeout') {
    log.warn(`Listening on ${running.url}, not ready yet: ${service.readiness().reasons.join('; ')}`);
    await untilStepsMayRun(opened, ready, signal);
  }
  const first = await whenThere(opened, signal, () => firstStart(opened));
  await connectSandboxes(opened, signal);
  const dashboard = whenThere(opened, signal, () => dashboardOf(opened, running.publicUrl, first?.accountId));
  if (config.mode === 'live') log.warn('This version has no processor for live mode: payments cannot be created.');
  log.info(`Documentation: ${running.url}/docs, the API: ${running.url}/docs/api`);
  if (options.json === true) {
    const written = writeJson(`${JSON.stringify(asJson(running, await dashboard, first))}\n`);
    started();
    return written;
  }
  const soon = await within(world, PATIENCE_MS, () => dashboard);
  const written = write(greeting(running, soon === 'timeout' ? undefined : soon, first));
  started();
  await written;
  if (first?.key !== undefined) tell('The API key is shown only once. `counterfoil keys create` creates another one.');
  if (soon === 'timeout') await write(dashboardLine(await dashboard));
}

/** The settings are compared with the machine when nothing waits for it any longer. */
async function examined(opened: Opened, signal: AbortSignal): Promise<void> {
  const { warnOfFindings } = await import('../doctor/examine.ts');
  await warnOfFindings(opened, signal);
}

const asJson = ({ url }: Running, dashboardLink: string, first: FirstAccount | undefined): object => ({
  url,
  accountId: first?.accountId ?? null,
  keyId: first?.key?.keyId ?? null,
  key: first?.key?.key ?? null,
  dashboardLink,
});

const dashboardLine = (dashboard: string): string => `Dashboard: ${dashboard}\n`;

function greeting({ url }: Running, dashboard: string | undefined, first: FirstAccount | undefined): string {
  const listening = `Listening on ${url}\n${dashboard === undefined ? '' : dashboardLine(dashboard)}`;
  if (first?.key === undefined) return listening;
  return `${listening}API key: ${first.key.key}

Try it:

curl -s ${url}/client-session \\
  -H 'X-Api-Key: ${first.key.key}' \\
  -H 'Content-Type: application/json' \\
  -d '{"orderId": "order-1", "currencyCode": "EUR", "order": {"lineItems": [{"itemId": "shirt", "amount": 2500, "quantity": 2}]}}'

`;
}
