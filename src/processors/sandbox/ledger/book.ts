// What the sandbox remembers, wherever it is kept: every read and every write of it, synchronous.
import type { Entry } from '../entry.ts';
import type { Announcement } from '../notifications/announcement.ts';
import type { FaultReport } from '../rules/fault-plan.ts';
import type { Undelivered } from '../sandbox-interface.ts';
import type { TakenNotification } from './ledger-request.ts';

export interface LedgerRow {
  /** Grows with each entry; the place of a page. */
  readonly sequence: number;
  readonly entry: Entry;
}

/** Writes belong to the request that is handled: where there are transactions, one is open. */
export interface Book {
  /** The row of the table of cards. */
  cardOf(token: string, accountId: string): string | undefined;
  /** Does nothing where the token is known. */
  keepCard(token: string, accountId: string, card: string): void;
  entryOf(reference: string): Entry | undefined;
  /** Those of an authorization, oldest first. */
  entriesOf(authorizationId: string): readonly Entry[];
  /** One account's, or everybody's, in the order in which they were recorded: up to `limit` of those after the sequence `after`. */
  page(accountId: string | undefined, after: number, limit: number): readonly LedgerRow[];
  record(entry: Entry): void;
  /** Adds what waits. Those of earlier operations of its authorization that are held back wait for it, as long as they may. */
  announce(entry: Entry, announcement: Announcement): void;
  withdraw(id: string): void;
  /** Due notifications: the taker's until `leaseUntil`. */
  take(now: number, leaseUntil: number, limit: number): readonly TakenNotification[];
  /** One that was taken again meanwhile belongs to its later taker. `nextAt`: null when it was delivered. */
  finish(id: string, attempt: number, nextAt: number | null): void;
  /** When the next notification may be sent, ms; undefined when none waits. Those of accounts without a key, and held back ones, wait longer. */
  nextAt(now: number): number | undefined;
  /** Whether a notification, by what it is kept under, was not accepted yet and can be sent. */
  waits(id: string): boolean;
  /** Of one account, or of all; an authorization that is to expire some day counts once it has. */
  undelivered(accountId: string | undefined, now: number): Undelivered;
  connect(accountId: string, apiKey: string): void;
  connectedAccounts(): readonly string[];
  /** The rules of an account, with their counts. */
  faultsOf(accountId: string): FaultReport;
  /** Forgets them where there are no rules. */
  keepFaults(accountId: string, faults: FaultReport): void;
  /** Everything but tokens and keys; without an account, everybody's. */
  reset(accountId: string | undefined): void;
}

/** How often a later notification is tried before the earlier ones that wait for it go. */
export const TRIES_TO_WAIT_FOR = 3;
