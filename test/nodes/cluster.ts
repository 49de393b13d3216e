// Nodes as processes that share only EventStoreDB and MongoDB. Both stores are stand-ins that can be made to fail.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { EXIT } from '../../src/cli/exit.ts';
import { openSandbox } from '../../src/processors/sandbox/sandbox.ts';
import { Secrets } from '../../src/secrets.ts';
import { openEventStoreDb } from '../../src/stores/eventstoredb/event-store.ts';
import { openMongoDbKeyStore } from '../../src/stores/mongodb/key-store.ts';
import { openMongoDbReadModels } from '../../src/stores/mongodb/read-models.ts';
import type { World } from '../../src/world.ts';
import { Place, type Serving } from '../cli/processes.ts';
import {
  type EventStoreDbLoopback,
  openEventStoreDbLoopback,
} from '../support/eventstoredb-loopback/eventstoredb-loopback.ts';
import { Client } from '../support/load-client.ts';
import { type MongoDbLoopback, openMongoDbLoopback } from '../support/mongodb-loopback/mongodb-loopback.ts';
import type { Stores } from '../support/node.ts';

const SECRET = Buffer.alloc(32, 9);
const First = z.looseObject({ url: z.string(), key: z.string().nullish() });

export interface ClusterNode {
  readonly index: number;
  readonly serving: Serving;
  readonly client: Client;
}

/** Rate limits are off, and the log has warnings and errors only. */
export class Cluster {
  readonly events: EventStoreDbLoopback;
  readonly readModels: MongoDbLoopback;
  readonly #place: Place;
  readonly #ports = new Map<number, string>();
  readonly #clients: Client[] = [];
  #key: string | undefined;

  private constructor(place: Place, events: EventStoreDbLoopback, readModels: MongoDbLoopback) {
    this.#place = place;
    this.events = events;
    this.readModels = readModels;
  }

  static async open(): Promise<Cluster> {
    const place = new Place();
    const directories = ['eventstoredb', 'mongodb'].map((name) => join(place.dir, name));
    for (const directory of directories) await mkdir(directory);
    const [events, readModels] = directories;
    if (events === undefined || readModels === undefined) throw new Error('two were made');
    return new Cluster(
      place,
      await openEventStoreDbLoopback({ directory: events }),
      await openMongoDbLoopback({ directory: readModels }),
    );
  }

  /** The API key that the first start made. */
  get key(): string {
    if (this.#key === undefined) throw new Error('no node has made a key yet');
    return this.#key;
  }

  /** The settings of a node or a command. Node 0 has the sandbox in its process, and the others use it. */
  settings(index = 0): Readonly<Record<string, string>> {
    const port = this.#ports.get(0);
    return {
      COUNTERFOIL_EVENT_STORE: this.events.url,
      COUNTERFOIL_READ_MODELS: this.readModels.url,
      COUNTERFOIL_SECRET: SECRET.toString('base64url'),
      COUNTERFOIL_DATA_DIR: join(this.#place.dir, `node-${index}`),
      COUNTERFOIL_RATE_LIMIT: '0',
      COUNTERFOIL_LOG_LEVEL: 'warn',
      ...(index > 0 && port !== undefined && { COUNTERFOIL_SANDBOX_URL: `http://127.0.0.1:${port}` }),
    };
  }

  /** Starts a node, or starts it again on its port. */
  async serve(index: number): Promise<ClusterNode> {
    const port = this.#ports.get(index);
    const serving = await this.#place.serve(
      `--json${port === undefined ? '' : ` --port ${port}`}`,
      this.settings(index),
    );
    const { url, key } = First.parse(JSON.parse(serving.stdout()));
    this.#key ??= key ?? undefined;
    this.#ports.set(index, new URL(url).port);
    return { index, serving, client: this.client(url) };
  }

  client(url: string, key = this.key): Client {
    const client = new Client(url, key);
    this.#clients.push(client);
    return client;
  }

  /**
   * The result of a command beside the nodes, which must succeed. It is tried three times when a store does not answer
   * in time.
   */
  async json(command: string, tries = 3): Promise<unknown> {
    const { code, stdout, stderr } = await this.#place.run(`${command} --json`, { env: this.settings() });
    if (code === EXIT.unavailable && tries > 1) return this.json(command, tries - 1);
    if (code !== 0) throw new Error(`${command} ended with ${code}: ${stderr}`);
    return JSON.parse(stdout);
  }

  /** Opens all stores for a service in the test's own process. */
  async stores(world: World): Promise<Stores> {
    const secrets = new Secrets([SECRET]);
    const common = { world, report: raise };
    return {
      world,
      secrets,
      events: await openEventStoreDb({ url: this.events.url, ...common }),
      keys: await openMongoDbKeyStore({ url: this.readModels.url }),
      readModels: await openMongoDbReadModels({ url: this.readModels.url, ...common }),
      sandbox: await openSandbox({
        file: join(this.#place.dir, 'node-0', 'sandbox.db'),
        secrets: secrets.keys('sandbox-signature'),
        ...common,
      }),
    };
  }

  /** Ends the running processes, and removes everything. */
  async close(): Promise<void> {
    for (const client of this.#clients) client.close();
    await Promise.all([this.events.kill(), this.readModels.close()]);
    await this.#place.remove();
  }
}

/** A fault that a store reports fails the test. */
function raise(fault: unknown): void {
  throw fault;
}
