// The sandbox's ledger: in a durable file, read here and written in a thread that commits before anything is answered;
// or in memory.
import { whileBusy } from '../../../stores/sqlite/file/busy.ts';
import { type Database, openDatabase } from '../../../stores/sqlite/file/database.ts';
import { sqliteFault } from '../../../stores/sqlite/file/fault.ts';
import { GroupCommit } from '../../../stores/sqlite/file/group-commit.ts';
import { besides } from '../../../stores/sqlite/file/thread.ts';
import { StoreUnavailable } from '../../../stores/store-unavailable.ts';
import type { World } from '../../../world.ts';
import { openHandler, type Writes, writeText } from './ledger-handler.ts';
import { type LedgerTables, ledgerTables, prepareLedgerSchema } from './ledger-tables.ts';

type LedgerReads =
  | 'entryOf'
  | 'entriesOf'
  | 'disputeOf'
  | 'challengedBy'
  | 'page'
  | 'nextAt'
  | 'waits'
  | 'undelivered'
  | 'connectedAccounts'
  | 'faultsOf';

export interface Ledger {
  /** Throws StoreUnavailable if it cannot be read. */
  read<T>(work: (tables: Pick<LedgerTables, LedgerReads>) => T): Promise<T>;
  /** Durable on return. Throws the faults of GroupCommit.submit. */
  write<N extends keyof Writes>(name: N, ...args: Parameters<Writes[N]>): Promise<ReturnType<Writes[N]>>;
  close(): Promise<void>;
}

interface LedgerOptions {
  /**
   * Path of the SQLite file; 'memory' keeps everything in this process, without a thread whose timing a seed could not
   * decide.
   */
  readonly file: string;
  readonly world: World;
  readonly report: (fault: unknown) => void;
}

/** Throws StoreUnavailable if the file cannot be opened, is not a ledger, or is locked by another process. */
export async function openLedger(options: LedgerOptions): Promise<Ledger> {
  return opened(options).catch((fault: unknown) => {
    throw fault instanceof StoreUnavailable ? fault : cannotOpen(options.file, fault);
  });
}

function cannotOpen(file: string, cause: unknown): StoreUnavailable {
  const isDamaged = sqliteFault(cause) === 'corrupt';
  const remedy = isDamaged
    ? ' Restore a backup of the file, or move it elsewhere. The sandbox then starts without its past payments.'
    : '';
  return new StoreUnavailable(
    `The sandbox's ledger ${file} ${isDamaged ? 'is damaged' : 'cannot be opened'}.${remedy}`,
    { cause },
  );
}

async function opened({ file, world, report }: LedgerOptions): Promise<Ledger> {
  const isFile = file !== 'memory';
  const path = isFile ? file : ':memory:';
  const database = await whileBusy(world, () =>
    openDatabase({ file: path, synchronous: 'full', busyTimeoutMs: 0, cacheKiB: 4_096 }),
  );
  try {
    await whileBusy(world, () => prepareLedgerSchema(database));
    const tables = ledgerTables(database);
    const handler = besides('./ledger-handler', import.meta.url);
    const writer = isFile
      ? new GroupCommit<string, string | undefined>({ file, handler, isReply: isText, world, report })
      : writerHere(database);
    return {
      /** A reader waits too, though rarely: while another process recovers the file, or closes it as the last one. */
      read: (work) =>
        whileBusy(world, () => work(tables)).catch((fault: unknown) => {
          throw fault instanceof StoreUnavailable
            ? fault
            : new StoreUnavailable('the sandbox cannot read its file', { cause: fault });
        }),
      async write(name, ...args) {
        const text = await writer.submit(writeText([name, ...args]));
        const answer: unknown = text === undefined ? undefined : JSON.parse(text);
        if (isAnswer(name, answer)) return answer;
        throw new TypeError(`the ledger answered something else to ${name}`);
      },
      async close() {
        await writer.close();
        if (database.isOpen) database.close();
      },
    };
  } catch (fault) {
    database.close();
    throw fault;
  }
}

// The handler is ours and typed where it answers; these mark the border between threads.
const isText = (reply: unknown): reply is string | undefined => reply === undefined || typeof reply === 'string';
const isAnswer = <N extends keyof Writes>(_to: N, _answer: unknown): _answer is ReturnType<Writes[N]> => true;

function writerHere(database: Database): Pick<GroupCommit<string, string | undefined>, 'submit' | 'close'> {
  const { handle } = openHandler(database);
  return {
    async submit(write) {
      if (!database.isOpen) throw new StoreUnavailable('the sandbox is closed');
      const reply = handle(write);
      if (isText(reply)) return reply;
      throw new TypeError('the ledger answered something other than its reply');
    },
    close: async () => undefined,
  };
}
