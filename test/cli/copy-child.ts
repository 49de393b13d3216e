// The copying of a log in a process of its own that is killed when the target has taken so many events more, whatever
// else is under way then.
import { openEventStore } from '../../src/cli/open/stores.ts';
import { copyLog } from '../../src/journal/copy-log.ts';
import { EventStoreUrl } from '../../src/store-urls.ts';
import { liveWorld } from '../../src/world.ts';

const [from, to, killedAfter] = process.argv.slice(2);
const report = (fault: unknown): void => console.error(fault);
const { signal } = new AbortController();
const parts = { world: liveWorld, report, wait: { ms: 0, signal } };
const source = await openEventStore(EventStoreUrl.parse(from), parts);
const target = await openEventStore(EventStoreUrl.parse(to), { ...parts, inOrder: true });
let taken = 0;
const append = target.append.bind(target);
target.append = async (stream, after, events) => {
  const appended = await append(stream, after, events);
  taken += events.length;
  if (taken >= Number(killedAfter)) process.kill(process.pid, 'SIGKILL');
  return appended;
};
await copyLog(source, target, { signal });
