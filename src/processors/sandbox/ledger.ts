// The sandbox's ledger: in a durable file, read here and written in a thread that commits before anything is answered; or in memory.
import { whileBusy } from '../../stores/sqlite/file/busy.ts';
import { type Database, openDatabase } from '../../stores/sqlite/file/database.ts';
import { sqliteFault } from '../../stores/sqlite/file/fault.ts';
import { GroupCommit } from '../../stores/sqlite/file/group-commit.ts';
import { besides } from '../../stores/sqlite/file/thread.ts';
import { StoreUnavailable } from '../../stores/store-unavailable.ts';
import type { World } from '../../world.ts';
import type { BookReader, LedgerRow } from './books/book.ts';
import { MemoryBook } from './books/memory-book.ts';
import { SqlBookReader } from './books/sql-book-reader.ts';
import { makeTables } from './books/tables.ts';
import type { Entry } from './entry.ts';
import { NO_COUNTS } from './faults/fault-choice.ts';
import { type FaultReport, isAbout } from './faults/fault-plan.ts';
import { handled } from './ledger-handler.ts';
import type { LedgerReply, LedgerRequest } from './ledger-request.ts';
import type { Undelivered } from './sandbox-interface.ts';

/** Where a ledger is kept. */
interface Place {
  /** Throws StoreUnavailable when it cannot be read. */
  read<T>(work: (book: BookReader) => T): Promise<T>;
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

export class Ledger {
  readonly #place: Place;
  readonly #world: World;

  constructor(place: Place, world: World) {
    this.#place = place;
    this.#world = world;
  }

  /** Durable on return. Throws what GroupCommit throws. */
  submit(request: LedgerRequest): Promise<LedgerReply> {
    return this.#place.submit(request);
  }

  entryOf(reference: string): Promise<Entry | undefined> {
    return this.#place.read((book) => book.entryOf(reference));
  }

  /** Those of the references that are recorded. */
  entriesOf(references: readonly string[]): Promise<readonly Entry[]> {
    return this.#place.read((book) => references.flatMap((reference) => book.entryOf(reference) ?? []));
  }

  /** One account's, or everybody's, in the order in which they were recorded: up to `limit` of those behind the sequence `after`, each with its own sequence. */
  page(accountId: string | undefined, after: number, limit: number): Promise<readonly LedgerRow[]> {
    return this.#place.read((book) => book.page(accountId, after, limit));
  }

  /** When the next notification is due, ms; undefined when none waits. Those that are held back are not counted. */
  nextAt(now: number): Promise<number | undefined> {
    return this.#place.read((book) => book.nextAt(now));
  }

  /** Whether a notification, by what it is kept under, was not accepted yet. */
  waits(id: string): Promise<boolean> {
    return this.#place.read((book) => book.waits(id));
  }

  connectedAccounts(): Promise<readonly string[]> {
    return this.#place.read((book) => book.connectedAccounts());
  }

  faultsOf(accountId: string): Promise<FaultReport> {
    return this.#place.read((book) => {
      const { seed, rules } = book.planOf(accountId);
      if (rules.length === 0) return { seed };
      const known = book.countsOf(accountId);
      return { seed, rules, counts: rules.map((_, place) => known.get(place) ?? NO_COUNTS) };
    });
  }

  /** Whether a rule may strike look-ups of this account: counting them takes a write, which most need not pay. */
  mayStrikeLookUps(accountId: string): Promise<boolean> {
    return this.#place.read((book) => isAbout(book.planOf(accountId), 'look_up'));
  }

  /** Of one account, or of all. */
  undelivered(accountId: string | undefined): Promise<Undelivered> {
    return this.#place.read((book) => book.undelivered(accountId, this.#world.now()));
  }

  close(): Promise<void> {
    return this.#place.close();
  }
}

// The handler is ours and typed where it answers; this marks the border between threads.
const isReply = (reply: unknown): reply is LedgerReply => typeof reply === 'object' && reply !== null && 'kind' in reply;

/** Throws StoreUnavailable when the file cannot be opened, or is no ledger, and when another process keeps it locked. */
export async function openLedger(options: LedgerOptions): Promise<Ledger> {
  const { file, world } = options;
  if (file === 'memory') return new Ledger(inMemory(), world);
  return inFile(options).then(
    (place) => new Ledger(place, world),
    (fault: unknown) => {
      throw fault instanceof StoreUnavailable ? fault : cannotOpen(file, fault);
    },
  );
}

function cannotOpen(file: string, cause: unknown): StoreUnavailable {
  const isDamaged = sqliteFault(cause) === 'corrupt';
  const remedy = isDamaged ? ' Put a backup of it back, or move it away: the sandbox then begins without a memory of its payments.' : '';
  return new StoreUnavailable(`The sandbox's ledger ${file} ${isDamaged ? 'is damaged' : 'cannot be opened'}.${remedy}`, { cause });
}

async function inFile({ file, world, report }: LedgerOptions): Promise<Place> {
  const database = await whileBusy(world, () => openDatabase({ file, synchronous: 'full', busyTimeoutMs: 0, cacheKiB: 4_096 }));
  try {
    await whileBusy(world, () => makeTables(database));
    return placeIn(database, { file, world, report });
  } catch (fault) {
    database.close();
    throw fault;
  }
}

function placeIn(database: Database, { file, world, report }: LedgerOptions): Place {
  const book = new SqlBookReader(database);
  const handler = besides('./ledger-handler', import.meta.url);
  const writer = new GroupCommit<LedgerRequest, LedgerReply>({ file, handler, isReply, world, report });
  return {
    /** A reader waits too, though rarely: while another process recovers the file, or closes it as the last one. */
    async read(work) {
      try {
        return await whileBusy(world, () => work(book));
      } catch (fault) {
        throw fault instanceof StoreUnavailable ? fault : new StoreUnavailable('the sandbox cannot read its file', { cause: fault });
      }
    },
    submit: (request) => writer.submit(request),
    async close() {
      await writer.close();
      database.close();
    },
  };
}

/** For one process on a simulated clock: no thread whose timing a seed could not decide. */
function inMemory(): Place {
  const book = new MemoryBook();
  let isClosed = false;
  const checkOpen = (): void => {
    if (isClosed) throw new StoreUnavailable('the sandbox is closed');
  };
  return {
    async read(work) {
      checkOpen();
      return work(book);
    },
    async submit(request) {
      checkOpen();
      return handled(book, request);
    },
    async close() {
      isClosed = true;
    },
  };
}
