// A process whose thread is in the middle of a call to SQLite: it prints a line when it is, and when a signal came.
import { join } from 'node:path';
import { onInterrupt } from '../../src/cli/exit.ts';
import { openDatabase } from '../../src/stores/sqlite/file/database.ts';
import { GroupCommit } from '../../src/stores/sqlite/file/group-commit.ts';
import { besides } from '../../src/stores/sqlite/file/thread.ts';
import { liveWorld } from '../../src/world.ts';

const file = join(process.argv[2] ?? '', 'numbers.db');
(await openDatabase({ file, synchronous: 'normal', busyTimeoutMs: 0, cacheKiB: 64 })).close();
const writer = new GroupCommit<number | string, number>({
  file,
  handler: besides('../stores/sqlite/file/test-handler', import.meta.url),
  isReply: (reply): reply is number => typeof reply === 'number',
  world: liveWorld,
  report: (fault) => console.error(fault),
});
onInterrupt((name) => console.log(name));
await writer.submit(1);
const busy = writer.submit('busy'); // for ever: nobody makes the file that ends it
console.log('busy');
await busy;
