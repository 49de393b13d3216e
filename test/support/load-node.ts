// A service in this process on a real port, for clients that load it.
import { type Around, createApp } from '../../src/http/app.ts';
import { allRoutes } from '../../src/http/routes/all.ts';
import { createHttpServer } from '../../src/http/server.ts';
import type { Sandbox } from '../../src/processors/sandbox/sandbox-interface.ts';
import { portOf } from '../http/frame/serve.ts';
import type { TestNode } from './node.ts';

export interface ServedNode {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Serves requests and follows the log. Adds faults of requests to `logged`. */
export async function serveNode(
  { service }: TestNode,
  sandbox: Sandbox,
  logged: string[],
  { policies = true, around = [] }: { readonly policies?: boolean; readonly around?: readonly Around[] } = {},
): Promise<ServedNode> {
  const log = {
    debug: () => undefined,
    info: () => undefined,
    error: (entry: object, message: string) => void logged.push(`${message}: ${textOf(entry)}`),
    isLevelEnabled: () => false,
  };
  const routes = allRoutes({ ...service, sandbox });
  const app = createApp({
    ...service,
    ...service.access,
    requestLog: undefined,
    routes,
    requestsPerSecond: 0,
    log,
    around,
  });
  const server = createHttpServer(app.callback(), () => 'req_parser');
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const running = new AbortController();
  const work = policies ? service.run(running.signal) : service.projections.run(running.signal);
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    async close() {
      running.abort();
      await work;
      await new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      });
    },
  };
}

const textOf = (entry: object): string =>
  'err' in entry && entry.err instanceof Error ? (entry.err.stack ?? '') : JSON.stringify(entry);
