// The service that the demo calls: the running service of these stores, or a service in memory. The demo's key ends
// with the demo.
import { access } from 'node:fs/promises';
import { type CircuitLimits, defaultCircuit } from '../../commands/limits/circuit.ts';
import { defaultTimings, type Timings } from '../../commands/payment-timings.ts';
import type { Config } from '../../config.ts';
import { publicEventId } from '../../domain/category.ts';
import type { Scope } from '../../domain/scopes.ts';
import { accounts } from '../../projections/models/accounts.ts';
import { apiKeys } from '../../projections/models/api-keys.ts';
import { newestMessage } from '../../queries/events.ts';
import { shownUrl } from '../../store-urls.ts';
import { liveWorld } from '../../world.ts';
import { isCounterfoil } from '../addresses.ts';
import { makeAccount } from '../admin/accounts.ts';
import { effective, unlessRefused } from '../effect.ts';
import { Refused, Unavailable, WrongUsage } from '../exit.ts';
import {
  addShortLivedEndpoint,
  openShortLivedEndpoint,
  type ShortLivedEndpoint,
  type TakeDelivery,
} from '../listen/endpoint.ts';
import { lazyLog } from '../log.ts';
import { type Opened, openCounterfoil, openInMemory } from '../open/open.ts';
import { tell } from '../output.ts';
import { runService } from '../serve/run-service.ts';
import { DEMO_RULES, FAILURES } from './stories.ts';

/** A webhook endpoint of the demo's own. It ends with the demo, or at the first message that nobody takes. */
interface DemoEndpoint extends Pick<ShortLivedEndpoint, 'id' | 'secret' | 'end'> {
  /** The eventId of the account's newest message when the endpoint was made; undefined: there is none. */
  readonly after: string | undefined;
}

export interface ServiceForDemo {
  readonly url: string;
  readonly key: string;
  readonly inMemory: boolean;
  /** How long it waits for a processor's answer, ms. */
  readonly answerWithinMs: number;
  /** A receiver in this process that gets the account's messages, until it is closed. */
  receive(take: TakeDelivery): Promise<ShortLivedEndpoint>;
  /** Moves its business clock; undefined for a service with other users. */
  readonly skip: ((ms: number) => Promise<void>) | undefined;
  /** Sends the account's messages to a URL as well, until the answer's `end`. */
  addEndpoint(url: string): Promise<DemoEndpoint>;
  /** Revokes the key; ends the service when it was started for the demo. */
  end(): Promise<void>;
}

/** The key that the demo makes. */
interface DemoKey {
  readonly scopes: readonly Scope[];
  /** A demo that was killed leaves its key valid for so long at most. */
  readonly lifeMs: number;
}

interface DemoNeeds {
  /** A service of the demo's own waits a short time for its processor. */
  readonly impatient: boolean;
  readonly key: DemoKey;
}

/** The account of a running service that the key is for. */
type ChooseAccount = (opened: Opened) => Promise<string>;

/** The first one: a demo harms none. */
const firstAccount: ChooseAccount = async ({ service }) => {
  const [account] = await service.readModels.find(accounts, { where: {}, limit: 1 });
  if (account === undefined)
    throw new WrongUsage('There is no account yet. Create one with `counterfoil accounts create --name N`.');
  return account.id;
};

/** `url`: the value of --url. Throws WrongUsage. */
export async function serviceForDemo(
  config: Config,
  url: string | undefined,
  { impatient, key }: DemoNeeds,
): Promise<ServiceForDemo> {
  const wanted = await answering(config, url);
  if (wanted.isThere) return runningService(config, wanted.url, key, firstAccount);
  tell(`No service responds at ${wanted.url}. The demo uses a service in memory, which ends with the demo.`);
  return serviceInMemory(config, impatient ? IMPATIENT : defaultTimings, key);
}

/**
 * The running service, with a key for the account that `choose` names. Throws WrongUsage, and Unavailable where no
 * service runs.
 */
export async function serviceThatRuns(
  config: Config,
  url: string | undefined,
  key: DemoKey,
  choose: ChooseAccount,
): Promise<ServiceForDemo> {
  const wanted = await answering(config, url);
  if (wanted.isThere) return runningService(config, wanted.url, key, choose);
  throw new Unavailable(
    `No service responds at ${wanted.url}. Start one with \`counterfoil serve\`, or name its address with --url.`,
  );
}

async function answering(
  config: Config,
  named: string | undefined,
): Promise<{ readonly url: string; readonly isThere: boolean }> {
  if (config.mode === 'live')
    throw new WrongUsage('The demo pays with the cards of the sandbox, which exists in test mode only.');
  const url =
    named?.replace(/\/$/, '') ??
    config.publicUrl ??
    `http://${config.host === '0.0.0.0' ? '127.0.0.1' : config.host}:${config.port}`;
  const isThere = await isCounterfoil(url);
  if (!isThere && named !== undefined) throw new WrongUsage(`No counterfoil service responds at ${named}.`);
  return { url, isThere };
}

