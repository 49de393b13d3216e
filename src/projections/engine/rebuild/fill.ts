// Reads the log from its beginning into a fold, which fills a new generation.
import { readLog } from '../../../journal/read-log.ts';
import type { EventStore, StoredEvent } from '../../../stores/event-store.ts';

export interface BuildProgress {
  readonly events: number;
  readonly position: bigint;
  /** Where the log ended when this began. */
  readonly head: bigint;
}

/** Takes the log from its beginning, and hands documents to a builder. */
export interface Filling {
  /** Resolves when it can take more. */
  take(events: readonly StoredEvent[]): Promise<void>;
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
  let count = 0;
  let reached = -1n;
  for await (const batch of readLog(events, { after: -1n, to: head, categories }, signal)) {
    await filling.take(batch.events);
    count += batch.events.length;
    reached = batch.position;
    onProgress({ events: count, position: reached, head });
  }
  if (head >= 0n) await filling.finish();
  return reached;
}
