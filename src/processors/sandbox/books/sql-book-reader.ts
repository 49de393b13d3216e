// What the sandbox remembers, read from its SQLite file.
import type { Database } from '../../../stores/sqlite/file/database.ts';
import { Entry } from '../entry.ts';
import type { Counts } from '../faults/fault-choice.ts';
import { FaultPlan, NO_FAULTS } from '../faults/fault-plan.ts';
import type { Undelivered } from '../sandbox-interface.ts';
import type { BookReader, LedgerRow } from './book.ts';
import { CONNECTED, ENTRY, FAULT_COUNTS, FAULT_PLAN, LEDGER, LEDGER_OF_ACCOUNT, NEXT_AT, UNDELIVERED, WAITS } from './sql.ts';

export interface EntryRow {
  readonly entry: string;
}
interface PageRow extends EntryRow {
  readonly sequence: number;
}

export const parsed = ({ entry }: EntryRow): Entry => Entry.parse(JSON.parse(entry));

/** On a connection that is only read from; the tables are there. */
export class SqlBookReader implements BookReader {
  readonly #entry;
  readonly #page;
  readonly #pageOfAccount;
  readonly #nextAt;
  readonly #waits;
  readonly #undelivered;
  readonly #connected;
  readonly #plan;
  readonly #counts;

  constructor(database: Database) {
    this.#entry = database.prepare<EntryRow>(ENTRY);
    this.#page = database.prepare<PageRow>(LEDGER);
    this.#pageOfAccount = database.prepare<PageRow>(LEDGER_OF_ACCOUNT);
    this.#nextAt = database.prepare<{ readonly next_at: number }>(NEXT_AT);
    this.#waits = database.prepare(WAITS);
    this.#undelivered = database.prepare<{ readonly count: number; readonly next_at: number | null }>(UNDELIVERED);
    this.#connected = database.prepare<{ readonly account_id: string }>(CONNECTED);
    this.#plan = database.prepare<{ readonly plan: string }>(FAULT_PLAN);
    this.#counts = database.prepare<{ readonly rule: number; readonly fitted: number; readonly struck: number }>(FAULT_COUNTS);
  }

  entryOf(reference: string): Entry | undefined {
    const row = this.#entry.get(reference);
    return row && parsed(row);
  }

  page(accountId: string | undefined, after: number, limit: number): readonly LedgerRow[] {
    const rows = accountId === undefined ? this.#page.all(after, limit) : this.#pageOfAccount.all(accountId, after, limit);
    return rows.map((row) => ({ sequence: row.sequence, entry: parsed(row) }));
  }

  nextAt(now: number): number | undefined {
    return this.#nextAt.get(now)?.next_at;
  }

  waits(id: string): boolean {
    return this.#waits.get(id) !== undefined;
  }

  undelivered(accountId: string | undefined, now: number): Undelivered {
    const { count = 0, next_at: nextAt = null } = this.#undelivered.get(accountId ?? null, now) ?? {};
    return { count, ...(nextAt !== null && { nextAt }) };
  }

  connectedAccounts(): readonly string[] {
    return this.#connected.all().map(({ account_id }) => account_id);
  }

  planOf(accountId: string): FaultPlan {
    const row = this.#plan.get(accountId);
    return row === undefined ? NO_FAULTS : FaultPlan.parse(JSON.parse(row.plan));
  }

  countsOf(accountId: string): ReadonlyMap<number, Counts> {
    return new Map(this.#counts.all(accountId).map(({ rule, fitted, struck }) => [rule, { fitted, struck }]));
  }
}
