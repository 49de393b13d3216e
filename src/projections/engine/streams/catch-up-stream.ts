// Folds one stream from its document on: to its end, or to a revision.
import { chained } from '../../../journal/chain.ts';
import { BrokenStream } from '../../../stores/broken-stream.ts';
import type { EventStore } from '../../../stores/event-store.ts';
import type { ReadModelStore, Stored } from '../../../stores/read-models.ts';
import { idOf } from '../../../stores/stream-name.ts';
import type { World } from '../../../world.ts';
import type { StreamProjection } from '../../projection.ts';
import type { Copy } from '../generations/copy.ts';
import { writeEach } from '../generations/write-copies.ts';
import { isDiscarded } from '../parked/discards.ts';
import { park, unpark } from '../parked/parked-records.ts';
import { faultAt, type ProjectionFault } from '../parked/projection-fault.ts';
import type { Heads } from './heads.ts';

export interface ApplyParts {
  readonly events: EventStore;
  readonly store: ReadModelStore;
  readonly world: World;
  readonly heads: Heads;
}

/**
 * Folds a stream from its document to its end, writes it, and parks it where that is not possible. True if it got to
 * the end.
 */
export async function catchUpStream<Doc extends object, K extends string>(
  parts: ApplyParts,
  of: StreamProjection<Doc, K>,
  copies: readonly Copy<Doc, K>[],
  stream: string,
): Promise<boolean> {
  const [own] = copies;
  if (own === undefined) return true;
  const [row] = await parts.store.get(own, [idOf(stream)]);
  const { reached, fault } = await foldStream(parts, of, stream, row, Number.POSITIVE_INFINITY);
  if (reached !== undefined && reached !== row) await writeEach(parts.store, copies, [reached]);
  if (fault === undefined) await unpark(parts.store, own, stream);
  else await park(parts, own, fault, parts.world.now());
  return fault === undefined;
}

/**
 * The document at `revision`, or as far as the stream goes, from an older one. Events that an operator discarded leave
 * it as it is. A fault says which event stopped it before.
 */
export async function foldStream<Doc extends object, K extends string>(
  { events, store, heads }: Pick<ApplyParts, 'events' | 'store' | 'heads'>,
  of: StreamProjection<Doc, K>,
  stream: string,
  from: Stored<Doc> | undefined,
  revision: number,
): Promise<{ readonly reached: Stored<Doc> | undefined; readonly fault?: ProjectionFault }> {
  const id = idOf(stream);
  let row = from;
  if ((row?.revision ?? -1) >= revision) return { reached: row };
  try {
    for await (const { stored, link } of chained(events, stream, row?.revision ?? -1)) {
      try {
        row = { id, revision: stored.revision, doc: of.project(row?.doc, stored) };
      } catch (cause) {
        if (!(await isDiscarded(store, of.name, stored))) return { reached: row, fault: faultAt(stored, cause) };
        if (row !== undefined) row = { ...row, revision: stored.revision };
      }
      heads.keep(stream, link);
      if (stored.revision >= revision) break;
    }
  } catch (cause) {
    if (!(cause instanceof BrokenStream)) throw cause;
    return { reached: row, fault: faultAt(cause, cause) };
  }
  return { reached: row };
}
