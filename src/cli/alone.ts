// Work in a directory that no other process may do at the same time.
import { existsSync, lstatSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Database, openNewDatabase } from '../stores/sqlite/file/database.ts';
import { isBusy } from '../stores/sqlite/file/fault.ts';
import { Refused } from './exit.ts';

/**
 * Creates the directory, and runs work that no other process does in it meanwhile: the lock is a database there, whose
 * lock ends with its process, whatever ends that. Throws Refused if another one has it, and for a lock that is not a
 * file: through a link its database would be somewhere else.
 */
export async function alone<T>(directory: string, lockName: string, work: () => Promise<T>): Promise<T> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const lock = await lockedIn(directory, lockName);
  try {
    return await work();
  } finally {
    lock.exec('ROLLBACK');
    lock.close();
  }
}

async function lockedIn(directory: string, name: string): Promise<Database> {
  const file = join(directory, name);
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() === false)
    throw new Refused(`${file} is not a file, as a lock is. Remove it, and run the command again.`);
  let lock: Database | undefined;
  try {
    lock = await openNewDatabase({ file, cacheKiB: 64 });
    lock.exec('BEGIN EXCLUSIVE');
    if (existsSync(file)) return lock;
    lock.exec('ROLLBACK'); // its last owner has removed it
    throw new Refused(`Another process writes to ${directory}. Run the command again.`);
  } catch (fault) {
    lock?.close();
    throw isBusy(fault) ? new Refused(`Another process writes to ${directory}. Wait until it has ended.`) : fault;
  }
}
