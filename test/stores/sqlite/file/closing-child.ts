// A process that closes writers while their threads are busy in SQLite. It prints "alive" at the end.
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { openDatabase } from '../../../../src/stores/sqlite/file/database.ts';
import { GroupCommit } from '../../../../src/stores/sqlite/file/group-commit.ts';
import { besides } from '../../../../src/stores/sqlite/file/thread.ts';
import { StoreUnavailable } from '../../../../src/stores/store-unavailable.ts';
import { calmWorld } from '../../../support/calm-world.ts';
import { until } from '../../../support/until.ts';

const WRITERS = 10;
const [directory = ''] = process.argv.slice(2);
const files = Array.from({ length: WRITERS }, (_, n) => `${directory}/${n}.db`);

for (const file of files) {
  (await openDatabase({ file, synchronous: 'normal', busyTimeoutMs: 0, cacheKiB: 64 })).close();
  let speed = 1;
  const writer = new GroupCommit<number | string, number>({
    file,
    handler: besides('./test-handler', import.meta.url),
    isReply: (reply): reply is number => typeof reply === 'number',
    world: {
      ...calmWorld,
      monotonic: () => calmWorld.monotonic() * speed,
      sleep: (ms, signal) => calmWorld.sleep(ms / 100, signal),
    },
    report: () => undefined,
  });
  await writer.submit(1); // the thread's start takes its time
  speed = 1_000; // from here on ten seconds are ten milliseconds
  const given = await writer.submit('busy').catch((fault: unknown) => fault);
  if (!(given instanceof StoreUnavailable)) throw new TypeError('the writer gave up no batch', { cause: given });
  await writer.close();
  await writeFile(`${file}.go`, '');
}
// Each thread closes its database when its call returns. Node ends those that are still in a call with the process.
await until(() => files.every((file) => !existsSync(`${file}-wal`)));
console.log('alive');
