// The sandbox's own durable file: reads here, writes in a thread that commits them in groups before anything is answered.
import { whileBusy } from '../../sqlite/busy.ts';
import { type Database, openDatabase } from '../../sqlite/database.ts';
import { GroupCommit } from '../../sqlite/group-commit.ts';
import { besides } from '../../sqlite/handler.ts';
import { StoreUnavailable } from '../../stores/store-unavailable.ts';
import type { World } from '../../world.ts';
import { Entry } from './entry.ts';
import { FaultPlan, type FaultReport, NO_FAULTS } from './faults/fault-plan.ts';
import { openHandler } from './ledger-handler.ts';
import type { LedgerReply, LedgerRequest } from './ledger-request.ts';
import { makeTables } from './ledger-tables.ts';
import type { Undelivered } from './sandbox-interface.ts';
import { CONNECTED, ENTRY, FAULT_COUNTS, FAULT_PLAN, LEDGER, LEDGER_OF_ACCOUNT, NEXT_AT, UNDELIVERED, WAITS } from './sql.ts';

interface Writer {
  submit(request: LedgerRequest): Promise<LedgerReply>;
  close(): Promise<void>;
}

export interface LedgerOptions {
  /** Path of the SQLite file; 'memory' keeps everything in this process, without a thread. */
  readonly file: string;
  readonly world: World;
  readonly report: (fault: unknown) => void;
}

export interface LedgerRow {
  readonly sequence: number;
  readonly entry: Entry;
}

const PAGE = 1_000;

export class Ledger {
  readonly #database: Database;
  readonly #writer: Writer;
  readonly #world: World;
  readonly #entry;
  readonly #page;
  readonly #pageOfAccount;
  readonly #nextAt;
  readonly #connected;
  readonly #faultPlan;
  readonly #faultCounts;
  readonly #undelivered;
  readonly #waits;

  constructor(database: Database, writer: Writer, world: World) {
    this.#database = database;
    this.#writer = writer;
    this.#world = world;
    this.#entry = database.prepare<{ readonly entry: string }>(ENTRY);
    this.#page = database.prepare<{ readonly sequence: number; readonly entry: string }>(LEDGER);
    this.#pageOfAccount = database.prepare<{ readonly sequence: number; readonly entry: string }>(LEDGER_OF_ACCOUNT);
    this.#nextAt = database.prepare<{ readonly next_at: number }>(NEXT_AT);
    this.#connected = database.prepare<{ readonly account_id: string }>(CONNECTED);
    this.#faultPlan = database.prepare<{ readonly plan: string }>(FAULT_PLAN);
    this.#faultCounts = database.prepare<{ readonly rule: number; readonly fitted: number; readonly struck: number }>(FAULT_COUNTS);
    this.#undelivered = database.prepare<{ readonly count: number; readonly next_at: number | null }>(UNDELIVERED);
    this.#waits = database.prepare(WAITS);
  }

  /** Durable on return. Throws what GroupCommit throws. */
  submit(request: LedgerRequest): Promise<LedgerReply> {
    return this.#writer.submit(request);
  }

  async entryOf(reference: string): Promise<Entry | undefined> {
    const row = await this.#patiently(() => this.#entry.get(reference));
    return row && parsed(row.entry);
  }

  /** Those of the references that are recorded. */
  async entriesOf(references: readonly string[]): Promise<readonly Entry[]> {
    const rows = await this.#patiently(() => references.map((reference) => this.#entry.get(reference)));
    return rows.flatMap((row) => (row === undefined ? [] : [parsed(row.entry)]));
  }

  /** All entries in the order in which they were recorded. */
  async *entries(): AsyncIterable<Entry> {
    for (let after = 0; ; ) {
      const rows = await this.page(undefined, after, PAGE);
      yield* rows.map(({ entry }) => entry);
      if (rows.length < PAGE) return;
      after = rows.at(-1)?.sequence ?? after;
    }
  }

