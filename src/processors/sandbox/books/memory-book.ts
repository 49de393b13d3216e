// What the sandbox remembers, in this process alone: for a simulated clock, where nothing is to be kept and speed counts.

import type { Entry } from '../entry.ts';
import type { Counts } from '../faults/fault-choice.ts';
import { type FaultPlan, NO_FAULTS } from '../faults/fault-plan.ts';
import type { TakenNotification } from '../ledger-request.ts';
import type { Announcement } from '../notifications/announcement.ts';
import { EXPIRY_NUMBER } from '../notifications/announcement.ts';
import type { Undelivered } from '../sandbox-interface.ts';
import { type Book, type LedgerRow, TRIES_TO_WAIT_FOR } from './book.ts';

/** What was not accepted yet. */
interface Waiting extends Announcement {
  readonly accountId: string;
  readonly authorizationId: string;
  nextAt: number;
  attempts: number;
}

const ZERO: ReadonlyMap<number, Counts> = new Map();
const inOrder = (a: Waiting, b: Waiting): number => a.nextAt - b.nextAt || (a.id < b.id ? -1 : 1);

/** The place of the first row behind a sequence. */
function behind(rows: readonly LedgerRow[], sequence: number): number {
  let [from, to] = [0, rows.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((rows[middle]?.sequence ?? 0) > sequence) to = middle;
    else from = middle + 1;
  }
  return from;
}

export class MemoryBook implements Book {
  readonly #cards = new Map<string, { readonly accountId: string; readonly card: string }>();
  readonly #entries = new Map<string, Entry>();
  readonly #byAuthorization = new Map<string, Entry[]>();
  #rows: LedgerRow[] = [];
  readonly #rowsOf = new Map<string, LedgerRow[]>();
  #sequence = 0;
  readonly #waiting = new Map<string, Waiting>();
  readonly #keys = new Map<string, string>();
  readonly #plans = new Map<string, FaultPlan>();
  readonly #counts = new Map<string, Map<number, Counts>>();

  cardOf(token: string, accountId: string): string | undefined {
    const kept = this.#cards.get(token);
    return kept?.accountId === accountId ? kept.card : undefined;
  }

