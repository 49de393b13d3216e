// The one way to open an embedded database: node:sqlite if Node has it, otherwise the package with the same API.
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fchownSync,
  fdatasyncSync,
  mkdirSync,
  openSync,
  statSync,
} from 'node:fs';
import { devNull } from 'node:os';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sqliteFault } from './fault.ts';
import { FileGone } from './opened-file.ts';

type SqlValue = null | number | bigint | string | Uint8Array;

/** The parts of a prepared statement that we use. `Row` is the SQL's promise; nothing checks it. */
export interface Statement<Row> {
  run(...values: readonly SqlValue[]): { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint };
  get(...values: readonly SqlValue[]): Row | undefined;
  all(...values: readonly SqlValue[]): Row[];
  iterate(...values: readonly SqlValue[]): IterableIterator<Row>;
  setReturnArrays(enabled: boolean): void;
}

/**
 * The parts of a database that we use. Synchronous: a call blocks its thread, so pages are bounded and no call here
 * waits for a lock.
 */
export interface Database {
  readonly isOpen: boolean;
  readonly isTransaction: boolean;
  exec(sql: string): void;
  /** Rows are objects by column name; see `prepareRows` for arrays. */
  prepare<Row = unknown>(sql: string): Statement<Row>;
  close(): void;
}

/** A statement whose rows are arrays in the order of the columns: a third faster to read than objects. */
export function prepareRows<Row extends readonly SqlValue[]>(database: Database, sql: string): Statement<Row> {
  const statement = database.prepare<Row>(sql);
  statement.setReturnArrays(true);
  return statement;
}

interface DatabaseOptions {
  /** Made with its directories when it is not there, unless it `mustExist`. */
  readonly file: string;
  /** An empty file in place of one that was deleted would hide the loss, and be in the way of a backup. */
  readonly mustExist?: boolean;
  /** Takes no writes, as each file on a read-only file system. */
  readonly readOnly?: boolean;
  /**
   * `full`: a commit is on the disk when it returns. `normal`: the file stays whole, but a power cut may take the last
   * commits.
   */
  readonly synchronous: 'full' | 'normal';
  /**
   * How long SQLite itself blocks this thread for another's lock; 0 on a thread that answers requests (see busy.ts).
   */
  readonly busyTimeoutMs: number;
  /** Page cache of this connection, KiB. */
  readonly cacheKiB: number;
}

/**
 * Opens a database in WAL mode. Throws FileGone, and what SQLite throws (see fault.ts). Keep a reference: a collected
 * connection is a closed one.
 */
export function openDatabase(options: DatabaseOptions): Promise<Database> {
  return opened(options, (database, isOnlyRead) => {
    database.exec(`PRAGMA busy_timeout = ${options.busyTimeoutMs}`);
    database.exec(`PRAGMA cache_size = -${options.cacheKiB}`);
    if (isOnlyRead) return;
    database.exec('PRAGMA journal_mode = WAL');
    database.exec(`PRAGMA synchronous = ${options.synchronous}`);
    // macOS answers fsync before the disk has the data; its own call is asked for where durability was.
    if (options.synchronous === 'full') database.exec('PRAGMA fullfsync = ON');
    // A WAL that grew under a long reader gives its space back at the next checkpoint.
    database.exec(`PRAGMA journal_size_limit = ${JOURNAL_SIZE_LIMIT_BYTES}`);
  });
}

/**
 * Opens a new database that is thrown away when its process ends too early: nothing is durable, and nothing but a
 * transaction can be undone. It is never in WAL mode: a database that was so once refuses to be without a journal,
 * without a word (SQLite's defensive mode).
 */
export function openNewDatabase({ file, cacheKiB }: Pick<DatabaseOptions, 'file' | 'cacheKiB'>): Promise<Database> {
  return opened({ file }, (database) => {
    database.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY');
    database.exec(`PRAGMA cache_size = -${cacheKiB}`);
  });
}

