// The size limit of a row: the driver refuses a larger row on this side, and with it all rows of the same bulk write.
import { AppError } from '../../app-error.ts';
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
