// Reads the log from its beginning into a fold, which fills a new generation.
import type { EventStore, StoredEvent } from '../../../stores/event-store.ts';

export interface BuildProgress {
  readonly events: number;
  readonly position: bigint;
  /** Where the log ended when this began. */
  readonly head: bigint;
}

/** Takes the log from its beginning, and hands documents to a builder. */
export interface Filling {
  /** Resolves when it can take more; false: it can take nothing any more. */
  take(events: readonly StoredEvent[]): Promise<boolean>;
  /** Hands over the rest; the builder holds every document when this resolves. */
  finish(): Promise<void>;
}

/** Reads the categories up to `head`; answers up to where. Rejects with the signal's reason when it aborts. */
export async function fill(
  filling: Filling,
  categories: readonly string[],
  events: EventStore,
  head: bigint,
  onProgress: (progress: BuildProgress) => void,
  signal: AbortSignal,
): Promise<bigint> {
  if (head < 0n) return -1n;
  const enough = new AbortController();
  let count = 0;
  for await (const batch of events.follow(-1n, categories, AbortSignal.any([signal, enough.signal]))) {
    const takesMore = await filling.take(batch.events);
    count += batch.events.length;
    onProgress({ events: count, position: batch.position, head });
    if (takesMore && batch.position < head) continue;
    await filling.finish();
    enough.abort();
    return batch.position;
  }
  signal.throwIfAborted();
  throw new Error('the log ended while it was being read');
}