async function opened(
  { file, mustExist = false, readOnly = false }: Pick<DatabaseOptions, 'file' | 'mustExist' | 'readOnly'>,
  prepare: (database: Database, isOnlyRead: boolean) => void,
): Promise<Database> {
  const { DatabaseSync } = await sqlite(); // which takes a thread a while: the file is looked for after that
  const isReadOnlyDisk = isOnReadOnlyDisk(file);
  const isOnlyRead = readOnly || isReadOnlyDisk;
  if (!mustExist && !isOnlyRead) makePrivate(file);
  else if (!existsSync(file)) throw new FileGone(file);
  try {
    const database = isOnlyRead
      ? new DatabaseSync(isReadOnlyDisk ? unchanging(file) : file, { readOnly: true })
      : new DatabaseSync(file);
    try {
      prepare(database, isOnlyRead);
      return database;
    } catch (fault) {
      database.close();
      throw fault;
    }
  } catch (fault) {
    if (sqliteFault(fault) === 'cannot-open') assertFilesLeft();
    throw fault;
  }
}

/** True if the file is there, on a file system that is mounted read-only. */
function isOnReadOnlyDisk(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return false;
  } catch (fault) {
    return fault instanceof Error && 'code' in fault && fault.code === 'EROFS';
  }
}

/**
 * The name under which SQLite reads a database without making an index of its WAL, which a read-only file system does
 * not take. A WAL with content is read by its own index.
 */
const unchanging = (file: string): string =>
  (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
    ? file
    : `${pathToFileURL(file).href}?immutable=1`;

/** A database, its WAL, the index of the WAL, and their directory while one of them is made. */
const FILES_AT_ONCE = 4;

/** Throws the fault of the limit on open files if there is no room for a database: SQLite does not name the limit. */
function assertFilesLeft(): void {
  const opened: number[] = [];
  try {
    while (opened.length < FILES_AT_ONCE) opened.push(openSync(devNull, 'r'));
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}

/**
 * The data is closed to other users of this machine; SQLite gives its WAL the modes and the owner of the file. A file
 * that root makes belongs to the owner of its directory: the service could not open one of root.
 */
function makePrivate(file: string): void {
  if (file === ':memory:') return;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const isNew = !existsSync(file);
  const made = openSync(file, 'a', 0o600);
  try {
    if (!isNew || process.geteuid?.() !== 0) return;
    const { uid, gid } = statSync(dirname(file));
    fchownSync(made, uid, gid);
  } finally {
    closeSync(made);
  }
}

/** A new file is synced each 4 MiB: one sync of a whole file delayed those of a log on the same disk for 0.3 s. */
export const BYTES_A_SYNC = 4 * 1024 * 1024;
const PAGES_A_STEP = BYTES_A_SYNC / 4_096;

/**
 * Copies a database into a new file, as the connection sees it: with an open read transaction, as it was when that
 * began. The pages are copied on another thread. `onProgress` gets the share that is copied; the copy ends with what it
 * throws. Throws what SQLite throws (see fault.ts).
 */
export async function copyDatabase(from: Database, file: string, onProgress: (share: number) => void): Promise<void> {
  const { backup } = await sqlite();
  makePrivate(file);
  const copy = openSync(file, 'r+');
  try {
    await backup(from, file, {
      rate: PAGES_A_STEP,
      progress: ({ totalPages, remainingPages }) => {
        fdatasyncSync(copy);
        onProgress(totalPages === 0 ? 1 : 1 - remainingPages / totalPages);
      },
    });
  } finally {
    closeSync(copy);
  }
}

const JOURNAL_SIZE_LIMIT_BYTES = 64 * 1024 * 1024;

interface Sqlite {
  readonly DatabaseSync: new (file: string, options?: { readonly readOnly: boolean }) => Database;
  backup(
    from: Database,
    file: string,
    options: {
      readonly rate: number;
      readonly progress: (pages: { readonly totalPages: number; readonly remainingPages: number }) => void;
    },
  ): Promise<number>;
}

let loaded: Promise<Sqlite> | undefined;

/** Loaded when the first database is opened, so that a service on other stores needs no native module. */
function sqlite(): Promise<Sqlite> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<Sqlite> {
  const builtin = builtinSqlite();
  return isSqlite(builtin) ? builtin : await import('@photostructure/sqlite');
}

/** Without Node 22's warning that the module is experimental: plain text between the JSON lines on stderr. */
function builtinSqlite(): unknown {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}

// Node's own module counts from the release that can answer rows as arrays; before that it needed a flag or was slower.
const isSqlite = (module: unknown): module is Sqlite =>
  typeof module === 'object' &&
  module !== null &&
  'DatabaseSync' in module &&
  'StatementSync' in module &&
  typeof module.StatementSync === 'function' &&
  'setReturnArrays' in module.StatementSync.prototype;
