// The documents of a log projection at one position of the log, in memory: the kept ones, brought on by later events.
import { readLog } from '../../../journal/read-log.ts';
import type { EventStore, StoredEvent } from '../../../stores/event-store.ts';
import type { Query, ReadModels } from '../../../stores/read-models.ts';
import type { LogProjection } from '../../projection.ts';
import { readChanges } from './apply-log.ts';
import { Documents } from './documents.ts';
import { StreamReaders } from './stream-readers.ts';

interface DocumentsAt<Doc extends object> {
  readonly documents: readonly Doc[];
  /** Every document has exactly the log up to here, but what is in `holes`. */
  readonly position: bigint;
  /** The streams that they are without, each from a revision on. */
  readonly holes: readonly Hole[];
}

export interface Hole {
  readonly stream: string;
  readonly revision: number;
  /** An operator let everything go on without the stream. */
  readonly isReleased?: true;
}

const PAGE = 1_000;

/**
 * Reads all documents, and brings them to the end of the log, with or without a follower. `from`: everything
 * up to there is applied to the kept ones, but the streams of `parked`, which are its holes. Writes nothing. Rejects
 * with StoreUnavailable, and with the signal's reason.
 */
export async function documentsAt<Doc extends object, K extends string>(
  { events, readModels }: { readonly events: EventStore; readonly readModels: ReadModels },
  of: LogProjection<Doc, K>,
  { from, parked }: { readonly from: bigint; readonly parked: readonly Hole[] },
  signal: AbortSignal,
): Promise<DocumentsAt<Doc>> {
  const docs = new Documents<Doc>(of);
  const where: Query<K>['where'] = {};
  for (let after: string | undefined; ; ) {
    const rows = await readModels.find(of, {
      where,
      limit: PAGE,
      ...(after !== undefined && { after: { key: '', id: after } }),
    });
    docs.found(rows);
    if (rows.length < PAGE) break;
    after = rows.at(-1)?.id;
  }
  const to = await events.head();
  const readers = new StreamReaders<Doc>({ events, store: readModels }, of);
  const holes = new Map<string, Hole>(parked.map((one) => [one.stream, one]));
  const isLeft = ({ stream, revision, position: at }: StoredEvent): boolean =>
    at <= to && revision < (holes.get(stream)?.revision ?? Number.POSITIVE_INFINITY);
  let position = from;
  for await (const batch of readLog(events, { after: from, to, categories: of.categories }, signal)) {
    for (let left = batch.events.filter(isLeft); left.length > 0; left = left.filter(isLeft)) {
      const { taken, fault } = await readChanges(readModels, of.name, readers, left, docs);
      left = left.slice(taken);
      if (fault === undefined) continue;
      const { stream, revision } = fault.stored;
      holes.set(stream, { stream, revision: Math.min(revision, left[0]?.revision ?? 0) });
    }
    position = batch.position < to ? batch.position : to;
  }
  return { documents: docs.all, position, holes: [...holes.values()] };
}
