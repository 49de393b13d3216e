// Retries a parked stream of a log projection, in any process, with or without a follower.
import { BrokenStream } from '../../../stores/broken-stream.ts';
import type { StoredEvent } from '../../../stores/event-store.ts';
import type { LogProjection } from '../../projection.ts';
import { loadCheckpoints, saveCheckpoint } from '../generations/checkpoints.ts';
import type { Copy } from '../generations/copy.ts';
import { markJoining, type ParkedStream, parkLog, recordsOf, unpark } from '../parked/parked-records.ts';
import { faultAt, type ProjectionFault } from '../parked/projection-fault.ts';
import { applyBatch, EVENTS_A_BATCH } from './apply-log.ts';
import { type CatchUpParts, catchUpLog } from './catch-up-log.ts';
import { StreamReaders } from './stream-readers.ts';

/**
 * True if nothing parks the stream any longer. `rebuild` builds the projection again from the log: documents over many
 * streams cannot accept an event after later ones.
 */
export async function retryLog<Doc extends object, K extends string>(
  parts: CatchUpParts,
  of: LogProjection<Doc, K>,
  copy: Copy<Doc, K>,
  stream: string,
  signal: AbortSignal,
  rebuild: () => Promise<void>,
): Promise<boolean> {
  const [record] = await recordsOf(parts.store, copy, [stream]);
  if (record === undefined) return true;
  if ((await faultIn(parts, of, stream)) !== undefined) return false;
  if (record.held === undefined) return bringPast(parts, of, copy, record, signal);
  if (of.add === undefined) return takeIn(parts, of, copy, record);
  await rebuild();
  return true;
}

/** The first event of a stream that its reader cannot read. */
async function faultIn<Doc extends object, K extends string>(
  parts: CatchUpParts,
  of: LogProjection<Doc, K>,
  stream: string,
): Promise<ProjectionFault | undefined> {
  const beyond = { id: '', type: '', data: '', metadata: '', stream, revision: Number.MAX_SAFE_INTEGER, position: -1n };
  return (await new StreamReaders<Doc>(parts, of).prepare([beyond])).get(stream);
}

/**
 * Brings on a projection that waits before the event, and moves the checkpoint, so that an older follower goes on after
 * the event.
 */
async function bringPast<Doc extends object, K extends string>(
  parts: CatchUpParts,
  of: LogProjection<Doc, K>,
  copy: Copy<Doc, K>,
  { stream }: ParkedStream,
  signal: AbortSignal,
): Promise<boolean> {
  const [from = -1n] = await loadCheckpoints(parts.store, [copy]);
  const part = { from, to: await parts.events.head(), but: stream };
  await saveCheckpoint(parts, copy, await catchUpLog(parts, of, copy, part, signal));
  const [now] = await recordsOf(parts.store, copy, [stream]);
  if (now?.held !== undefined) return false; // its follower has gone on without the stream meanwhile
  await unpark(parts.store, copy, stream);
  return true;
}

/**
 * Applies what the projection has passed over of the stream, twice: between the two its record says so, and from then
 * on a follower applies new events of the stream as well. A process that dies on the way leaves the record open, and
 * nothing of this does harm when it is repeated.
 */
async function takeIn<Doc extends object, K extends string>(
  parts: CatchUpParts,
  of: LogProjection<Doc, K>,
  copy: Copy<Doc, K>,
  { stream, revision }: ParkedStream,
): Promise<boolean> {
  for (const isLast of [false, true]) {
    const fault = await applyStream(parts, of, copy, stream, revision);
    if (fault !== undefined) {
      await parkLog(parts, copy, fault, parts.world.now(), 'passed');
      return false;
    }
    if (!isLast) await markJoining(parts.store, copy, stream);
  }
  await unpark(parts.store, copy, stream);
  return true;
}

async function applyStream<Doc extends object, K extends string>(
  parts: CatchUpParts,
  of: LogProjection<Doc, K>,
  copy: Copy<Doc, K>,
  stream: string,
  from: number,
): Promise<ProjectionFault | undefined> {
  const readers = new StreamReaders<Doc>(parts, of);
  let batch: StoredEvent[] = [];
  try {
    for await (const stored of parts.events.read(stream, from - 1)) {
      batch.push(stored);
      if (batch.length < EVENTS_A_BATCH) continue;
      const { fault } = await applyBatch(parts, of, copy, readers, batch);
      if (fault !== undefined) return fault;
      batch = [];
    }
  } catch (cause) {
    if (!(cause instanceof BrokenStream)) throw cause;
    return faultAt(cause, cause);
  }
  return (await applyBatch(parts, of, copy, readers, batch)).fault;
}
