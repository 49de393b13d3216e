// The demo shop on a port of its own, beside a service with a key of the three scopes that a shop needs.
import { createServer } from 'node:http';
import { loadShop } from '../../src/cli/demo/run-shop.ts';
import { listen } from '../../src/cli/serve/http-listener.ts';
import { type HttpService, serveHttp } from './http-service.ts';

export interface OpenedShop {
  readonly http: HttpService;
  readonly url: string;
  readonly close: () => Promise<void>;
}

export async function openDemoShop(): Promise<OpenedShop> {
  const http = await serveHttp({ sandboxInMemory: true });
  const { key: apiKey } = await http.shop.newKey(['client_tokens:write', 'transactions:capture', 'transactions:retrieve']);
  const server = createServer(await loadShop({ apiKey, counterfoilUrl: `http://127.0.0.1:${http.port}` }));
  const url = await listen(server, { host: '127.0.0.1', port: 0 });
  const close = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    await http.stop();
  };
  return { http, url, close };
}
