// The client's own bare, filtered subscription to $all: reads a given number of payments' events from the start. Prints
// how many a second.
import { EventStoreDBClient, START, streamNameFilter } from '@eventstore/db-client';

const [url = '', total = '0'] = process.argv.slice(2);
const client = EventStoreDBClient.connectionString(url);
const startedAt = performance.now();
const subscription = client.subscribeToAll({
  fromPosition: START,
  filter: streamNameFilter({ prefixes: ['payment-'] }),
});
let events = 0;
for await (const { event } of subscription) {
  if (event !== undefined) events += 1;
  if (events >= Number(total)) break;
}
process.stdout.write(`Loaded ${JSON.stringify({ perSecond: (events / (performance.now() - startedAt)) * 1_000 })}\n`);
await client.dispose();
process.exit(0); // the open subscription would keep the process alive
