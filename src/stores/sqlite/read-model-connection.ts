// How connections to read-model files are opened: for requests, for upkeep during them, and for building one alone.
import { type Database, openDatabase, openNewDatabase } from './file/database.ts';

/**
 * KiB of pages a connection for requests keeps; documents are kept parsed besides, and the operating system keeps the
 * file.
 */
const PAGE_CACHE_KIB = 8_192;
const UPKEEP_CACHE_KIB = 1_024;
/**
 * Rows are appended, and sorting is not bound by it: with 128 MiB a page cost a third more, because it was never used
 * again.
 */
const BUILDING_CACHE_KIB = 8_192;
/** Upkeep may wait for a lock: it delays only itself. */
const UPKEEP_BUSY_MS = 200;

/**
 * Opens for requests: it never waits for another process's lock (that would stop the event loop) and never checkpoints
 * the WAL (a worker does). `normal` loses at most the last commits with the power, never the file; the log has them.
 */
export async function openForRequests(file: string): Promise<Database> {
  const database = await openDatabase({ file, synchronous: 'normal', busyTimeoutMs: 0, cacheKiB: PAGE_CACHE_KIB });
  database.exec('PRAGMA wal_autocheckpoint = 0');
  // what a document replaces is overwritten, because it may be personal data that was erased
  database.exec('PRAGMA secure_delete = ON');
  return database;
}

/** Opens an existing file for checkpoints. Throws FileGone. */
export const openForUpkeep = (file: string): Promise<Database> =>
  openDatabase({
    file,
    mustExist: true,
    synchronous: 'normal',
    busyTimeoutMs: UPKEEP_BUSY_MS,
    cacheKiB: UPKEEP_CACHE_KIB,
  });

/** Opens a new file for a bulk load by one user; an unfinished file is thrown away. */
export const openForBuilding = (file: string): Promise<Database> =>
  openNewDatabase({ file, cacheKiB: BUILDING_CACHE_KIB });

/** Makes a bulk-loaded file an ordinary one; the caller syncs it. */
export async function closeBuilt(database: Database, file: string): Promise<void> {
  database.close();
  (await openForRequests(file)).close();
}
