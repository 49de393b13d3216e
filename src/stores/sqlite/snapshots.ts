// Snapshots of embedded databases that others write to: all of them as they were at one instant.
import { createHash } from 'node:crypto';
import { BUSY_LIMIT_MS } from './file/busy.ts';
import { copyDatabase, type Database, openDatabase, prepareRows } from './file/database.ts';

/** A database as it was when its snapshot began. It holds back checkpoints, and no writer. */
export interface DatabaseSnapshot {
  /** Copies it into a new file; `onProgress` gets the share, and what it throws ends the copy. */
  copyTo(file: string, onProgress: (share: number) => void): Promise<void>;
  /** As contentOf. */
  content(): string;
  /** The last position, for an event log; -1n of an empty one. */
  lastPosition(): bigint;
  /** Ends it before its fellows. */
  end(): void;
}

const CACHE_KIB = 1_024;

/** The rows of each table, and SHA-256 over all of them: the same for a database and for its whole copy. */
function contentOf(database: Database): string {
  const hash = createHash('sha256');
  const tables = prepareRows<readonly [string]>(
    database,
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
  ).all();
  const counts = tables.map(([name]) => {
    let count = 0;
    for (const row of prepareRows(database, `SELECT * FROM "${name}"`).iterate()) {
      hash.update(JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? `${value}n` : value)));
      count += 1;
    }
    return `${name} ${count}`;
  });
  return [...counts, hash.digest('hex')].join(', ');
}

/** As contentOf, for a file that nobody writes to. Throws FileGone, and what SQLite throws (see fault.ts). */
export async function contentOfFile(file: string): Promise<string> {
  const options = { file, mustExist: true, synchronous: 'full', busyTimeoutMs: 0, cacheKiB: CACHE_KIB } as const;
  const database = await openDatabase(options);
  try {
    return contentOf(database);
  } finally {
    database.close();
  }
}

/**
 * Begins the snapshots in one moment in which nobody writes to any of the files: an outcome is never in one of them
 * without the request that it belongs to in another. Writers wait some ms for it. `work` uses them, and then they are
 * closed. Throws FileGone, and what SQLite throws (see fault.ts).
 */
export async function withSnapshots<T>(
  files: readonly string[],
  work: (snapshots: readonly DatabaseSnapshot[]) => Promise<T>,
): Promise<T> {
  const open: Database[] = [];
  const connect = async (file: string): Promise<Database> => {
    const options = { file, mustExist: true, synchronous: 'full', busyTimeoutMs: BUSY_LIMIT_MS } as const;
    const database = await openDatabase({ ...options, cacheKiB: CACHE_KIB });
    open.push(database);
    return database;
  };
  try {
    const readers: Database[] = [];
    const writers: Database[] = [];
    for (const file of files) {
      readers.push(await connect(file));
      writers.push(await connect(file));
    }
    for (const writer of writers) writer.exec('BEGIN IMMEDIATE');
    for (const reader of readers) {
      reader.exec('BEGIN');
      reader.prepare('SELECT count(*) FROM sqlite_schema').get(); // the snapshot begins with the first read
    }
    for (const writer of writers) writer.exec('ROLLBACK');
    return await work(readers.map(snapshotOf));
  } finally {
    for (const database of open.reverse()) {
      if (database.isTransaction) database.exec('ROLLBACK'); // a closed connection may wait for its statements
      database.close();
    }
  }
}

const snapshotOf = (reader: Database): DatabaseSnapshot => ({
  copyTo: (file, onProgress) => copyDatabase(reader, file, onProgress),
  content: () => contentOf(reader),
  lastPosition: () =>
    BigInt(prepareRows<readonly [number | null]>(reader, 'SELECT max(position) FROM events').get()?.[0] ?? -1),
  end: () => reader.exec('ROLLBACK'),
});
