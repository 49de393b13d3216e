// What the sandbox remembers, wherever it is kept: every read and every write of it, synchronous.

import type { Entry } from '../entry.ts';
import type { Counts } from '../faults/fault-choice.ts';
import type { FaultPlan } from '../faults/fault-plan.ts';
import type { TakenNotification } from '../ledger-request.ts';
import type { Announcement } from '../notifications/announcement.ts';
import type { Undelivered } from '../sandbox-interface.ts';

export interface LedgerRow {
  /** Grows with each entry; the place of a page. */
  readonly sequence: number;
  readonly entry: Entry;
}

export interface BookReader {
  entryOf(reference: string): Entry | undefined;
  /** One account's, or everybody's, in the order in which they were recorded: up to `limit` of those behind the sequence `after`. */
  page(accountId: string | undefined, after: number, limit: number): readonly LedgerRow[];
  /** When the next notification may be sent, ms; undefined when none waits. Those of accounts without a key, and held back ones, wait longer. */
  nextAt(now: number): number | undefined;
  /** Whether a notification, by what it is kept under, was not accepted yet and can be sent. */
  waits(id: string): boolean;
  undelivered(accountId: string | undefined, now: number): Undelivered;
  connectedAccounts(): readonly string[];
  planOf(accountId: string): FaultPlan;
  /** By the place of the rule; none of one that fitted nothing. */
  countsOf(accountId: string): ReadonlyMap<number, Counts>;
}

/** Writes belong to the request that is handled: where there are transactions, one is open. */
export interface Book extends BookReader {
  /** The row of the table of cards. */
  cardOf(token: string, accountId: string): string | undefined;
  /** Does nothing where the token is known. */
  keepCard(token: string, accountId: string, card: string): void;
  /** Those of an authorization, oldest first. */
  entriesOf(authorizationId: string): readonly Entry[];
  record(entry: Entry): void;
  /** Adds what waits. Those of earlier operations of its authorization that are held back wait for it, as long as they may. */
  announce(entry: Entry, announcement: Announcement): void;
  withdraw(id: string): void;
  /** What is due: its taker's until `leaseUntil`. */
  take(now: number, leaseUntil: number, limit: number): readonly TakenNotification[];
  /** One that was taken again meanwhile belongs to whoever did. `nextAt`: null when it was delivered. */
  finish(id: string, attempt: number, nextAt: number | null): void;
  connect(accountId: string, apiKey: string): void;
  /** Counting begins anew. */
  keepPlan(accountId: string, plan: FaultPlan): void;
  count(accountId: string, place: number, counts: Counts): void;
  /** Everything but tokens and keys; without an account, everybody's. */
  reset(accountId: string | undefined): void;
  /** What is remembered besides may be wrong now: another process wrote, or nothing was written after all. */
  forget(): void;
}

/** How often a later notification is tried before those that are held back for it go. */
export const TRIES_TO_WAIT_FOR = 3;
