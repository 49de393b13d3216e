// The sandbox's ledger: in a durable file, read here and written in a thread that commits before anything is answered;
// or in memory.
import { whileBusy } from '../../../stores/sqlite/file/busy.ts';
import { type Database, openDatabase } from '../../../stores/sqlite/file/database.ts';
import { sqliteFault } from '../../../stores/sqlite/file/fault.ts';
import { GroupCommit } from '../../../stores/sqlite/file/group-commit.ts';
import { besides } from '../../../stores/sqlite/file/thread.ts';
import { StoreUnavailable } from '../../../stores/store-unavailable.ts';
import type { World } from '../../../world.ts';
import type { Entry } from '../entry.ts';
import type { FaultReport } from '../fault-plan.ts';
import { openHandler, type Write, type Writes } from './ledger-handler.ts';
import { type KeptCard, type LedgerTables, ledgerTables, prepareLedgerSchema } from './ledger-tables.ts';

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
      ? new GroupCommit<Write, unknown>({ file, handler, isReply: isAny, world, report })
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
        const answer = await writer.submit([name, ...args]);
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
const isAny = (_reply: unknown): _reply is unknown => true;
const isAnswer = <N extends keyof Writes>(_to: N, _answer: unknown): _answer is ReturnType<Writes[N]> => true;

function writerHere(database: Database): Pick<GroupCommit<Write, unknown>, 'submit' | 'close'> {
  const { handle } = openHandler(database);
  return {
    async submit(write) {
      if (!database.isOpen) throw new StoreUnavailable('the sandbox is closed');
      return handle(write);
    },
    close: async () => undefined,
  };
}

/** The most entries of each kind; at that number all of the kind are dropped and read again. */
const REMEMBERED = 2_000;

/**
 * Tables with a memory that holds as long as `forget` is called for every write of others, and for every write that is
 * undone.
 */
export function remembering(tables: LedgerTables): LedgerTables & { forget(): void } {
  const cards = new Map<string, KeptCard>();
  const chains = new Map<string, readonly Entry[]>();
  const faults = new Map<string, FaultReport>();
  return {
    ...tables,
    keepCard: (token, kept) => {
      const isNew = tables.keepCard(token, kept);
      if (isNew) remember(cards, token, kept);
      return isNew;
    },
    cardOf(token) {
      const known = cards.get(token);
      if (known !== undefined) return known;
      const read = tables.cardOf(token);
      return read && remember(cards, token, read);
    },
    entriesOf(paymentId, authorizationId) {
      const known = chains.get(authorizationId);
      if (known !== undefined) return known[0]?.paymentId === paymentId ? known : [];
      const read = tables.entriesOf(paymentId, authorizationId);
      return read.length === 0 ? read : remember(chains, authorizationId, read);
    },
    record(made) {
      const isNew = tables.record(made);
      if (!isNew || made.operation === 'dispute') return isNew;
      const before = made.number === 0 ? [] : chains.get(made.authorizationId);
      if (before !== undefined) remember(chains, made.authorizationId, [...before, made]);
      return isNew;
    },
    change(known) {
      tables.change(known);
      chains.delete(known.authorizationId);
    },
    faultsOf: (accountId) => faults.get(accountId) ?? remember(faults, accountId, tables.faultsOf(accountId)),
    keepFaults(accountId, report) {
      tables.keepFaults(accountId, report);
      remember(faults, accountId, report);
    },
    reset(accountId) {
      tables.reset(accountId);
      chains.clear();
      faults.clear();
    },
    forget() {
      for (const memory of [cards, chains, faults]) memory.clear();
    },
  };
}

function remember<T>(memory: Map<string, T>, key: string, value: T): T {
  if (memory.size >= REMEMBERED) memory.clear();
  memory.set(key, value);
  return value;
}
