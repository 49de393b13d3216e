// The start of a service that answers now: the first account, the link for its owner and the keys of the sandbox, and
// the words that it prints: its address, its dashboard, and at the first start the API key.
import type { FirstAccount } from '../../commands/access/manage-accounts.ts';
import { unlessUnreadable } from '../../commands/access/unless-unreadable.ts';
import type { User } from '../../domain/user/state.ts';
import { accounts } from '../../projections/models/accounts.ts';
import { apiKeys } from '../../projections/models/api-keys.ts';
import { type UserKey, users } from '../../projections/models/users.ts';
import { allOf } from '../../queries/pages.ts';
import { StoreUnavailable } from '../../stores/store-unavailable.ts';
import { within } from '../../world.ts';
import { urlOfDashboard, welcomeLink } from '../addresses.ts';
import { connectAccount } from '../admin/accounts.ts';
import type { CommonOptions } from '../command.ts';
import { untilEffective } from '../effect.ts';
import { Refused } from '../exit.ts';
import type { Opened } from '../open/open.ts';
import { tell, write, writeJson } from '../output.ts';
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

/** As far as these steps need a service. */
type Starting = Pick<Opened, 'service' | 'config' | 'world' | 'report' | 'log'>;

const TRY_AGAIN_MS = 250;
const ASK_SANDBOX_AGAIN_MS = 2_000;

/**
 * The step's result, tried again for as long as a store is unavailable or a read model is being built. Rejects when the
 * signal aborts, and with any other fault.
 */
export async function whenThere<T>(
  { world, report }: Pick<Starting, 'world' | 'report'>,
  signal: AbortSignal,
  step: () => Promise<T>,
  pauseMs = TRY_AGAIN_MS,
): Promise<T> {
  for (;;) {
    try {
      return await step();
    } catch (fault) {
      if (!(fault instanceof StoreUnavailable)) throw fault;
      report(fault);
    }
    await world.sleep(pauseMs, signal);
  }
}

/**
 * The first account; its key only where this process has made it. Undefined if operators have made accounts
 * themselves.
 */
export async function firstStart({ service, log }: Starting): Promise<FirstAccount | undefined> {
  const first = await service.access.makeFirstAccount();
  if (first?.kind === 'rejected') throw new Refused(first.description, first.errorId);
  if (first?.key === undefined) return first;
  const { keyId, revision } = first.key;
  // Only this process can ever show the key, so it does that also when the key does not hold yet.
  await untilEffective(service, apiKeys, { id: keyId, revision }).catch((fault: unknown) => log.warn(String(fault)));
  return first;
}

/**
 * The address of the dashboard for the terminal: until somebody has signed in, a one-time link for the first owner,
 * created again at each start. `publicUrl`: of the service; `accountId`: the first account, if this service has created
 * it.
 */
export async function dashboardOf(
  opened: Omit<Starting, 'log'>,
  publicUrl: string,
  accountId: string | undefined,
): Promise<string> {
  const { service, config, report } = opened;
  const dashboard = urlOfDashboard(config, publicUrl);
  const signedIn = { where: { signedInAt: { from: 0 } }, order: { by: 'signedInAt', descending: false } } as const;
  const [somebody] = await service.readModels.find<User, UserKey>(users, { ...signedIn, limit: 1 });
  const owned = somebody === undefined ? (accountId ?? (await onlyAccount(opened))) : undefined;
  if (owned === undefined) return `${dashboard}/`;
  const made = await unlessUnreadable(report, () => service.users.makeOwnerLink(owned));
  return made?.kind === 'made' ? welcomeLink(dashboard, made.token) : `${dashboard}/`;
}

/** Undefined if operators have made several: `users add` names the account then. */
async function onlyAccount({ service }: Pick<Starting, 'service'>): Promise<string | undefined> {
  const [only, another] = await service.readModels.find(accounts, { where: {}, limit: 2 });
  return another === undefined ? only?.id : undefined;
}

/**
 * Resolves when the steps of a start may run. A first start has nothing to answer before its read models are there; on
 * a store with accounts no read model delays the address.
 */
async function untilStepsMayRun(opened: Starting, ready: Promise<void>, signal: AbortSignal): Promise<void> {
  const hasAccounts = whenThere(opened, signal, () => opened.service.queries.hasAccounts());
  if (!(await hasAccounts)) await ready;
}

/**
 * Sees to it that the sandbox can notify every account. The start does not wait for a sandbox on another node, which
 * may be unavailable.
 */
export async function connectSandboxes(opened: Opened, signal: AbortSignal): Promise<void> {
  const { config, sandbox, service, world, report } = opened;
  if (sandbox === undefined) return;
  const connectAll = async (): Promise<void> => {
    for await (const { id } of allOf(service.readModels, accounts, { where: {} }))
      await unlessUnreadable(report, () => connectAccount(opened, id));
  };
  const saidBySandbox = { world, report: () => undefined };
  const connecting = whenThere(saidBySandbox, signal, connectAll, ASK_SANDBOX_AGAIN_MS);
  if (config.sandboxUrl === undefined) return connecting;
  void connecting.catch((fault: unknown) => signal.aborted || report(fault));
}