  keepCard(token: string, accountId: string, card: string): void {
    if (!this.#cards.has(token)) this.#cards.set(token, { accountId, card });
  }

  entryOf(reference: string): Entry | undefined {
    return this.#entries.get(reference);
  }

  entriesOf(authorizationId: string): readonly Entry[] {
    return [...(this.#byAuthorization.get(authorizationId) ?? [])];
  }

  record(entry: Entry): void {
    const row = { sequence: ++this.#sequence, entry };
    this.#entries.set(entry.reference, entry);
    this.#rows.push(row);
    listIn(this.#byAuthorization, entry.authorizationId).push(entry);
    listIn(this.#rowsOf, entry.accountId).push(row);
  }

  page(accountId: string | undefined, after: number, limit: number): readonly LedgerRow[] {
    const rows = accountId === undefined ? this.#rows : (this.#rowsOf.get(accountId) ?? []);
    const from = behind(rows, after);
    return rows.slice(from, from + limit);
  }

  announce({ accountId, authorizationId, number }: Entry, announcement: Announcement): void {
    this.#waiting.set(announcement.id, { ...announcement, accountId, authorizationId, nextAt: announcement.dueAt, attempts: 0 });
    if (announcement.number !== number) return;
    for (const earlier of this.#waiting.values()) {
      if (earlier.heldUntil === undefined || earlier.authorizationId !== authorizationId) continue;
      if (earlier.number < number && earlier.attempts === 0)
        earlier.nextAt = Math.min(earlier.heldUntil, Math.max(earlier.nextAt, announcement.dueAt));
    }
  }

  withdraw(id: string): void {
    this.#waiting.delete(id);
  }

  take(now: number, leaseUntil: number, limit: number): readonly TakenNotification[] {
    const due = this.#sendable(now)
      .filter(({ nextAt }) => nextAt <= now)
      .sort(inOrder)
      .slice(0, limit);
    return due.map((one) => {
      one.nextAt = leaseUntil;
      one.attempts += 1;
      const { id: notificationId, body, attempts: attempt, badAttempts } = one;
      return { notificationId, body, apiKey: this.#keys.get(one.accountId) ?? '', attempt, badlySigned: attempt <= badAttempts };
    });
  }

  finish(id: string, attempt: number, nextAt: number | null): void {
    const one = this.#waiting.get(id);
    if (one?.attempts !== attempt) return;
    if (nextAt === null) this.#waiting.delete(id);
    else one.nextAt = nextAt;
  }

  nextAt(now: number): number | undefined {
    let first: number | undefined;
    for (const { nextAt } of this.#sendable(now)) if (first === undefined || nextAt < first) first = nextAt;
    return first;
  }

  waits(id: string): boolean {
    const one = this.#waiting.get(id);
    return one !== undefined && this.#keys.has(one.accountId);
  }

  undelivered(accountId: string | undefined, now: number): Undelivered {
    const open = [...this.#waiting.values()].filter(
      (one) => (accountId === undefined || one.accountId === accountId) && (one.number < EXPIRY_NUMBER || one.nextAt <= now),
    );
    if (open.length === 0) return { count: 0 };
    return { count: open.length, nextAt: open.reduce((first, { nextAt }) => Math.min(first, nextAt), Number.POSITIVE_INFINITY) };
  }

  connect(accountId: string, apiKey: string): void {
    this.#keys.set(accountId, apiKey);
  }

  connectedAccounts(): readonly string[] {
    return [...this.#keys.keys()].sort();
  }

  planOf(accountId: string): FaultPlan {
    return this.#plans.get(accountId) ?? NO_FAULTS;
  }

  keepPlan(accountId: string, plan: FaultPlan): void {
    this.#counts.delete(accountId);
    if (plan.rules.length === 0) this.#plans.delete(accountId);
    else this.#plans.set(accountId, plan);
  }

  countsOf(accountId: string): ReadonlyMap<number, Counts> {
    return this.#counts.get(accountId) ?? ZERO;
  }

  count(accountId: string, place: number, counts: Counts): void {
    const known = this.#counts.get(accountId) ?? new Map<number, Counts>();
    this.#counts.set(accountId, known.set(place, counts));
  }

  reset(accountId: string | undefined): void {
    const isGone = (of: { readonly accountId: string }): boolean => accountId === undefined || of.accountId === accountId;
    for (const { entry } of this.#rows) {
      if (!isGone(entry)) continue;
      this.#entries.delete(entry.reference);
      this.#byAuthorization.delete(entry.authorizationId);
      this.#rowsOf.delete(entry.accountId);
    }
    this.#rows = this.#rows.filter(({ entry }) => !isGone(entry));
    for (const [id, one] of this.#waiting) if (isGone(one)) this.#waiting.delete(id);
    for (const kept of [this.#plans, this.#counts]) for (const of of kept.keys()) if (isGone({ accountId: of })) kept.delete(of);
  }

  forget(): void {}

  /** Those whose account has a key and that wait for no later one. */
  #sendable(now: number): Waiting[] {
    const sendable: Waiting[] = [];
    for (const one of this.#waiting.values()) if (this.#keys.has(one.accountId) && !this.#isHeldBack(one, now)) sendable.push(one);
    return sendable;
  }

  /** While a later one is due or on its way; one that failed too often is not waited for. */
  #isHeldBack({ heldUntil, authorizationId, number }: Waiting, now: number): boolean {
    if (heldUntil === undefined) return false;
    for (const later of this.#waiting.values()) {
      if (later.authorizationId !== authorizationId || later.number <= number || later.attempts > TRIES_TO_WAIT_FOR) continue;
      if (later.attempts > 0 || later.nextAt <= now) return true;
    }
    return false;
  }
}

function listIn<Item>(lists: Map<string, Item[]>, name: string): Item[] {
  const known = lists.get(name);
  if (known !== undefined) return known;
  const made: Item[] = [];
  lists.set(name, made);
  return made;
}
