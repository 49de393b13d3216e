// The demo shop on a port of its own, beside a service with a key of the three scopes that a shop needs.
import { createServer } from 'node:http';
import { loadShop, SHOP_WEBHOOKS } from '../../src/cli/demo/run-shop.ts';
import { listen } from '../../src/cli/serve/http-listener.ts';
import { openReceivers } from '../../src/receivers/receivers.ts';
import { calmWorld } from './calm-world.ts';
import { type HttpService, serveHttp } from './http-service.ts';

export interface OpenedShop {
  readonly http: HttpService;
  readonly url: string;
  readonly webhookSecret: string;
  readonly close: () => Promise<void>;
}

export interface DemoShopOptions {
  /** True if webhooks find the shop; without them it reads the events. */
  readonly isTold?: boolean;
  /** ms. */
  readonly catchUpEveryMs?: number;
}

export async function openDemoShop({ isTold = true, catchUpEveryMs }: DemoShopOptions = {}): Promise<OpenedShop> {
  const receivers = openReceivers({ world: calmWorld, isAllowed: () => true });
  const http = await serveHttp({ sandboxInMemory: true, post: receivers.post });
  const { key: apiKey } = await http.shop.newKey([
    'client_tokens:write',
    'transactions:capture',
    'transactions:retrieve',
  ]);
  const server = createServer();
  const url = await listen(server, { host: '127.0.0.1', port: 0 });
  const path = isTold ? SHOP_WEBHOOKS : '/nowhere';
  const added = await http.service.webhooks.addWebhookEndpoint({
    accountId: http.shop.accountId,
    url: `${url}${path}`,
  });
  if (added.kind === 'rejected') throw new Error(added.description);
  const { secret: webhookSecret } = added;
  const ending = new AbortController();
  const counterfoilUrl = `http://127.0.0.1:${http.port}`;
  const every = catchUpEveryMs === undefined ? {} : { catchUpEveryMs };
  server.on(
    'request',
    await loadShop({ apiKey, counterfoilUrl, webhookSecret, after: undefined, signal: ending.signal, ...every }),
  );
  const close = async (): Promise<void> => {
    ending.abort();
    server.close();
    server.closeAllConnections();
    await http.stop();
    receivers.close();
  };
  return { http, url, webhookSecret, close };
}
