// The writer's thread: runs each batch that it is sent in one transaction and answers when that is on the disk.
import { parentPort, workerData } from 'node:worker_threads';
import { BUSY_LIMIT_MS } from './busy.ts';
import { type Database, openDatabase, prepareRows, type Statement } from './database.ts';
import { isBusy, sqliteFault } from './fault.ts';
import type { Handler, OpenHandler } from './handler.ts';
import { FileGone, OpenedFile } from './opened-file.ts';

export interface ThreadData {
  readonly file: string;
  readonly handlerUrl: string;
}

export type BatchReply =
  | {
      readonly kind: 'committed';
      readonly replies: readonly unknown[];
      /** By place in the batch: the fault that the handler threw about a request that was left out. */
      readonly refused?: ReadonlyMap<number, string>;
    }
  | { readonly kind: 'failed'; readonly message: string; readonly cause: unknown; readonly outcomeUnknown: boolean };

/** Small: the pages that a batch changes, and the upper pages of the trees. */
const CACHE_KIB = 4 * 1024;

interface Open {
  readonly path: string;
  readonly file: OpenedFile;
  readonly database: Database;
  readonly handler: Handler;
  readonly dataVersion: Statement<readonly [number]>;
  seenVersion: number;
}

let open: Open | undefined;

/** The starter of the thread has made the file. A missing file is not made again, it would be empty. */
async function opened({ file, handlerUrl }: ThreadData): Promise<Open> {
  if (open !== undefined) return open;
  const database = await openDatabase({
    file,
    mustExist: true,
    synchronous: 'full',
    busyTimeoutMs: BUSY_LIMIT_MS,
    cacheKiB: CACHE_KIB,
  });
  database.exec('PRAGMA busy_timeout = 0'); // from here on `begin` waits, with shorter pauses than SQLite's
  database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  const module: { readonly openHandler: OpenHandler } = await import(handlerUrl);
  const dataVersion = prepareRows<readonly [number]>(database, 'PRAGMA data_version');
  open = {
    path: file,
    file: new OpenedFile(file),
    database,
    handler: module.openHandler(database),
    dataVersion,
    seenVersion: -1,
  };
  return open;
}

/** 16 MiB of WAL between checkpoints: each stops this thread for two more syncs. */
const CHECKPOINT_PAGES = 4_000;

function serve(to: Open, requests: readonly unknown[]): BatchReply {
  try {
    begin(to);
    try {
      const replies = requests.map((request) => to.handler.handle(request));
      return commit(to, { kind: 'committed', replies });
    } catch (fault) {
      rollBack(to);
      if (isStoreFault(fault)) throw fault;
    }
    return serveOneByOne(to, requests);
  } catch (fault) {
    return failed(fault, false);
  }
}

/** After a request made the handler throw: each in a savepoint of its own, so that the others are written. */
function serveOneByOne(to: Open, requests: readonly unknown[]): BatchReply {
  const refused = new Map<number, string>();
  begin(to);
  try {
    const replies = requests.map((request, index) => {
      to.database.exec('SAVEPOINT request');
      try {
        const reply = to.handler.handle(request);
        to.database.exec('RELEASE request');
        return reply;
      } catch (fault) {
        if (isStoreFault(fault)) throw fault;
        to.database.exec('ROLLBACK TO request');
        to.database.exec('RELEASE request');
        to.handler.forget();
        refused.set(index, fault instanceof Error ? fault.message : String(fault));
        return undefined;
      }
    });
    return commit(to, { kind: 'committed', replies, refused });
  } catch (fault) {
    rollBack(to);
    throw fault;
  }
}

/** Takes the write lock; blocks this thread, in pauses of 1 to 8 ms, as long as another process holds it. */
function begin(to: Open): void {
  if (!to.file.isThere) throw new FileGone(to.path);
  const deadline = performance.now() + BUSY_LIMIT_MS;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 8)) {
    try {
      to.database.exec('BEGIN IMMEDIATE');
      break;
    } catch (fault) {
      if (!isBusy(fault) || performance.now() >= deadline) throw fault;
    }
    Atomics.wait(neverNotified, 0, 0, pauseMs * (0.5 + Math.random()));
  }
  const [version = -1] = to.dataVersion.get() ?? [];
  if (version !== to.seenVersion) to.handler.forget();
  to.seenVersion = version;
}

const neverNotified = new Int32Array(new SharedArrayBuffer(4));

/** A commit that fails may still have reached the log of the database: only busy says that it did not. */
function commit(to: Open, reply: BatchReply): BatchReply {
  try {
    to.database.exec('COMMIT');
    return to.file.isThere ? reply : failed(new FileGone(to.path), true);
  } catch (fault) {
    rollBack(to);
    return failed(fault, !isBusy(fault));
  }
}

function rollBack(to: Open): void {
  to.handler.forget();
  if (to.database.isTransaction) to.database.exec('ROLLBACK');
}

const isStoreFault = (fault: unknown): boolean => {
  const kind = sqliteFault(fault);
  return kind !== undefined && kind !== 'constraint' && kind !== 'other';
};

function failed(fault: unknown, outcomeUnknown: boolean): BatchReply {
  const kind = sqliteFault(fault);
  if (kind === 'io' || kind === 'corrupt' || kind === 'cannot-open') closeDatabase(); // the next batch opens it again
  return { kind: 'failed', message: messageOf(fault), cause: fault, outcomeUnknown };
}

function messageOf(fault: unknown): string {
  if (fault instanceof FileGone) return fault.message;
  const kind = sqliteFault(fault);
  return kind === 'busy'
    ? 'another process keeps the database locked'
    : `the database does not accept writes (${kind ?? 'fault'})`;
}

/** Moves all of the WAL into the file and gives its space back; where a reader is in the way, the next rest does so. */
function truncate(): void {
  try {
    open?.database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
  } catch {
    // no caller asked for this: the next batch meets the fault, and reports it
  }
}

function closeDatabase(): void {
  const { database } = open ?? {};
  open = undefined;
  try {
    database?.close();
  } catch {
    // it was broken before: the fault that led here is the one to tell
  }
}

const isThreadData = (data: unknown): data is ThreadData =>
  typeof data === 'object' && data !== null && 'handlerUrl' in data;

const port = parentPort;
if (port === null || !isThreadData(workerData))
  throw new TypeError('commit-thread.ts runs as a worker thread of group-commit.ts');
const from: ThreadData = workerData;
port.on('message', (requests: readonly unknown[] | 'close' | 'rest') => {
  if (requests === 'rest') {
    truncate();
    return;
  }
  if (requests === 'close') {
    closeDatabase();
    port.close();
    return;
  }
  opened(from).then(
    (to) => port.postMessage(serve(to, requests)),
    (fault) => port.postMessage(failed(fault, false)),
  );
});
