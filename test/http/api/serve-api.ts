// The whole API on a real port over stores that may be shared; every answer is held against the description.

import { SCOPES, type Scope } from '../../../src/domain/scopes.ts';
import { createApp } from '../../../src/http/app.ts';
import { openapi } from '../../../src/http/openapi.ts';
import type { Route } from '../../../src/http/route.ts';
import { allRoutes } from '../../../src/http/routes/all.ts';
import { createHttpServer } from '../../../src/http/server.ts';
import type { Service, ServiceOptions } from '../../../src/service.ts';
import { memoryStores, nodeOn, type Stores } from '../../support/node.ts';
import { type Conformity, conformityTo } from '../described.ts';
import { type Answered, type Asked, ask, portOf } from '../frame/serve.ts';

export interface ServedApi {
  readonly service: Service;
  readonly stores: Stores;
  readonly routes: readonly Route[];
  readonly url: string;
  readonly port: number;
  /** Asks as it is told; throws when the answer is not as described. */
  readonly ask: (asked: Asked) => Promise<Answered>;
  /** Sends a request with a key and JSON. */
  readonly call: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answered>;
  /** A key of the account with all scopes, which `call` uses. */
  readonly key: string;
  readonly accountId: string;
  readonly newAccount: (name: string) => Promise<{ readonly accountId: string; readonly key: string }>;
  readonly newKey: (
    accountId: string,
    scopes: readonly Scope[],
  ) => Promise<{ readonly keyId: string; readonly key: string }>;
  /** Faults that were logged at error level. */
  readonly faults: readonly object[];
  readonly close: () => Promise<void>;
}

export interface ApiOptions extends Partial<ServiceOptions> {
  readonly stores?: Stores;
  readonly requestsPerSecond?: number;
}

export async function serveApi({ stores, requestsPerSecond = 0, ...options }: ApiOptions = {}): Promise<ServedApi> {
  const on = stores ?? (await memoryStores());
  const { service } = await nodeOn(on, { cardTestingLimits: false, ...options });
  const faults: object[] = [];
  const log = {
    debug: () => undefined,
    info: () => undefined,
    error: (entry: object) => void faults.push(entry),
    isLevelEnabled: () => false,
  };
  const routes = allRoutes({ ...service, sandbox: on.sandbox });
  const server = createHttpServer(
    createApp({ ...service, ...service.access, requestLog: undefined, routes, requestsPerSecond, log }).callback(),
    () => 'req_parser',
  );
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const port = portOf(server);
  const running = new AbortController();
  const work = service.run(running.signal);

  const newKey = async (accountId: string, scopes: readonly Scope[]) => {
    const made = await service.access.createApiKey({ accountId, name: 'test', scopes });
    if (made.kind === 'rejected') throw new Error(made.description);
    return { keyId: made.id, key: made.key };
  };
  const newAccount = async (name: string) => {
    const made = await service.access.createAccount(name);
    if (made.kind === 'rejected') throw new Error(made.description);
    return { accountId: made.id, key: (await newKey(made.id, SCOPES)).key };
  };
  const { accountId, key } = await newAccount('Shop');
  const described = checked(port, routes);
  return {
    service,
    stores: on,
    routes,
    port,
    url: `http://127.0.0.1:${port}`,
    ask: described,
    call: (method, path, body, headers = {}) =>
      described({
        method,
        path,
        headers: { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    key,
    accountId,
    newAccount,
    newKey,
    faults,
    close: async () => {
      running.abort();
      await work;
      await new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      });
    },
  };
}

const ROUTELESS: ReadonlySet<number> = new Set([404, 405]);

/** Sends a request, and throws when the answer differs from /openapi.json. */
export function checked(port: number, routes: readonly Route[]): (asked: Asked) => Promise<Answered> {
  const conformity: Conformity = conformityTo(JSON.parse(openapi(routes)));
  return async (asked) => {
    const answered = await ask(port, asked);
    const { method = 'GET', path = '/' } = asked;
    const route = routeOf(routes, method, path);
    if (route === undefined && !ROUTELESS.has(answered.status))
      throw new Error(`${method} ${path}: ${answered.status} without a route`);
    const faults = route === undefined ? [] : conformity(method, route.path, answered.status, answered.body);
    if (faults.length > 0) throw new Error(`${faults.join('\n')}\n${answered.text}`);
    return answered;
  };
}

const routeOf = (routes: readonly Route[], method: string, path: string): Route | undefined => {
  const [pathname = ''] = path.split('?');
  return routes.find(
    (route) => route.method === method && new RegExp(`^${route.path.replaceAll(/:\w+/g, '[^/]+')}$`).test(pathname),
  );
};
