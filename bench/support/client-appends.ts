// The client's own bare appends: a given number in flight, each to its own stream. Prints how many a second, once it is
// warm.
import { setTimeout as delay } from 'node:timers/promises';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { liveWorld, newId, newUuid } from '../../src/world.ts';

const [url = '', inFlight = '64', ms = '1000', warmMs = '0'] = process.argv.slice(2);
const client = EventStoreDBClient.connectionString(url);
/** Events as large as that of a PATCH. */
const event = (n: number) =>
  jsonEvent({
    id: newUuid(liveWorld),
    type: 'ClientSessionUpdated',
    data: { set: { orderId: `order-${n}`, metadata: { basket: n, source: 'bench' } }, cleared: [] },
    metadata: {
      accountId: newId(liveWorld, 'acc'),
      actor: { kind: 'apiKey', id: newId(liveWorld, 'key') },
      recordedAt: liveWorld.now(),
      $correlationId: newId(liveWorld, 'req'),
      $causationId: newId(liveWorld, 'req'),
      operationId: newId(liveWorld, 'op'),
      schemaVersion: 1,
      previousHash: 'f'.repeat(64),
    },
  });

let appended = 0;
let isOver = false;
async function append(): Promise<void> {
  const stream = `clientSession-${newId(liveWorld, 'cs')}`;
  for (let revision = -1n; !isOver; revision += 1n) {
    await client.appendToStream(stream, [event(Number(revision))], {
      expectedRevision: revision < 0n ? 'no_stream' : revision,
    });
    appended += 1;
  }
}
const appending = Array.from({ length: Number(inFlight) }, append);
await delay(Number(warmMs));
const [startedAt, before] = [performance.now(), process.cpuUsage()];
appended = 0;
await delay(Number(ms));
isOver = true;
await Promise.all(appending);
const perSecond = (appended / (performance.now() - startedAt)) * 1_000;
const { user, system } = process.cpuUsage(before);
process.stdout.write(`Loaded ${JSON.stringify({ perSecond, cpuMicros: (user + system) / appended })}\n`);
await client.dispose();
