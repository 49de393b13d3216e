// The embedded key store in other threads: read by those that fold the log, and written by the writer's.
import type { OpenKeys, WrappedKey } from '../key-store.ts';
import { openDatabase, prepareRows } from './file/database.ts';
import type { OpenHandler } from './file/handler.ts';

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

export type AddKey = readonly [id: string, wrapped: string];

/** Answers the key that the id has then, or its tombstone. */
export const openHandler: OpenHandler = (database) => {
  database.exec('PRAGMA secure_delete = ON'); // a page that is split keeps copies of the keys that moved, otherwise
  const add = database.prepare('INSERT INTO keys (id, wrapped) VALUES (?, ?) ON CONFLICT (id) DO NOTHING');
  const find = prepareRows<KeyRow>(database, FIND_KEY);
  return {
    handle(request) {
      if (!isAddKey(request)) throw new TypeError('not a request to add a key');
      const [id, wrapped] = request;
      if (add.run(id, wrapped).changes > 0) return { id, wrapped };
      const row = find.get(id);
      return row && keyOf(row);
    },
    forget: () => undefined,
  };
};

const isAddKey = (request: unknown): request is AddKey =>
  Array.isArray(request) && request.length === 2 && request.every((part) => typeof part === 'string');
