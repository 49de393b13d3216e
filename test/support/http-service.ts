// The whole service on a real port in this process, over SQLite files in a temporary directory, with two merchants.
import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PublicUrl } from '../../src/cli/open/open.ts';
import { readCheckoutFiles, readWebFiles } from '../../src/cli/read-web-files.ts';
import { listen } from '../../src/cli/serve/http-listener.ts';
import { createApp } from '../../src/http/app.ts';
import { observeRequests } from '../../src/http/middleware/observe-requests.ts';
import type { Route } from '../../src/http/route.ts';
import { allRoutes } from '../../src/http/routes/all.ts';
import { createHttpServer } from '../../src/http/server.ts';
import type { Processor } from '../../src/processors/processor.ts';
import { openSandbox } from '../../src/processors/sandbox/sandbox.ts';
import { Secrets } from '../../src/secrets.ts';
import type { Service, ServiceOptions } from '../../src/service.ts';
import { openSqliteEventStore } from '../../src/stores/sqlite/event-store.ts';
import { openSqliteKeyStore } from '../../src/stores/sqlite/key-store.ts';
import { openSqliteReadModels } from '../../src/stores/sqlite/read-models.ts';
import type { Sinks } from '../../src/telemetry/sinks.ts';
import { newId, type World } from '../../src/world.ts';
import { type Merchant, openMerchant } from './http-merchant.ts';
import { httpClient, type Request } from './http-request.ts';
import { nodeOn, type Stores } from './node.ts';
import { type MovableWorld, movableWorld } from './test-world.ts';
import { until } from './until.ts';

export interface HttpService {
  readonly service: Service;
  readonly stores: Stores;
  readonly world: MovableWorld;
  readonly routes: readonly Route[];
  readonly port: number;
  /** Of all files of the stores. */
  readonly directory: string;
  readonly request: Request;
  /** The merchant whose resources the tests are about. */
  readonly shop: Merchant;
  /** A merchant of another account. */
  readonly other: Merchant;
  /** Faults that the service reported, or logged at error level. */
  readonly faults: readonly unknown[];
  readonly stop: () => Promise<void>;
}

export interface HttpServiceOptions extends Partial<ServiceOptions> {
  /** 0, the default, means no limit. */
  readonly requestsPerSecond?: number;
  /** Wraps the service's stores, for example to make them unavailable. */
  readonly through?: (stores: Stores) => Stores;
  /**
   * Keeps the sandbox's ledger in memory: a slow disk must not let calls miss a deadline of a second or two.
   */
  readonly sandboxInMemory?: boolean;
  /** Where browsers reach the sandbox's bank, by where they reach the service; there by default. */
  readonly bankAt?: (publicUrl: string) => string;
  /** Replaces the sandbox; `none`: no processor is connected. */
  readonly processor?: Processor | 'none';
  /** Makes the sandbox's world from the service's; by default they are the same. */
  readonly sandboxWorld?: (world: MovableWorld) => World;
  /** The sinks of the service's observations; none by default. */
  readonly sinks?: (world: MovableWorld) => Sinks;
  /** Receives every log line, debug lines too. Without it only errors are kept. */
  readonly logged?: object[];
}

/** Starts a fresh service for one test file; `stop` removes everything. */
export async function serveHttp({
  requestsPerSecond = 0,
  through = (same) => same,
  sandboxWorld = (same) => same,
  sandboxInMemory = false,
  bankAt = (same) => same,
  sinks: sinksOn,
  logged,
  ...options
}: HttpServiceOptions = {}): Promise<HttpService> {
  const directory = await mkdtemp(join(tmpdir(), 'counterfoil-http-'));
  const faults: unknown[] = [];
  const world = movableWorld();
  const publicUrl = new PublicUrl();
  const places = {
    directory,
    world,
    sandboxWorld: sandboxWorld(world),
    sandboxInMemory,
    publicUrl: () => bankAt(publicUrl.get()),
  };
  const stores = through(await openStores(places, faults));
  const sinks = sinksOn?.(world);
  const { service, reported } = await nodeOn(stores, {
    cardTestingLimits: false,
    publicUrl: publicUrl.get,
    ...(sinks !== undefined && { sinks }),
    ...options,
  });
  const routes = allRoutes({ ...service, sandbox: stores.sandbox });
  const log = {
    debug: (entry: object) => void logged?.push(entry),
    info: (entry: object) => void logged?.push(entry),
    error: (entry: object) => void faults.push(entry),
    isLevelEnabled: () => logged !== undefined,
  };
  const app = createApp({
    ...service,
    ...service.access,
    routes,
    requestsPerSecond,
    log,
    ...(sinks !== undefined && { around: [observeRequests(sinks)] }),
    docs: () => readWebFiles('docs'),
    checkoutFiles: await readCheckoutFiles('test', { ...service, publicUrl: publicUrl.get, report: () => undefined }),
    acs: { challenges: stores.sandbox, readShopName: service.queries.readShopName },
  });
  const server = createHttpServer(app.callback(), () => newId(world, 'req'));
  const address = await listen(server, { host: '127.0.0.1', port: 0 });
  publicUrl.listensOn(address);
  const port = Number(new URL(address).port);
  const ending = new AbortController();
  const work = service.run(ending.signal);
  await until(() => service.readiness().ready);
  description ??= descriptionAt(port);
  const client = httpClient(port, routes, await description);
  const stop = async (): Promise<void> => {
    client.close();
    ending.abort();
    await closed(server);
    await work;
    await stores.events.close();
    await stores.keys?.close();
    await stores.readModels.close();
    await stores.sandbox.close();
    await rm(directory, { recursive: true });
  };
  return {
    service,
    stores,
    world,
    routes,
    port,
    directory,
    request: client.request,
    shop: await openMerchant('Shop', service, client.request),
    other: await openMerchant('Other shop', service, client.request),
    get faults() {
      return [...faults, ...reported];
    },
    stop,
  };
}

interface Places {
  readonly directory: string;
  readonly world: MovableWorld;
  readonly sandboxWorld: World;
  readonly sandboxInMemory: boolean;
  readonly publicUrl: () => string;
}

async function openStores(
  { directory, world, sandboxWorld, sandboxInMemory, publicUrl }: Places,
  faults: unknown[],
): Promise<Stores> {
  const secrets = new Secrets([Buffer.alloc(32, 7)]);
  const report = (fault: unknown): void => void faults.push(fault);
  const common = { world, report };
  return {
    events: await openSqliteEventStore({ file: join(directory, 'events.db'), ...common }),
    keys: await openSqliteKeyStore({ file: join(directory, 'keys.db'), world }),
    readModels: await openSqliteReadModels({ file: join(directory, 'read-models.db'), ...common }),
    sandbox: await openSandbox({
      file: sandboxInMemory ? 'memory' : join(directory, 'sandbox.db'),
      secrets: secrets.keys('sandbox-signature'),
      world: sandboxWorld,
      publicUrl,
      report,
    }),
    world,
    secrets,
  };
}

/** Asked for once in each process: all services have the same, and to make it takes a third of a start. */
let description: Promise<string> | undefined;
const descriptionAt = async (port: number): Promise<string> =>
  (await fetch(`http://127.0.0.1:${port}/openapi.json`)).text();

const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
