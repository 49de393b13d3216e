// Reading the embedded key store in a thread that folds the log.
import type { OpenKeys, WrappedKey } from '../key-store.ts';
import { openDatabase, prepareRows } from './file/database.ts';

/** A lock delays this thread only. */
const BUSY_TIMEOUT_MS = 5_000;
const CACHE_KIB = 1_024;

export type KeyRow = readonly [id: string, wrapped: string | null, destroyedAt: number | null];

export const FIND_KEY = 'SELECT id, wrapped, destroyed_at FROM keys WHERE id = ?';

export const keyOf = ([id, wrapped, destroyedAt]: KeyRow): WrappedKey => ({
  id,
  wrapped: wrapped ?? undefined,
  ...(destroyedAt !== null && { destroyedAt }),
});

/** `data`: the file. Its connection ends with the thread. Throws FileGone, and what SQLite throws. */
export const openKeys: OpenKeys = async (data) => {
  const file = String(data);
  const options = { synchronous: 'full', busyTimeoutMs: BUSY_TIMEOUT_MS, cacheKiB: CACHE_KIB } as const;
  const database = await openDatabase({ file, mustExist: true, ...options });
  const find = prepareRows<KeyRow>(database, FIND_KEY);
  return (id) => {
    const row = database.isOpen ? find.get(id) : undefined; // the reference keeps the connection open
    return row && keyOf(row);
  };
};
