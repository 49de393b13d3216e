// Brings one generation of a log projection from a position to where the log ended a moment ago.
import { readLog } from '../../../journal/read-log.ts';
import type { EventStore } from '../../../stores/event-store.ts';
import type { LogProjection } from '../../projection.ts';
import type { CheckpointParts } from '../generations/checkpoints.ts';
import type { Copy } from '../generations/copy.ts';
import { type ApplyLogParts, applyToLog } from './apply-log.ts';
import { HeldStreams } from './held-streams.ts';
import { StreamReaders } from './stream-readers.ts';

export interface CatchUpParts extends ApplyLogParts, CheckpointParts {
  readonly events: EventStore;
}

/**
 * Applies the events after `from`, up to `to` at least, but those of streams that are parked, or are parked on the way.
 * Answers up to where. Rejects with the signal's reason when it aborts, and with StoreUnavailable. `but`: a parked
 * stream that is tried again.
 */
export async function catchUpLog<Doc extends object, K extends string>(
  parts: CatchUpParts,
  of: LogProjection<Doc, K>,
  copy: Copy<Doc, K>,
  { from, to, but }: { readonly from: bigint; readonly to: bigint; readonly but?: string },
  signal: AbortSignal,
  readers = new StreamReaders<Doc>(parts, of),
): Promise<bigint> {
  const held = await HeldStreams.load(parts.store, copy, but === undefined ? {} : { but });
  let position = from;
  for await (const batch of readLog(parts.events, { after: from, to, categories: of.categories }, signal)) {
    await applyToLog(parts, of, copy, readers, batch.events, held);
    position = batch.position;
  }
  return position;
}
