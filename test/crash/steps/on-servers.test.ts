// kill -9 between any two steps of authorizations and refunds, on the stand-ins of EventStoreDB and MongoDB.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEventStoreDbLoopback } from '../../support/eventstoredb-loopback/eventstoredb-loopback.ts';
import { openMongoDbLoopback } from '../../support/mongodb-loopback/mongodb-loopback.ts';
import { killedAtEveryStep } from './killed-at-every-step.ts';

killedAtEveryStep('EventStoreDB and MongoDB', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'counterfoil-steps-'));
  const made = async (name: string): Promise<{ readonly directory: string }> => {
    const directory = join(dir, name);
    await mkdir(directory);
    return { directory };
  };
  const events = await openEventStoreDbLoopback(await made('eventstoredb'));
  const readModels = await openMongoDbLoopback(await made('mongodb'));
  return {
    retriesAtAStep: 'in turn', // all of them at each step are walked on SQLite
    at: { dir, servers: { eventStoreDb: events.url, mongoDb: readModels.url } },
    async close() {
      await Promise.all([events.kill(), readModels.close()]);
      await rm(dir, { recursive: true });
    },
  };
});