async function runningService(
  config: Config,
  url: string,
  wanted: DemoKey,
  choose: ChooseAccount,
): Promise<ServiceForDemo> {
  const { eventStore, dataDir } = config;
  if (eventStore.kind === 'sqlite') {
    await access(eventStore.file).catch(() => {
      throw new WrongUsage(
        `${url} responds, but there is no store in ${dataDir}. Name the data directory of that service with --data-dir.`,
      );
    });
  }
  const opened = await openCounterfoil(config, lazyLog(config.logLevel), { forCommand: true });
  try {
    const accountId = await choose(opened);
    const { key, revoke } = await makeKey(opened, accountId, wanted);
    const end = (): Promise<void> => revoke().finally(() => opened.close());
    const addEndpoint = (to: string): Promise<DemoEndpoint> => addDemoEndpoint(opened, accountId, to);
    const { answerWithinMs } = defaultTimings;
    const receive = receiverOf(opened, accountId);
    if (await isKnownTo(url, key))
      return { url, key, inMemory: false, answerWithinMs, receive, skip: undefined, addEndpoint, end };
    await end();
    throw new WrongUsage(
      `${url} does not know the key that was created in ${shownUrl(eventStore)}: the service runs on other stores. Name them with --data-dir or --event-store.`,
    );
  } catch (fault) {
    await opened.close();
    throw fault;
  }
}

const receiverOf =
  (opened: Opened, accountId: string): ServiceForDemo['receive'] =>
  async (take) => {
    return openShortLivedEndpoint(opened, { accountId, address: '127.0.0.1' }, take);
  };

/** True if the service at this URL sees events written to these stores. */
async function isKnownTo(url: string, key: string): Promise<boolean> {
  const response = await liveWorld.fetch(`${url}/payments?limit=1`, { headers: { 'X-Api-Key': key } });
  await response.arrayBuffer();
  return response.status !== 401;
}

async function makeKey(
  opened: Opened,
  accountId: string,
  { scopes, lifeMs }: DemoKey,
): Promise<{ readonly key: string; revoke(): Promise<void> }> {
  const { service } = opened;
  const request = { accountId, name: 'Demo', scopes, expiresInMs: lifeMs };
  const made = await effective(service, apiKeys, await service.access.createApiKey(request));
  const revoke = async (): Promise<void> =>
    void (await effective(service, apiKeys, await service.access.revokeApiKey(made.id)));
  return { key: made.key, revoke };
}

/**
 * A service in memory whose account has two sandboxes and the rules of the demo; the circuit of a connection opens
 * soon.
 */
export async function routedServiceInMemory(config: Config, wanted: DemoKey): Promise<ServiceForDemo> {
  const circuit = { ...defaultCircuit, minCalls: FAILURES };
  return serviceInMemory(config, IMPATIENT, wanted, {
    circuit,
    prepare: (opened, id) => route(opened, id, DEMO_RULES),
  });
}

async function route({ service }: Opened, accountId: string, rules: object): Promise<void> {
  const { connections, routing } = service;
  unlessRefused(await connections.add({ accountId, processor: 'sandbox', name: 'second' }));
  await connections.known.look();
  unlessRefused(await routing.set({ accountId, sent: rules }));
  await connections.known.look();
}

interface OwnService {
  readonly circuit?: CircuitLimits;
  /** Done before the demo begins. */
  readonly prepare?: (opened: Opened, accountId: string) => Promise<void>;
}

/** The time for which a line may stand without a sign of progress. */
const IMPATIENT: Timings = { ...defaultTimings, answerWithinMs: 3_000 };

/** A key of a service that ends with the demo: the demo may move the business clock by weeks. */
const YEAR_MS = 365 * 86_400_000;

async function serviceInMemory(
  config: Config,
  timings: Timings,
  wanted: DemoKey,
  { circuit, prepare }: OwnService = {},
): Promise<ServiceForDemo> {
  const log = lazyLog(config.logLevel === 'info' ? 'warn' : config.logLevel);
  const opened = await openInMemory({ ...config, mode: 'test', publicUrl: undefined }, log, timings, circuit);
  try {
    const running = await runService(opened, { host: '127.0.0.1', port: 0 });
    await running.untilReady(new AbortController().signal);
    const account = await makeAccount(opened, 'Demo');
    await prepare?.(opened, account.id);
    const { key, revoke } = await makeKey(opened, account.id, { ...wanted, lifeMs: YEAR_MS });
    const skip = async (ms: number): Promise<void> => {
      const refused = await opened.clock?.advance({ events: opened.events }, ms);
      if (refused !== undefined) throw new Refused(refused.description, refused.errorId);
    };
    const { answerWithinMs } = timings;
    const addEndpoint = (to: string): Promise<DemoEndpoint> => addDemoEndpoint(opened, account.id, to);
    const end = (): Promise<void> => revoke().finally(() => running.stop());
    return {
      url: running.url,
      key,
      inMemory: true,
      answerWithinMs,
      receive: receiverOf(opened, account.id),
      skip,
      addEndpoint,
      end,
    };
  } catch (fault) {
    await opened.close();
    throw fault;
  }
}

/** Throws Refused for a URL that may be none. */
async function addDemoEndpoint({ service }: Opened, accountId: string, url: string): Promise<DemoEndpoint> {
  const newest = await newestMessage(service.readModels, accountId);
  const endpoint = await addShortLivedEndpoint({ service }, { accountId, url });
  return { ...endpoint, after: newest === undefined ? undefined : publicEventId(newest) };
}
