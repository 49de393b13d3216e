// Waiting for another process's lock without blocking the thread that answers requests.
import type { World } from '../../../world.ts';
import { StoreUnavailable } from '../../store-unavailable.ts';
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

const neverAborted = new AbortController().signal;
