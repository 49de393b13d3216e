// Brings one generation of a log projection from a position to where the log ended a moment ago.
import { readLog } from '../../../journal/read-log.ts';
import type { EventStore } from '../../../stores/event-store.ts';
import type { LogProjection } from '../../projection.ts';
import { type CheckpointParts, loadCheckpoints, saveCheckpoint } from '../generations/checkpoints.ts';
import type { Copy } from '../generations/copy.ts';
import { unparkUpTo } from '../parked/parked-records.ts';
import type { ProjectionFault } from '../parked/projection-fault.ts';
import { type ApplyLogParts, applyToLog } from './apply-log.ts';
import { StreamReaders } from './stream-readers.ts';

export interface CatchUpParts extends ApplyLogParts, CheckpointParts {
  readonly events: EventStore;
}

export interface CaughtUp {
  /** Everything up to here is applied. */
  readonly position: bigint;
  /** Why it stopped before `to`, which is on record. */
  readonly parked: ProjectionFault | undefined;
}

/** Applies the events after `from`, up to `to` at least. Rejects with the signal's reason when it aborts, and with StoreUnavailable. */
export async function catchUpLog<Doc extends object, K extends string>(
  parts: CatchUpParts,
  of: LogProjection<Doc, K>,
  copy: Copy<Doc, K>,
  { from, to }: { readonly from: bigint; readonly to: bigint },
  signal: AbortSignal,
  readers = new StreamReaders<Doc>(parts, of),
): Promise<CaughtUp> {
  let position = from;
  for await (const batch of readLog(parts.events, { after: from, to, categories: of.categories }, signal)) {
    const { reached, parked } = await applyToLog(parts, of, copy, readers, batch.events);
    if (parked !== undefined) return { position: reached ?? position, parked };
    position = batch.position;
  }
  return { position, parked: undefined };
}

/**
 * Tries a parked log projection again, from its checkpoint to the end of the log, beside a follower or without one. True when nothing
 * parks it any more: the checkpoint is moved before the record is closed, so a follower of an older version goes on after the event.
 */
export async function retryLog<Doc extends object, K extends string>(
  parts: CatchUpParts,
  of: LogProjection<Doc, K>,
  copy: Copy<Doc, K>,
): Promise<boolean> {
  const [from = -1n] = await loadCheckpoints(parts.store, [copy]);
  const { position, parked } = await catchUpLog(parts, of, copy, { from, to: await parts.events.head() }, new AbortController().signal);
  await saveCheckpoint(parts, copy, position);
  if (parked === undefined) await unparkUpTo(parts.store, copy, position);
  return parked === undefined;
}
