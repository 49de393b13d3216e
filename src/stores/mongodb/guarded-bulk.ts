// Writes many rows in one go, each only if it is newer, and reports which were not. The driver refuses a row that is
// too large on this side, and with it all rows of the same bulk write.
import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import { AppError } from '../../app-error.ts';
import type { StoreMeters } from '../store-meters.ts';
import { duplicatesIn } from './faults.ts';
import type { StoredRow } from './stored-row.ts';

/** Bytes of a document's text and its keys; MongoDB takes 16 MiB, with names and lengths. */
export const MAX_ROW_BYTES = 15 * 1024 * 1024;
/**
 * UTF-16 units of text up to which nothing is counted: no text this long is near the limit, nor are the keys taken from
 * it.
 */
const SURELY_FITS = 1024 * 1024;

/** Thrown if the document cannot be stored in MongoDB, today or later. */
class DocumentTooLarge extends AppError {
  constructor(id: string, bytes: number) {
    super('DocumentTooLarge', `The document ${id} has ${bytes} bytes with its keys; MongoDB allows ${MAX_ROW_BYTES}.`);
  }
}

/** Throws DocumentTooLarge. */
export function checkRowSizes(rows: readonly StoredRow[]): void {
  for (const { _id, t, k } of rows) {
    if (t.length <= SURELY_FITS) continue;
    let bytes = Buffer.byteLength(t);
    for (const key of Object.values(k)) if (typeof key === 'string') bytes += Buffer.byteLength(key);
    if (bytes > MAX_ROW_BYTES) throw new DocumentTooLarge(_id, bytes);
  }
}

/**
 * Writes rows of different ids; answers the ids of those that were stale. An upsert whose guard does not hold tries to
 * insert and meets E11000: because a newer document is there, or because two first writes raced. So such a row is
 * looked at again, and tried once without upsert unless the newer one has been seen; only no match then means stale.
 */
export async function writeGuarded(
  collection: Collection<StoredRow>,
  rows: readonly StoredRow[],
  meters: StoreMeters,
): Promise<ReadonlySet<string>> {
  try {
    await collection.bulkWrite(rows.map(guardedUpsert), { ordered: false });
    return new Set();
  } catch (fault) {
    const duplicates = duplicatesIn(fault);
    if (duplicates === undefined) throw fault;
    const met = duplicates.flatMap((place) => rows[place] ?? []);
    const newer = await seenNewer(collection, met);
    const raced = met.filter(({ _id }) => !newer.has(_id));
    const overtaken = await Promise.all(raced.map((row) => isOvertaken(collection, row, meters)));
    return new Set([...newer, ...raced.flatMap(({ _id }, place) => (overtaken[place] === true ? _id : []))]);
  }
}

const guardedUpsert = ({ _id, r, t, k }: StoredRow): AnyBulkWriteOperation<StoredRow> => ({
  updateOne: { filter: { _id, r: { $lt: r } }, update: { $set: { r, t, k } }, upsert: true },
});

/** Ids of rows that are there at their revision or above, acknowledged by the majority: revisions never fall. */
async function seenNewer(collection: Collection<StoredRow>, rows: readonly StoredRow[]): Promise<ReadonlySet<string>> {
  const revisions = new Map(rows.map(({ _id, r }) => [_id, r]));
  const options = { projection: { r: 1 }, batchSize: rows.length };
  const found = await collection.find({ _id: { $in: [...revisions.keys()] } }, options).toArray();
  return new Set(found.flatMap(({ _id, r }) => (r >= (revisions.get(_id) ?? 0) ? _id : [])));
}

async function isOvertaken(
  collection: Collection<StoredRow>,
  { _id, r, t, k }: StoredRow,
  meters: StoreMeters,
): Promise<boolean> {
  meters.retried();
  return (await collection.updateOne({ _id, r: { $lt: r } }, { $set: { r, t, k } })).matchedCount === 0;
}
