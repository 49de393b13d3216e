// A loopback MongoDB server with stores open on it, for the tests of the adapter.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MongoDbTimings } from '../../src/stores/mongodb/connection.ts';
import { type MongoDbReadModelsOptions, openMongoDbReadModels } from '../../src/stores/mongodb/read-models.ts';
import type { ReadModelStore } from '../../src/stores/read-models.ts';
import { calmWorld } from '../support/calm-world.ts';
import { type MongoDbLoopback, openMongoDbLoopback } from '../support/mongodb-loopback/mongodb-loopback.ts';

/** Waits for an answer however long the server's process may be kept from running: for all that is to be answered. */
export const PATIENT: MongoDbTimings = { readMs: 30_000, writeMs: 60_000, heartbeatMs: 1_000, silenceMs: 30_000, longWorkMs: 60_000 };

/** Opens the models of a URL; reports stay unseen unless they are asked for. */
export const openModels = (url: string, options: Partial<MongoDbReadModelsOptions> = {}): Promise<ReadModelStore> =>
  openMongoDbReadModels({ url, world: calmWorld, report: () => undefined, timings: PATIENT, ...options });

export interface ServerUnderTest {
  readonly loopback: MongoDbLoopback;
  /** One more opening, closed in the end. */
  readonly open: (options?: Partial<MongoDbReadModelsOptions>) => Promise<ReadModelStore>;
  /** Closes every opening, then the server, and removes its data. */
  readonly dispose: () => Promise<void>;
}

export async function startServer(): Promise<ServerUnderTest> {
  const directory = await mkdtemp(join(tmpdir(), 'counterfoil-mongodb-'));
  const loopback = await openMongoDbLoopback({ directory });
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
      await loopback.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
