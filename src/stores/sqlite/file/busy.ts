// Waiting for the lock of another connection without blocking the thread that answers requests.
import type { World } from '../../../world.ts';
import { StoreUnavailable } from '../../store-unavailable.ts';
import { type Database, prepareRows } from './database.ts';
import { isBusy } from './fault.ts';

/** How long another process may hold a lock before the store counts as unavailable. */
export const BUSY_LIMIT_MS = 5_000;
const LONGEST_PAUSE_MS = 25;

/**
 * Calls `work`, again while it throws SQLite's busy, with pauses of 1 to 25 ms between.
 * Throws StoreUnavailable (nothing was written) after five seconds of that; every other fault at once, as it is.
 */
export async function whileBusy<T>(
  world: World,
  work: () => T | Promise<T>,
  signal: AbortSignal = neverAborted,
): Promise<T> {
  const deadline = world.monotonic() + BUSY_LIMIT_MS;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await work();
    } catch (fault) {
      if (!isBusy(fault)) throw fault;
      if (world.monotonic() >= deadline)
        throw new StoreUnavailable('another process keeps the database locked', { cause: fault });
    }
    await world.sleep(pauseMs, signal);
  }
}

/**
 * Moves all of the write-ahead log into the file and gives its space back. Throws SQLite's busy if a reader needs it
 * for longer than the connection waits, and at once next to another checkpoint of the file, which SQLite does not wait
 * for (`sqlite3_wal_checkpoint_v2`): call it in `whileBusy`.
 */
export function truncateWal(database: Database): void {
  const [busy] = prepareRows<readonly [number]>(database, 'PRAGMA wal_checkpoint(TRUNCATE)').get() ?? [0];
  if (busy !== 0) throw Object.assign(new Error('database is locked'), { errcode: 5 });
}

const neverAborted = new AbortController().signal;
