// A node that has the sandbox, as other nodes see it: its real HTTP server, and a remote sandbox that talks to it.
import type { Server } from 'node:http';
import { createApp } from '../../../src/http/app.ts';
import { createHttpServer } from '../../../src/http/server.ts';
import { callHost } from '../../../src/processors/sandbox/remote/call-host.ts';
import { CALL_SIGNATURE_HEADER, CALLS_PATH } from '../../../src/processors/sandbox/remote/call-signature.ts';
import { openRemoteSandbox } from '../../../src/processors/sandbox/remote/remote-sandbox.ts';
import type { Sandbox } from '../../../src/processors/sandbox/sandbox-interface.ts';
import type { World } from '../../../src/world.ts';
import { calmWorld } from '../../support/calm-world.ts';
import { openOn, report, SECRET } from './sandbox-setup.ts';

export const CALL_KEY = Buffer.alloc(32, 9);

export interface OtherNode {
  readonly url: string;
  readonly port: number;
  /** Connections that it holds now. */
  connections(): Promise<number>;
  /** Its log lines of errors. */
  readonly logged: readonly object[];
  close(): Promise<void>;
}

interface NodeOptions {
  readonly world?: World;
  readonly keys?: readonly Buffer[];
  /** 0, which is the default: a free one. */
  readonly port?: number;
}

/** Serves the calls to the sandbox and nothing else; the sandbox is the caller's to close. */
export async function nodeWith(
  sandbox: Sandbox,
  { world = calmWorld, keys = [CALL_KEY], port: wanted = 0 }: NodeOptions = {},
): Promise<OtherNode> {
  const logged: object[] = [];
  const log = {
    debug: () => undefined,
    info: () => undefined,
    error: (entry: object) => void logged.push(entry),
    isLevelEnabled: () => false,
  };
  const app = createApp({
    authentication: {
      apiKey: () => undefined,
      clientToken: () => undefined,
      webhookToken: () => undefined,
      user: async () => undefined,
      operatesStore: async () => false,
    },
    world,
    routes: [],
    requestsPerSecond: 0,
    log,
    sandboxCalls: {
      path: CALLS_PATH,
      signatureHeader: CALL_SIGNATURE_HEADER,
      answer: callHost({ sandbox, keys, world }),
    },
  });
  const server = createHttpServer(app.callback(), () => 'req_parser');
  await new Promise<void>((listening) => server.listen(wanted, '127.0.0.1', listening));
  const port = portOf(server);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    connections: () =>
      new Promise((resolve, reject) =>
        server.getConnections((fault, count) => (fault ? reject(fault) : resolve(count))),
      ),
    logged,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the node does not listen');
  return address.port;
}

interface RemoteOptions {
  readonly world?: World;
  readonly callKeys?: readonly Buffer[];
  readonly report?: (fault: unknown) => void;
}

export const remoteAt = (url: string, options: RemoteOptions = {}): Sandbox =>
  openRemoteSandbox({ url, world: calmWorld, secrets: [SECRET], callKeys: [CALL_KEY], report, ...options });

/** As `openOn`, used from another node; closing it closes all of it. */
async function openThroughNode(file: string, world: World = calmWorld): Promise<Sandbox> {
  const sandbox = await openOn(file, world);
  const node = await nodeWith(sandbox, { world });
  const remote = remoteAt(node.url, { world });
  const closeRemote = remote.close.bind(remote);
  return Object.assign(remote, {
    async close() {
      await closeRemote();
      await node.close();
      await sandbox.close();
    },
  });
}

/** Where a sandbox may be: every test of the port runs on each. */
export const PLACES = [
  { where: 'in this process', open: openOn },
  { where: 'on another node', open: openThroughNode },
] as const;
