// A MongoDB, the given one or a stand-in of its own, with stores open on it, for the tests of the adapter.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { type MongoDbReadModelsOptions, openMongoDbReadModels } from '../../src/stores/mongodb/read-models.ts';
import type { ReadModelStore } from '../../src/stores/read-models.ts';
import { newId } from '../../src/world.ts';
import { calmWorld } from '../support/calm-world.ts';
import { type Given, GivenServer, givenIn } from '../support/given-server.ts';
import { leaveOut } from '../support/left-out.ts';
import type { LoopbackServer } from '../support/loopback-server.ts';
import { type MongoDbLoopback, openMongoDbLoopback } from '../support/mongodb-loopback/mongodb-loopback.ts';
import type { Order } from '../support/mongodb-loopback/orders.ts';
import { PATIENT_MODELS } from './patient-timings.ts';

/** Opens the models of a URL; reports stay unseen unless they are asked for. */
export const openModels = (url: string, options: Partial<MongoDbReadModelsOptions> = {}): Promise<ReadModelStore> =>
  openMongoDbReadModels({ url, world: calmWorld, report: () => undefined, timings: PATIENT_MODELS, ...options });

/** The parts of a server that tests use: the stand-in, or the given one. */
export interface MongoDbServer extends Pick<MongoDbLoopback, 'url' | 'order' | 'counts' | 'openCursors'> {
  readonly server: Pick<LoopbackServer<Order>, 'start' | 'kill' | 'freeze' | 'thaw'>;
}

export interface ServerUnderTest {
  readonly loopback: MongoDbServer;
  /** One more opening, closed in the end. */
  readonly open: (options?: Partial<MongoDbReadModelsOptions>) => Promise<ReadModelStore>;
  /** Closes every opening, then the stand-in, and removes the data. */
  readonly dispose: () => Promise<void>;
}

interface Opened {
  readonly loopback: MongoDbServer;
  readonly end: () => Promise<void>;
}

async function openStandIn(): Promise<Opened> {
  const directory = await mkdtemp(join(tmpdir(), 'counterfoil-mongodb-'));
  const loopback = await openMongoDbLoopback({ directory });
  const end = async (): Promise<void> => {
    await loopback.close();
    await rm(directory, { recursive: true, force: true });
  };
  return { loopback, end };
}

/**
 * In a database of its own, which is dropped in the end; directly, because the members of a set name themselves past
 * the proxy.
 */
async function openGiven(given: Given): Promise<Opened> {
  const real = await GivenServer.open(given, 27_017);
  const database = newId(calmWorld, 'counterfoil_test');
  const url = `${inDatabase(real.url, database)}&directConnection=true`;
  const loopback: MongoDbServer = {
    url,
    server: {
      start: () => real.start(),
      kill: () => real.kill(),
      freeze: () => real.freeze(),
      thaw: () => real.thaw(),
    },
    async order(order) {
      if ('behave' in order) real.thaw();
      else leaveOut(`only the stand-in takes the order ${JSON.stringify(order)}`);
    },
    counts: async () => leaveOut('only the stand-in counts what it was asked'),
    openCursors: async () => leaveOut('only the stand-in counts its cursors'),
  };
  const end = async (): Promise<void> => {
    real.thaw(); // a test that failed may have left it frozen, or killed
    await real.start();
    const client = await MongoClient.connect(url);
    await client.db(database).dropDatabase();
    await client.close();
    await real.end();
  };
  return { loopback, end };
}

/** The URL with another database; server and user stay, and users are kept where they are. */
export function inDatabase(url: string, database: string): string {
  const [, server = url, path = '', options = ''] = /^([^/]+\/\/[^/?]+)\/?([^?]*)\??(.*)$/.exec(url) ?? [];
  const source =
    !server.includes('@') || /authSource=/i.test(options) ? '' : `authSource=${path === '' ? 'admin' : path}`;
  return `${server}/${database}?${[options, source].filter((part) => part !== '').join('&')}`;
}

/** On the server that MONGODB_URL names; without one on a stand-in. */
export async function startServer(given = givenIn('MONGODB')): Promise<ServerUnderTest> {
  const { loopback, end } = given === undefined ? await openStandIn() : await openGiven(given);
  const opened: ReadModelStore[] = [];
  return {
    loopback,
    open: async (options) => {
      const store = await openModels(loopback.url, options);
      opened.push(store);
      return store;
    },
    dispose: async () => {
      await Promise.all(opened.map((store) => store.close()));
      await end();
    },
  };
}
