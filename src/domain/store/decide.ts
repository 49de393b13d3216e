// Decisions on a store: its business clock is moved, in test mode.
import { accept, type Decision, reject } from '../decider.ts';
import type { StoreEvent } from './events.ts';
import type { StoreRecord } from './state.ts';

/** Ten years: cards that can be used today have expired by then, and nothing of ours falls due later. */
export const LONGEST_OFFSET_MS = 3_653 * 86_400_000;

/**
 * Moves business time forward by a whole number of ms, at least 1. Rejections: Conflict for a store of live mode (or
 * none), where time is everybody's; RequestValidationError for a step that does not go forward, or goes beyond
 * LONGEST_OFFSET_MS in all.
 */
export const moveBusinessClock =
  (byMs: number) =>
  (record: StoreRecord): Decision<StoreEvent> => {
    if (record.status === 'absent' || record.mode === 'live')
      return reject('Conflict', 'The business clock can be moved in test mode only.');
    const offsetMs = record.clockOffsetMs + byMs;
    if (!Number.isSafeInteger(byMs) || byMs < 1)
      return reject('RequestValidationError', 'The business clock can only be moved forward.');
    if (offsetMs > LONGEST_OFFSET_MS)
      return reject('RequestValidationError', 'The business clock cannot be moved more than ten years ahead in all.');
    return accept({ type: 'BusinessClockMoved', data: { byMs, offsetMs } });
  };
