// MongoDB as a store of read models: the contract of every store, on the loopback server and on a real one where there is one.
import { MongoClient } from 'mongodb';
import type { ReadModelStore } from '../../src/stores/read-models.ts';
import { newId } from '../../src/world.ts';
import { logProjectionContract } from '../contract/log-projection.suite.ts';
import { type ReadModelsUnderTest, readModelsContract } from '../contract/read-models.suite.ts';
import { calmWorld } from '../support/calm-world.ts';
import { openModels, startServer } from './mongodb-server.ts';

const openLoopback = async (): Promise<ReadModelsUnderTest> => {
  const server = await startServer();
  return { store: await server.open(), another: () => server.open(), dispose: server.dispose };
};
readModelsContract('Read models in MongoDB (loopback)', openLoopback);
logProjectionContract('Read models in MongoDB (loopback)', openLoopback);

const realUrl = process.env['MONGODB_URL'];
if (realUrl !== undefined && realUrl !== '') {
  readModelsContract('Read models in MongoDB (real)', () => openReal(realUrl));
  logProjectionContract('Read models in MongoDB (real)', () => openReal(realUrl));
}

/** In a database of its own, which is dropped in the end. */
async function openReal(given: string): Promise<ReadModelsUnderTest> {
  const database = newId(calmWorld, 'counterfoil_test');
  const url = inDatabase(given, database);
  const opened: ReadModelStore[] = [];
  const open = async (): Promise<ReadModelStore> => {
    const store = await openModels(url);
    opened.push(store);
    return store;
  };
  return {
    store: await open(),
    another: open,
    dispose: async () => {
      await Promise.all(opened.map((store) => store.close()));
      const client = await MongoClient.connect(url);
      await client.db(database).dropDatabase();
      await client.close();
    },
  };
}

/** The same server and user, another database; users stay where they are kept. */
function inDatabase(url: string, database: string): string {
  const [, server = url, path = '', options = ''] = /^([^/]+\/\/[^/?]+)\/?([^?]*)\??(.*)$/.exec(url) ?? [];
  const source = !server.includes('@') || /authSource=/i.test(options) ? '' : `authSource=${path === '' ? 'admin' : path}`;
  return `${server}/${database}?${[options, source].filter((part) => part !== '').join('&')}`;
}
