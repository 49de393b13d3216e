// The documents of a log projection at one position of the log, in memory: the kept ones, brought on by later events.
import { readLog } from '../../../journal/read-log.ts';
import type { EventStore } from '../../../stores/event-store.ts';
import type { Query, ReadModels } from '../../../stores/read-models.ts';
import type { LogProjection } from '../../projection.ts';
import type { ProjectionFault } from '../parked/projection-fault.ts';
import { readChanges } from './apply-log.ts';
import { Documents } from './documents.ts';
import { StreamReaders } from './stream-readers.ts';

export interface DocumentsAt<Doc extends object> {
  readonly documents: readonly Doc[];
  /** Every document has exactly the log up to here. */
  readonly position: bigint;
  /** Why that is before the end of the log. */
  readonly parked: ProjectionFault | undefined;
}

const PAGE = 1_000;

/**
 * Reads all documents, and brings them to where the log ends then, beside a follower or without one. `from`: everything up to there is
 * applied to the kept ones. Writes nothing. Rejects with StoreUnavailable, and with the signal's reason.
 */
export async function documentsAt<Doc extends object, K extends string>(
  { events, readModels }: { readonly events: EventStore; readonly readModels: ReadModels },
  of: LogProjection<Doc, K>,
  from: bigint,
  signal: AbortSignal,
): Promise<DocumentsAt<Doc>> {
  const docs = new Documents<Doc>();
  const where: Query<K>['where'] = {};
  for (let after: string | undefined; ; ) {
    const rows = await readModels.find(of, { where, limit: PAGE, ...(after !== undefined && { after: { key: '', id: after } }) });
    docs.found(rows);
    if (rows.length < PAGE) break;
    after = rows.at(-1)?.id;
  }
  const to = await events.head();
  const readers = new StreamReaders<Doc>({ events, store: readModels }, of);
  let position = from;
  for await (const batch of readLog(events, { after: from, to, categories: of.categories }, signal)) {
    const wanted = batch.events.filter((stored) => stored.position <= to);
    const { taken, fault } = await readChanges(readModels, of.name, readers, wanted, docs);
    if (fault !== undefined) return { documents: docs.all, position: wanted[taken - 1]?.position ?? position, parked: fault };
    position = batch.position < to ? batch.position : to;
  }
  return { documents: docs.all, position, parked: undefined };
}
