// The embedded key store: a file of its own next to the log, which several processes and threads read.
import { AppError } from '../../app-error.ts';
import type { World } from '../../world.ts';
import type { KeyStore, WrappedKey } from '../key-store.ts';
import { StoreUnavailable } from '../store-unavailable.ts';
import { truncateWal, whileBusy } from './file/busy.ts';
import { type Database, openDatabase, prepareRows } from './file/database.ts';
import { isBusy } from './file/fault.ts';
import { GroupCommit } from './file/group-commit.ts';
import { FileGone, OpenedFile } from './file/opened-file.ts';
import { besides } from './file/thread.ts';
import { type AddKey, FIND_KEY, type KeyRow, keyOf } from './key-thread.ts';

const CACHE_KIB = 1_024;
/** Marks the file as a key store of ours ("CFks"). */
const APPLICATION_ID = 0x43466b73;

const SCHEMA = `
  CREATE TABLE keys (id TEXT PRIMARY KEY, wrapped TEXT, destroyed_at INTEGER) STRICT, WITHOUT ROWID;
  CREATE INDEX destroyed_keys ON keys (destroyed_at) WHERE destroyed_at IS NOT NULL;
  PRAGMA application_id = ${APPLICATION_ID};
`;
/** One row, in files of older versions too. A position is text: SQLite has no integer for all that a store may have. */
const SEEN_SCHEMA =
  'CREATE TABLE IF NOT EXISTS seen_end (id INTEGER PRIMARY KEY CHECK (id = 1), log TEXT, position TEXT) STRICT';

interface SqliteKeyStoreOptions {
  /** Made with its directories when it is not there. */
  readonly file: string;
  readonly world: World;
  /** Takes no writes, and must be there. */
  readonly readOnly?: boolean;
}

/** Opens or makes a key store. Throws StoreUnavailable, and AppError `NotAKeyStore` for another database. */
export async function openSqliteKeyStore({ file, world, readOnly }: SqliteKeyStoreOptions): Promise<KeyStore> {
  const patiently = async <T>(work: () => T): Promise<T> => {
    try {
      return work();
    } catch (fault) {
      if (isBusy(fault)) return whileBusy(world, work).catch((late: unknown) => unreadable(file, late));
      return unreadable(file, fault);
    }
  };
  const options = { synchronous: 'full', busyTimeoutMs: 0, cacheKiB: CACHE_KIB } as const;
  const database = await openDatabase({ file, ...(readOnly && { readOnly }), ...options }).catch((fault: unknown) =>
    unreadable(file, fault),
  );
  try {
    await patiently(() => prepare(database, file, readOnly === true));
  } catch (fault) {
    database.close();
    throw fault;
  }
  const opened = new OpenedFile(file);
  const find = prepareRows<KeyRow>(database, FIND_KEY);
  const page = prepareRows<KeyRow>(
    database,
    'SELECT id, wrapped, destroyed_at FROM keys WHERE id > ? ORDER BY id LIMIT ?',
  );
  const bury = database.prepare(
    `INSERT INTO keys (id, destroyed_at) VALUES (?1, ?2)
     ON CONFLICT (id) DO UPDATE SET wrapped = NULL, destroyed_at = ?2 WHERE destroyed_at IS NULL`,
  );
  const exchange = database.prepare('UPDATE keys SET wrapped = ?3 WHERE id = ?1 AND wrapped = ?2');
  const count = prepareRows<readonly [number]>(database, 'SELECT count(*) FROM keys WHERE destroyed_at IS NOT NULL');
  const seen = hasSeen(database) // a file of an older version that takes no writes has none
    ? prepareRows<readonly [string, string]>(database, 'SELECT log, position FROM seen_end')
    : undefined;
  const found = (ids: readonly string[]): WrappedKey[] => {
    if (!opened.isThere) throw new FileGone(file);
    return ids.flatMap((id) => {
      const row = find.get(id);
      return row === undefined ? [] : [keyOf(row)];
    });
  };
  // In the writer's thread: a commit here would stop every other request, and those of one moment share it there.
  const writer = new GroupCommit<AddKey, WrappedKey>({
    file,
    handler: besides('./key-thread', import.meta.url),
    isReply: (reply): reply is WrappedKey => typeof reply === 'object' && reply !== null && 'id' in reply,
    world,
    report: () => undefined, // those who wait for a key get the fault
  });
  return {
    inThreads: { moduleUrl: besides('./key-thread', import.meta.url).href, data: file },
    get: (ids) => patiently(() => found(ids)),
    putIfAbsent: (id, wrapped) => writer.submit([id, wrapped]),
    destroy: async (ids, at) => {
      await patiently(() =>
        inTransaction(database, () => {
          for (const id of ids) bury.run(id, at);
        }),
      );
      // The deleted text is overwritten in its page (secure_delete); the older page is still in the write-ahead log.
      await patiently(() => truncateWal(database));
    },
    rewrap: async (changes) => {
      await patiently(() =>
        inTransaction(database, () => {
          for (const { id, from, to } of changes) exchange.run(id, from, to);
        }),
      );
      await patiently(() => truncateWal(database)); // the older wrapping leaves the files, too
    },
    destroyed: () => patiently(() => count.get()?.[0] ?? 0),
    seenEnd: () =>
      patiently(() => {
        const [log, position] = seen?.get() ?? [];
        return log === undefined || position === undefined ? undefined : { log, position: BigInt(position) };
      }),
    noteEnd: async ({ log, position }) => {
      await patiently(() =>
        database
          .prepare('INSERT OR REPLACE INTO seen_end (id, log, position) VALUES (1, ?, ?)')
          .run(log, String(position)),
      );
    },
    list: (after, limit) => patiently(() => page.all(after, limit).map(keyOf)),
    async close() {
      await writer.close();
      database.close();
    },
  };
}

function prepare(database: Database, file: string, readOnly: boolean): void {
  database.exec('PRAGMA secure_delete = ON');
  const isOurs = (): boolean => numberIn(database, 'PRAGMA application_id') === APPLICATION_ID;
  if (isOurs() && (readOnly || hasSeen(database))) return;
  inTransaction(database, () => {
    if (isOurs()) return database.exec(SEEN_SCHEMA);
    const isNew = numberIn(database, 'PRAGMA application_id') === 0;
    if (!isNew || numberIn(database, 'SELECT count(*) FROM sqlite_schema') > 0)
      throw new AppError('NotAKeyStore', `${file} is a SQLite database, but not a key store.`);
    database.exec(SCHEMA);
    database.exec(SEEN_SCHEMA);
  });
}

const numberIn = (database: Database, sql: string): number =>
  prepareRows<readonly [number]>(database, sql).get()?.[0] ?? 0;
const hasSeen = (database: Database): boolean =>
  numberIn(database, "SELECT count(*) FROM sqlite_schema WHERE name = 'seen_end'") > 0;

function inTransaction(database: Database, work: () => void): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    work();
    database.exec('COMMIT');
  } catch (fault) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw fault;
  }
}

function unreadable(file: string, fault: unknown): never {
  if (fault instanceof AppError) throw fault;
  throw new StoreUnavailable(`The key store ${file} cannot be used: ${String(fault)}`, { cause: fault });
}
