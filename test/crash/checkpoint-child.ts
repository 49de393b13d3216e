// A service in a process of its own that records a checkpoint if one is due, and prints whether it did. It kills itself
// at a step of that.
import { join } from 'node:path';
import { readSecretFile, secretFileIn } from '../../src/cli/open/machine-secrets.ts';
import { BusinessClock } from '../../src/journal/business-clock.ts';
import { Secrets } from '../../src/secrets.ts';
import { openSqliteEventStore } from '../../src/stores/sqlite/event-store.ts';
import { openSqliteKeyStore } from '../../src/stores/sqlite/key-store.ts';
import { liveWorld } from '../../src/world.ts';
import { memoryStores, nodeOn } from '../support/node.ts';
import { hookedEvents } from './hooked-stores.ts';

const [dataDir = '', everyMs = '', killedAt] = process.argv.slice(2);
const report = (fault: unknown): void => console.error(fault);
let isRecording = false;
const dieAt = (step: string): void => {
  if (isRecording && step === killedAt) process.kill(process.pid, 'SIGKILL');
};
const clock = new BusinessClock(liveWorld);
const { world } = clock;
const stored = await openSqliteEventStore({ file: join(dataDir, 'events.db'), world, report });
const hooked = hookedEvents(stored, {
  before: ({ stream }) => (stream === 'checkpoint-0' ? dieAt('appending') : undefined),
  after: ({ stream }) => (stream === 'checkpoint-0' ? dieAt('appended') : undefined),
});
const events: typeof hooked = {
  ...hooked,
  async *follow(...of) {
    let batches = 0;
    for await (const batch of hooked.follow(...of)) {
      batches += 1;
      if (batches === 2) dieAt('reading');
      yield batch;
    }
  },
};
await clock.look({ events });
const secret = await readSecretFile(secretFileIn(dataDir));
if (secret === undefined) throw new Error('there is no secret');
const keys = await openSqliteKeyStore({ file: join(dataDir, 'keys.db'), world });
const stores = { ...(await memoryStores(world)), events, keys, secrets: new Secrets([secret.secret]) };
const { service } = await nodeOn(stores);
isRecording = true;
const made = await service.work.makeCheckpoint(Number(everyMs), 'test', new AbortController().signal);
process.stdout.write(JSON.stringify(made), () => process.exit());
