// Counts the events that wait, one by one, because positions of a log need not be numbers of events.
import { readLog } from '../../../journal/read-log.ts';
import type { EventStore } from '../../../stores/event-store.ts';
import { recordedAtOf } from './recorded-at.ts';

/** A larger number would not help an operator. */
export const MOST_COUNTED = 10_000;

interface Lag {
  readonly count: number;
  /** When the first of them was recorded, ms; undefined if there is none that can be read. */
  readonly oldest: number | undefined;
}

/** The events of the categories after a position; counts to `most`, and reads the log about as far. */
export async function countLag(
  events: EventStore,
  categories: readonly string[],
  position: bigint,
  most: number,
  signal: AbortSignal,
): Promise<Lag> {
  let count = 0;
  let oldest: number | undefined;
  for await (const batch of readLog(events, { after: position, to: 'end', categories }, signal)) {
    for (const stored of batch.events) {
      if (oldest !== undefined) break;
      oldest = recordedAtOf(stored);
    }
    count += batch.events.length;
    if (count >= most) break;
  }
  return { count: Math.min(count, most), oldest };
}
