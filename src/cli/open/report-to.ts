// What commands do with faults that no caller can act on.
import { Notice } from '../../app-error.ts';
import { StoreUnavailable } from '../../stores/store-unavailable.ts';
import { liveWorld, type World } from '../../world.ts';
import type { CommandLog } from '../log.ts';

/**
 * Many parts meet an unavailable store again and again: its adapter says once when it became unavailable, and when it
 * is back.
 */
const AWAY_EVERY_MS = 5_000;

/**
 * Faults that no caller can act on, and notices, in the log; an unavailable store is told once in a while, and without
 * a stack.
 */
export function reportTo(
  log: Pick<CommandLog, 'warn' | 'error'>,
  world: Pick<World, 'monotonic'> = liveWorld,
): (fault: unknown) => void {
  let saidAt = Number.NEGATIVE_INFINITY;
  return (fault) => {
    if (fault instanceof Notice) return log.warn(fault.message);
    if (!(fault instanceof StoreUnavailable)) return log.error({ err: fault }, 'fault');
    const now = world.monotonic();
    if (now - saidAt < AWAY_EVERY_MS) return;
    saidAt = now;
    log.warn(fault.message);
  };
}
