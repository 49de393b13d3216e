// Reads a part of the log to its end, which a follower of the event store never reaches.
import { AppError } from '../app-error.ts';
import type { Batch, EventStore } from '../stores/event-store.ts';

interface LogPart {
  /** Exclusive; -1n for the beginning. */
  readonly after: bigint;
  /** The last batch reaches this position; `end`: it is the first one with nothing newer in the log. */
  readonly to: bigint | 'end';
  /** Empty: all. */
  readonly categories: readonly string[];
}

/**
 * The batches of a part of the log, none of an empty one. Ends the subscription when its reader stops earlier. Throws
 * the signal's reason when it aborts, AppError `LogEnded` where the store ends before the part does, and
 * StoreUnavailable.
 */
export async function* readLog(
  events: Pick<EventStore, 'follow'>,
  { after, to, categories }: LogPart,
  signal: AbortSignal,
): AsyncGenerator<Batch, void, undefined> {
  if (to !== 'end' && after >= to) return;
  const over = new AbortController();
  for await (const batch of events.follow(after, categories, AbortSignal.any([signal, over.signal]))) {
    let isOver = true; // also where the reader stops at this batch, and never comes back
    try {
      yield batch;
      isOver = to === 'end' ? batch.caughtUp : batch.position >= to;
    } finally {
      if (isOver) over.abort();
    }
    if (isOver) return;
  }
  signal.throwIfAborted();
  throw new AppError('LogEnded', 'The event store ended the log while it was being read.');
}
