// Catches the payments read model up from the start of an EventStoreDB log; prints the rate, and the memory at a tenth
// of it and at the end.

import { openProjections } from '../../src/projections/engine/engine.ts';
import { payments } from '../../src/projections/models/payments.ts';
import type { EventStore } from '../../src/stores/event-store.ts';
import { openEventStoreDb } from '../../src/stores/eventstoredb/event-store.ts';
import { openMemoryEventStore } from '../../src/stores/memory/event-store.ts';
import { openSqliteReadModels } from '../../src/stores/sqlite/read-models.ts';
import { liveWorld } from '../../src/world.ts';

const [url = '', file = '', total = '0'] = process.argv.slice(2);
const parts = { world: liveWorld, report: (fault: unknown) => console.error(fault), projections: [payments] };

const readModels = await openSqliteReadModels({ ...parts, file });
// The read model is built on an empty log first, so that the next steps measure catching up and not a build.
await openProjections({ ...parts, events: openMemoryEventStore(), readModels });

/** Counts each event once: readiness also reads parts of the log, to count the events to come. */
let events = 0;
let reached = -1n;
let early = Number.NaN;
const store = await openEventStoreDb({ ...parts, url });
const counted: EventStore = {
  append: (stream, after, list) => store.append(stream, after, list),
  read: (stream, after) => store.read(stream, after),
  head: () => store.head(),
  close: () => store.close(),
  async *follow(after, categories, signal) {
    for await (const batch of store.follow(after, categories, signal)) {
      for (const { position } of batch.events) {
        if (position <= reached) continue;
        reached = position;
        events += 1;
      }
      if (Number.isNaN(early) && events >= Number(total) / 10) early = mebibytes();
      yield batch;
    }
  },
};

const projections = await openProjections({ ...parts, events: counted, readModels });
const done = new AbortController();
const startedAt = performance.now();
const running = projections.run(done.signal);
while (!projections.readiness().ready) await liveWorld.sleep(5, done.signal);
const perSecond = (events / (performance.now() - startedAt)) * 1_000;
process.stdout.write(`Followed ${JSON.stringify({ events, perSecond, early, late: mebibytes() })}\n`);
done.abort();
await running;
await store.close();
await readModels.close();

/** The memory of the whole process after garbage collection, MiB. */
function mebibytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().rss / 1_048_576;
}
