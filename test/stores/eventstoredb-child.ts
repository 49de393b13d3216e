// A process for the tests of the EventStoreDB adapter: appends one event at a time to each stream, and prints
// acknowledged events.
import { openEventStoreDb } from '../../src/stores/eventstoredb/event-store.ts';
import { appended, eventOf } from '../contract/store-under-test.ts';
import { calmWorld } from '../support/calm-world.ts';
import { printed } from '../support/printed.ts';

const [url = '', count = '0', ...streams] = process.argv.slice(2);
const store = await openEventStoreDb({ url, world: calmWorld, report: (fault) => console.error(fault) });
const writer = async (stream: string): Promise<void> => {
  for (let n = 0; n < Number(count); n += 1) {
    const [stored] = await appended(store, stream, n - 1, [eventOf({ n })]);
    await printed(`${stored?.stream} ${stored?.revision} ${stored?.id}`);
  }
};
await Promise.all(streams.map(writer));
await store.close(); // nothing else ends the process