  /** One account's, or everybody's, in the same order: up to `limit` of those behind the sequence `after`, each with its own sequence. */
  async page(accountId: string | undefined, after: number, limit: number): Promise<readonly LedgerRow[]> {
    const rows = await this.#patiently(() =>
      accountId === undefined ? this.#page.all(after, limit) : this.#pageOfAccount.all(accountId, after, limit),
    );
    return rows.map(({ sequence, entry }) => ({ sequence, entry: parsed(entry) }));
  }

  /** When the next notification is due, ms; undefined when none waits. Those that are held back are not counted. */
  async nextAt(now: number): Promise<number | undefined> {
    const row = await this.#patiently(() => this.#nextAt.get(now));
    return row?.next_at;
  }

  /** Whether a notification, by what it is kept under, was not accepted yet. */
  async waits(id: string): Promise<boolean> {
    return (await this.#patiently(() => this.#waits.get(id))) !== undefined;
  }

  async connectedAccounts(): Promise<readonly string[]> {
    const rows = await this.#patiently(() => this.#connected.all());
    return rows.map(({ account_id }) => account_id);
  }

  async faultsOf(accountId: string): Promise<FaultReport> {
    const [kept, rows] = await this.#patiently(() => [this.#faultPlan.get(accountId), this.#faultCounts.all(accountId)] as const);
    const { seed, rules } = kept === undefined ? NO_FAULTS : FaultPlan.parse(JSON.parse(kept.plan));
    const counts = rules.map((_, place) => {
      const { fitted = 0, struck = 0 } = rows.find(({ rule }) => rule === place) ?? {};
      return { fitted, struck };
    });
    return rules.length === 0 ? { seed } : { seed, rules, counts };
  }

  /** Whether a rule may strike look-ups of this account: counting them takes a write, which most need not pay. */
  async mayStrikeLookUps(accountId: string): Promise<boolean> {
    const kept = await this.#patiently(() => this.#faultPlan.get(accountId));
    return kept?.plan.includes('"look_up"') === true;
  }

  /** Of one account, or of all. */
  async undelivered(accountId: string | undefined): Promise<Undelivered> {
    const now = this.#world.now();
    const row = await this.#patiently(() => this.#undelivered.get(accountId ?? null, now));
    const { count = 0, next_at: nextAt = null } = row ?? {};
    return { count, ...(nextAt !== null && { nextAt }) };
  }

  async close(): Promise<void> {
    await this.#writer.close();
    this.#database.close();
  }

  /** A reader waits too, though rarely: while another process recovers the file, or closes it as the last one. */
  async #patiently<T>(read: () => T): Promise<T> {
    try {
      return await whileBusy(this.#world, read);
    } catch (fault) {
      throw fault instanceof StoreUnavailable ? fault : new StoreUnavailable('the sandbox cannot read its file', { cause: fault });
    }
  }
}

const parsed = (entry: string): Entry => Entry.parse(JSON.parse(entry));

// The handler is ours and typed where it answers; this marks the border between threads.
const isReply = (reply: unknown): reply is LedgerReply => typeof reply === 'object' && reply !== null && 'kind' in reply;

/** Throws what SQLite throws when the file cannot be opened, StoreUnavailable when another process keeps it locked. */
export async function openLedger({ file, world, report }: LedgerOptions): Promise<Ledger> {
  const database = await whileBusy(world, () =>
    openDatabase({ file: file === 'memory' ? ':memory:' : file, synchronous: 'full', busyTimeoutMs: 0, cacheKiB: 4_096 }),
  );
  try {
    await whileBusy(world, () => makeTables(database));
    return new Ledger(database, file === 'memory' ? writerIn(database) : writerBehind(file, world, report), world);
  } catch (fault) {
    database.close();
    throw fault;
  }
}

const writerBehind = (file: string, world: World, report: (fault: unknown) => void): Writer =>
  new GroupCommit<LedgerRequest, LedgerReply>({ file, handler: besides('./ledger-handler', import.meta.url), isReply, world, report });

/** For one process on a simulated clock: no thread whose timing a seed could not decide. */
function writerIn(database: Database): Writer {
  const handler = openHandler(database);
  return {
    async submit(request) {
      database.exec('BEGIN');
      try {
        const reply = handler.handle(request);
        database.exec('COMMIT');
        if (!isReply(reply)) throw new TypeError('not a reply of the ledger');
        return reply;
      } catch (fault) {
        handler.forget();
        if (database.isTransaction) database.exec('ROLLBACK');
        throw fault;
      }
    },
    async close() {},
  };
}
