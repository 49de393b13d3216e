// Reads the log from its beginning into a fold, which fills a new generation.
import type { EventStore } from '../../../stores/event-store.ts';
import type { Digest } from './digest.ts';
import type { Folding } from './folding.ts';

export interface BuildProgress {
  readonly events: number;
  readonly position: bigint;
  /** Where the log ended when this began. */
  readonly head: bigint;
}

export interface Filled {
  readonly position: bigint;
  /** Streams that stand before an event which cannot be projected. */
  readonly poisoned: readonly string[];
  /** Of what the builder holds. */
  readonly digest: Digest;
}

/** Reads a category up to `head`; the builder holds every document when this resolves. Rejects with the signal's reason when it aborts. */
export async function fill<Doc extends object, K extends string>(
  folding: Folding<Doc, K>,
  category: string,
  events: EventStore,
  head: bigint,
  onProgress: (progress: BuildProgress) => void,
  signal: AbortSignal,
): Promise<Filled> {
  if (head < 0n) return { position: -1n, poisoned: [], digest: folding.digest };
  const enough = new AbortController();
  let count = 0;
  for await (const batch of events.follow(-1n, [category], AbortSignal.any([signal, enough.signal]))) {
    await folding.take(batch.events);
    count += batch.events.length;
    onProgress({ events: count, position: batch.position, head });
    if (batch.position < head) continue;
    const poisoned = await folding.finish();
    enough.abort();
    return { position: batch.position, poisoned, digest: folding.digest };
  }
  signal.throwIfAborted();
  throw new Error('the log ended while it was being read');
}
