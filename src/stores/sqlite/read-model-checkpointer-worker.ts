// The worker of Checkpointer: keeps a connection to each file that it was asked to checkpoint.
import { parentPort } from 'node:worker_threads';
import type { Database } from './file/database.ts';
import { isBusy } from './file/fault.ts';
import { FileGone } from './file/opened-file.ts';
import type { CheckpointAnswer, CheckpointRequest } from './read-model-checkpointer.ts';
import { openForUpkeep } from './read-model-connection.ts';

/**
 * Pages of WAL from which on writers are made to wait for a moment, so that it starts again from its beginning (32
 * MiB).
 */
const LONG_WAL_PAGES = 8_192;

const databases = new Map<string, Promise<Database>>();

function databaseOf(file: string): Promise<Database> {
  const known = databases.get(file);
  if (known !== undefined) return known;
  const opened = openForUpkeep(file);
  databases.set(file, opened);
  opened.catch(() => databases.delete(file));
  return opened;
}

async function checkpoint(file: string): Promise<void> {
  const database = await databaseOf(file);
  const passive = database.prepare<{ readonly log: number }>('PRAGMA wal_checkpoint(PASSIVE)').get();
  // PASSIVE lets writers go on, so the WAL is never empty for them; the rest is so small that RESTART is short.
  if (passive !== undefined && passive.log >= LONG_WAL_PAGES) database.prepare('PRAGMA wal_checkpoint(RESTART)').get();
}

/** A reader in the way is done in a moment; the pages that it keeps from being truncated wait for the next rest. */
async function truncate(file: string): Promise<void> {
  (await databaseOf(file)).prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
}

async function forget(file: string): Promise<void> {
  const database = await databases.get(file);
  databases.delete(file);
  database?.close();
}

async function answer(file: string, work: (file: string) => Promise<void>): Promise<CheckpointAnswer> {
  try {
    await work(file);
    return { file };
  } catch (fault) {
    // Busy: the next commits ask again. Gone: those who read the file find that out, and tell.
    return isBusy(fault) || fault instanceof FileGone ? { file } : { file, fault: String(fault) };
  }
}

parentPort?.on('message', async (request: CheckpointRequest) => {
  switch (request.kind) {
    case 'checkpoint':
      parentPort?.postMessage(await answer(request.file, checkpoint));
      return;
    case 'truncate':
      parentPort?.postMessage(await answer(request.file, truncate));
      return;
    case 'forget':
      parentPort?.postMessage(await answer(request.file, forget));
      return;
    case 'close':
      for (const file of [...databases.keys()]) await forget(file).catch(() => undefined);
      parentPort?.close();
      return;
    default:
      request satisfies never;
  }
});
