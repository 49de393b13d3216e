// The sandbox's ledger: in a durable file, read here and written in a thread that commits before anything is answered; or in memory.
import { whileBusy } from '../../../stores/sqlite/file/busy.ts';
import { openDatabase } from '../../../stores/sqlite/file/database.ts';
import { sqliteFault } from '../../../stores/sqlite/file/fault.ts';
import { GroupCommit } from '../../../stores/sqlite/file/group-commit.ts';
import { besides } from '../../../stores/sqlite/file/thread.ts';
import { StoreUnavailable } from '../../../stores/store-unavailable.ts';
import type { World } from '../../../world.ts';
import type { Book } from './book.ts';
import { handled } from './ledger-handler.ts';
import type { LedgerReply, LedgerRequest } from './ledger-request.ts';
import { memoryBook } from './memory-book.ts';
import { sqlBook, TABLES } from './sql-book.ts';

type Reads = 'entryOf' | 'page' | 'nextAt' | 'waits' | 'undelivered' | 'connectedAccounts' | 'faultsOf';

export interface Ledger {
  /** Throws StoreUnavailable when it cannot be read. */
  read<T>(work: (book: Pick<Book, Reads>) => T): Promise<T>;
  /** Durable on return. Throws what GroupCommit throws. */
  submit(request: LedgerRequest): Promise<LedgerReply>;
  close(): Promise<void>;
}

export interface LedgerOptions {
  /** Path of the SQLite file; 'memory' keeps everything in this process, without a thread. */
  readonly file: string;
  readonly world: World;
  readonly report: (fault: unknown) => void;
}

// The handler is ours and typed where it answers; this marks the border between threads.
const isReply = (reply: unknown): reply is LedgerReply => typeof reply === 'object' && reply !== null && 'kind' in reply;

/** Throws StoreUnavailable when the file cannot be opened, or is no ledger, and when another process keeps it locked. */
export async function openLedger(options: LedgerOptions): Promise<Ledger> {
  if (options.file === 'memory') return inMemory();
  return inFile(options).catch((fault: unknown) => {
    throw fault instanceof StoreUnavailable ? fault : cannotOpen(options.file, fault);
  });
}

function cannotOpen(file: string, cause: unknown): StoreUnavailable {
  const isDamaged = sqliteFault(cause) === 'corrupt';
  const remedy = isDamaged
    ? ' Put a backup of it back, or move the file elsewhere: the sandbox then begins without a memory of its payments.'
    : '';
  return new StoreUnavailable(`The sandbox's ledger ${file} ${isDamaged ? 'is damaged' : 'cannot be opened'}.${remedy}`, { cause });
}

async function inFile({ file, world, report }: LedgerOptions): Promise<Ledger> {
  const database = await whileBusy(world, () => openDatabase({ file, synchronous: 'full', busyTimeoutMs: 0, cacheKiB: 4_096 }));
  try {
    await whileBusy(world, () => database.exec(TABLES));
    const book = sqlBook(database);
    const handler = besides('./ledger-handler', import.meta.url);
    const writer = new GroupCommit<LedgerRequest, LedgerReply>({ file, handler, isReply, world, report });
    return {
      /** A reader waits too, though rarely: while another process recovers the file, or closes it as the last one. */
      read: (work) =>
        whileBusy(world, () => work(book)).catch((fault: unknown) => {
          throw fault instanceof StoreUnavailable ? fault : new StoreUnavailable('the sandbox cannot read its file', { cause: fault });
        }),
      submit: (request) => writer.submit(request),
      async close() {
        await writer.close();
        database.close();
      },
    };
  } catch (fault) {
    database.close();
    throw fault;
  }
}

/** For one process on a simulated clock: no thread whose timing a seed could not decide. */
function inMemory(): Ledger {
  const book = memoryBook();
  let isClosed = false;
  const open = (): Book => {
    if (isClosed) throw new StoreUnavailable('the sandbox is closed');
    return book;
  };
  return {
    read: async (work) => work(open()),
    submit: async (request) => handled(open(), request),
    async close() {
      isClosed = true;
    },
  };
}
