// Folds a log in the threads of its store, and hands their rows to a builder.

import { Digest } from '../../../stores/document-digest.ts';
import type { EventStore, Parcel } from '../../../stores/event-store.ts';
import { unpacked } from '../../../stores/packed-rows.ts';
import type { Builder } from '../../../stores/read-models.ts';
import type { BuildProgress } from './fill.ts';
import { FoldNote, type FoldOrder } from './fold-work.ts';

export interface FoldedStreams {
  /** Of all documents. */
  readonly digest: Digest;
  /** Streams whose documents stand before an event that cannot be projected, or before a break. */
  readonly unprojectable: readonly string[];
}

export interface ThreadFolding {
  /** Exports `openWork`, of `foldWorkOf`. */
  readonly module: URL;
  readonly order: FoldOrder;
  readonly categories: readonly string[];
  /** Where the log ended when this began. */
  readonly head: bigint;
  readonly builder: Builder;
  readonly onProgress: (progress: BuildProgress) => void;
}

/**
 * Resolves when the builder has taken every document up to `head`; undefined where the store has no threads for this. Rejects with the
 * signal's reason, and with StoreUnavailable.
 */
export function foldInThreads(events: EventStore, of: ThreadFolding, signal: AbortSignal): Promise<FoldedStreams> | undefined {
  const { module, order, categories, head, builder, onProgress } = of;
  const digest = new Digest();
  const unprojectable: string[] = [];
  let count = 0;
  const take = async ({ bytes, note }: Parcel, share: number): Promise<void> => {
    const folded = FoldNote.parse(note);
    digest.addAll(folded.digest);
    unprojectable.push(...folded.unprojectable);
    count += folded.events;
    onProgress({ events: count, position: BigInt(Math.floor(Number(head) * share)), head });
    await (builder.writePacked?.(bytes) ?? builder.write(unpacked(bytes)));
  };
  const running = events.spread?.({ module, data: order, categories, to: head, take }, signal);
  return running?.then(() => {
    onProgress({ events: count, position: head, head });
    return { digest, unprojectable };
  });
}
