// The thread of cleanFiles: rewrites each file and empties its WAL.
import { parentPort, workerData } from 'node:worker_threads';
import { liveWorld } from '../../world.ts';
import { truncateWal, whileBusy } from './file/busy.ts';
import { openDatabase } from './file/database.ts';
import { FileGone } from './file/opened-file.ts';
import type { CleanerAnswer } from './read-model-cleaner.ts';

const files: readonly string[] = workerData;

/** How long SQLite waits for those who write or read the file; nobody waits for this thread but its caller. */
const BUSY_TIMEOUT_MS = 10_000;
const CACHE_KIB = 8 * 1024;

async function clean(file: string): Promise<void> {
  const options = { synchronous: 'normal', busyTimeoutMs: BUSY_TIMEOUT_MS, cacheKiB: CACHE_KIB } as const;
  const database = await openDatabase({ file, mustExist: true, ...options });
  try {
    database.exec('PRAGMA secure_delete = ON');
    database.exec('VACUUM');
    await whileBusy(liveWorld, () => truncateWal(database)); // the upkeep of the file may be at a checkpoint of its own
  } finally {
    database.close();
  }
}

const tell = (answer: CleanerAnswer): void => parentPort?.postMessage(answer);

try {
  // a file that was dropped meanwhile holds nothing
  for (const file of files)
    await clean(file).catch((fault: unknown) => (fault instanceof FileGone ? undefined : Promise.reject(fault)));
  tell({ kind: 'done' });
} catch (fault) {
  tell({ kind: 'fault', fault: String(fault) });
}
parentPort?.close(); // nothing else holds the thread
