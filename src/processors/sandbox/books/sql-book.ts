// What the sandbox remembers, read and written in its SQLite file.
import type { Database } from '../../../stores/sqlite/file/database.ts';
import type { Entry } from '../entry.ts';
import type { Counts } from '../faults/fault-choice.ts';
import type { FaultPlan } from '../faults/fault-plan.ts';
import type { TakenNotification } from '../ledger-request.ts';
import type { Announcement } from '../notifications/announcement.ts';
import type { Book } from './book.ts';
import {
  ANNOUNCE,
  CARD,
  CONNECT,
  COUNT_FAULT,
  DROP_FAULT_COUNTS,
  DROP_FAULT_PLAN,
  DUE,
  ENTRIES,
  FINISH,
  HOLD_BACK,
  KEEP_CARD,
  KEEP_FAULT_PLAN,
  RECORD,
  RESET,
  TAKE,
  WITHDRAW,
} from './sql.ts';
import { type EntryRow, parsed, SqlBookReader } from './sql-book-reader.ts';

interface DueRow {
  readonly notification_id: string;
  readonly body: string;
  readonly attempts: number;
  readonly bad_attempts: number;
  readonly api_key: string;
}

const MAX_PLANS = 1_000;

/** On the connection of the thread that writes. */
export class SqlBook extends SqlBookReader implements Book {
  readonly #card;
  readonly #keepCard;
  readonly #entries;
  readonly #record;
  readonly #announce;
  readonly #holdBack;
  readonly #withdraw;
  readonly #due;
  readonly #take;
  readonly #finish;
  readonly #connect;
  readonly #keepPlan;
  readonly #dropPlan;
  readonly #count;
  readonly #dropCounts;
  readonly #reset;
  /** Of accounts that were asked about: most have none, and every operation asks. */
  readonly #plans = new Map<string, FaultPlan>();

  constructor(database: Database) {
    super(database);
    this.#card = database.prepare<{ readonly card: string }>(CARD);
    this.#keepCard = database.prepare(KEEP_CARD);
    this.#entries = database.prepare<EntryRow>(ENTRIES);
    this.#record = database.prepare(RECORD);
    this.#announce = database.prepare(ANNOUNCE);
    this.#holdBack = database.prepare(HOLD_BACK);
    this.#withdraw = database.prepare(WITHDRAW);
    this.#due = database.prepare<DueRow>(DUE);
    this.#take = database.prepare(TAKE);
    this.#finish = database.prepare(FINISH);
    this.#connect = database.prepare(CONNECT);
    this.#keepPlan = database.prepare(KEEP_FAULT_PLAN);
    this.#dropPlan = database.prepare(DROP_FAULT_PLAN);
    this.#count = database.prepare(COUNT_FAULT);
    this.#dropCounts = database.prepare(DROP_FAULT_COUNTS);
    this.#reset = RESET.map((statement) => database.prepare(statement));
  }

  cardOf(token: string, accountId: string): string | undefined {
    return this.#card.get(token, accountId)?.card;
  }

  keepCard(token: string, accountId: string, card: string): void {
    this.#keepCard.run(token, accountId, card);
  }

  entriesOf(authorizationId: string): readonly Entry[] {
    return this.#entries.all(authorizationId).map(parsed);
  }

  record(entry: Entry): void {
    this.#record.run(entry.reference, entry.accountId, entry.authorizationId, entry.number, JSON.stringify(entry));
  }

  announce(
    { accountId, authorizationId, number: ofEntry }: Entry,
    { id, body, dueAt, number, heldUntil, badAttempts }: Announcement,
  ): void {
    this.#announce.run(id, accountId, body, dueAt, authorizationId, number, heldUntil ?? null, badAttempts);
    if (number === ofEntry) this.#holdBack.run(dueAt, authorizationId, number);
  }

  withdraw(id: string): void {
    this.#withdraw.run(id);
  }

  take(now: number, leaseUntil: number, limit: number): readonly TakenNotification[] {
    return this.#due.all(now, limit).map(({ notification_id: notificationId, body, attempts, bad_attempts: bad, api_key: apiKey }) => {
      this.#take.run(leaseUntil, notificationId);
      return { notificationId, body, apiKey, attempt: attempts + 1, badlySigned: attempts < bad };
    });
  }

  finish(id: string, attempt: number, nextAt: number | null): void {
    this.#finish.run(nextAt, id, attempt);
  }

  connect(accountId: string, apiKey: string): void {
    this.#connect.run(accountId, apiKey);
  }

  override planOf(accountId: string): FaultPlan {
    const known = this.#plans.get(accountId);
    if (known !== undefined) return known;
    const plan = super.planOf(accountId);
    if (this.#plans.size >= MAX_PLANS) this.#plans.clear();
    this.#plans.set(accountId, plan);
    return plan;
  }

  keepPlan(accountId: string, plan: FaultPlan): void {
    this.#plans.clear();
    this.#dropCounts.run(accountId);
    if (plan.rules.length === 0) this.#dropPlan.run(accountId);
    else this.#keepPlan.run(accountId, JSON.stringify(plan));
  }

  count(accountId: string, place: number, { fitted, struck }: Counts): void {
    this.#count.run(accountId, place, fitted, struck);
  }

  reset(accountId: string | undefined): void {
    this.#plans.clear();
    for (const statement of this.#reset) statement.run(accountId ?? null);
  }

  forget(): void {
    this.#plans.clear();
  }
}
