// The tables of the sandbox's ledger, made in an empty file or out of those of an earlier version, and every statement
// that is run on them.

import { z } from 'zod';
import { Check } from '../../../domain/payment/outcome.ts';
import { type Database, prepareRows } from '../../../stores/sqlite/file/database.ts';
import { StoreUnavailable } from '../../../stores/store-unavailable.ts';
import { DISPUTE_NUMBER, DisputeEntry } from '../disputes.ts';
import { Entry } from '../entry.ts';
import { FaultReport, NO_FAULTS } from '../fault-plan.ts';
import { type Announcement, EXPIRY_NUMBER } from '../notifications.ts';
import type { Undelivered } from '../sandbox-interface.ts';

const VERSION = 2;

// New rows are at the end of every index of operations: payments' ids and references begin with the time, and a rowid
// is part of each key.
const SCHEMA = `
CREATE TABLE cards (
  token TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  card TEXT NOT NULL,
  cvc_result TEXT
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS authenticated_cards (
  token TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
CREATE TABLE operations (
  sequence INTEGER PRIMARY KEY,
  reference TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL,
  payment_id TEXT NOT NULL,
  authorization_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  entry TEXT NOT NULL
) STRICT;
CREATE INDEX operations_by_account ON operations (account_id);
CREATE INDEX operations_by_payment ON operations (payment_id);
CREATE TABLE IF NOT EXISTS announcements (
  notification_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  body TEXT NOT NULL,
  next_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  authorization_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  held_until INTEGER,
  bad_attempts INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS announcements_due ON announcements (next_at, notification_id);
CREATE INDEX IF NOT EXISTS announcements_of_authorization ON announcements (authorization_id, number);
CREATE TABLE IF NOT EXISTS challenges (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  reference TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS connections (
  account_id TEXT PRIMARY KEY,
  api_key TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS faults (
  account_id TEXT PRIMARY KEY,
  report TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`;

/**
 * Of version 0, whose files have some of these tables: the checks of cards apart, and an index of random keys on
 * operations.
 */
const BEFORE = `
CREATE TABLE IF NOT EXISTS cards (token TEXT PRIMARY KEY, account_id TEXT NOT NULL, card TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS card_checks (token TEXT PRIMARY KEY, cvc_result TEXT NOT NULL) STRICT, WITHOUT ROWID;
ALTER TABLE cards RENAME TO cards_before;
ALTER TABLE operations RENAME TO operations_before;
`;
const AFTER = `
INSERT INTO cards SELECT token, account_id, card, cvc_result FROM cards_before LEFT JOIN card_checks USING (token);
INSERT INTO operations SELECT sequence, reference, account_id, json_extract(entry, '$.paymentId'), authorization_id, number, entry
  FROM operations_before ORDER BY sequence;
DROP TABLE cards_before;
DROP TABLE card_checks;
DROP TABLE operations_before;
`;
/** Version 1 has other names for the counts of fault rules. */
const RENAMED = `
UPDATE faults SET report = replace(replace(report, '"fitted":', '"matched":'), '"struck":', '"applied":');
PRAGMA user_version = ${VERSION};
`;

/** Throws StoreUnavailable for a file of a newer version; SQLite's busy when another process writes right now. */
export function prepareLedgerSchema(database: Database): void {
  if (versionOf(database) === VERSION) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    const version = versionOf(database);
    if (version === 0) {
      const [isOld] =
        prepareRows<readonly [number]>(database, "SELECT 1 FROM sqlite_schema WHERE name = 'operations'").get() ?? [];
      database.exec(isOld === undefined ? SCHEMA : `${BEFORE}${SCHEMA}${AFTER}`);
    }
    if (version < VERSION) database.exec(RENAMED);
    database.exec('COMMIT');
  } catch (fault) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw fault;
  }
}

function versionOf(database: Database): number {
  const [version = 0] = prepareRows<readonly [number]>(database, 'PRAGMA user_version').get() ?? [];
  if (version <= VERSION) return version;
  throw new StoreUnavailable(
    `The sandbox's ledger has schema version ${version}; this version of counterfoil reads up to ${VERSION}. Upgrade it.`,
  );
}

/** How often a later notification is tried before the earlier ones that wait for it go. */
const TRIES_TO_WAIT_FOR = 3;

/** A held-back notification goes when no later one is due or on its way; it waits for none that failed too often. */
const IS_FREE = `(held_until IS NULL OR NOT EXISTS (SELECT 1 FROM announcements AS later
  WHERE later.authorization_id = announcements.authorization_id AND later.number > announcements.number
    AND later.attempts <= ${TRIES_TO_WAIT_FOR} AND (later.attempts > 0 OR later.next_at <= ?1)))`;
/** Notifications of an account without a key wait. */
const SENDABLE = `FROM announcements JOIN connections USING (account_id) WHERE ${IS_FREE}`;
const IN_ORDER = 'ORDER BY next_at, notification_id LIMIT';

const AnyEntry = z.discriminatedUnion('operation', [Entry, DisputeEntry]);
/** A row of the ledger. */
export type LedgerEntry = Entry | DisputeEntry;

/** The members of an entry that have columns of their own. */
type InColumns = Pick<LedgerEntry, 'reference' | 'accountId' | 'paymentId' | 'authorizationId' | 'number'>;
interface EntryRow extends InColumns {
  /** Grows with each entry; the place of a page. */
  readonly sequence: number;
  /** The other members; in a row of an earlier version all of them. */
  readonly entry: string;
}
const COLUMNS =
  'sequence, reference, account_id AS accountId, payment_id AS paymentId, authorization_id AS authorizationId, number, entry';
/** The transaction of an authorization is the authorization. JSON leaves out what is undefined. */
const textOf = (made: LedgerEntry): string =>
  JSON.stringify({
    ...made,
    reference: undefined,
    accountId: undefined,
    paymentId: undefined,
    authorizationId: undefined,
    number: undefined,
    transactionId: made.transactionId === made.authorizationId ? undefined : made.transactionId,
  });
const wholeOf = ({ sequence: _, entry, ...columns }: EntryRow): object => ({
  transactionId: columns.authorizationId,
  ...JSON.parse(entry),
  ...columns,
});
const entryIn = (row: EntryRow): Entry => Entry.parse(wholeOf(row));
const disputeIn = (row: EntryRow): DisputeEntry => DisputeEntry.parse(wholeOf(row));

export interface TakenNotification {
  readonly notificationId: string;
  readonly body: string;
  readonly apiKey: string;
  /** From 1. */
  readonly attempt: number;
  /** It is sent badly signed, and again whatever is answered. */
  readonly badlySigned: boolean;
}

/** The knowledge about a token. */
export interface KeptCard {
  readonly accountId: string;
  /** The row of the table of cards. */
  readonly card: string;
  /** The check of the security code that came with the card; undefined if an early version kept it. */
  readonly cvcResult: Check | undefined;
}

export type LedgerTables = ReturnType<typeof ledgerTables>;

/**
 * Every read and every write, synchronous. Writes belong to the request that is handled, in whose transaction they are.
 */
export function ledgerTables(database: Database) {
  const card = database.prepare<{
    readonly accountId: string;
    readonly card: string;
    readonly cvcResult: string | null;
  }>('SELECT account_id AS accountId, card, cvc_result AS cvcResult FROM cards WHERE token = ?');
  const keepCard = database.prepare(
    'INSERT OR IGNORE INTO cards (token, account_id, card, cvc_result) VALUES (?, ?, ?, ?)',
  );
  const authenticated = database.prepare('SELECT 1 FROM authenticated_cards WHERE token = ?');
  const keepAuthenticated = database.prepare('INSERT OR IGNORE INTO authenticated_cards VALUES (?)');
  const entries = (rest: string) => database.prepare<EntryRow>(`SELECT ${COLUMNS} FROM operations WHERE ${rest}`);
  const entry = entries(`reference = ? AND number < ${DISPUTE_NUMBER}`);
  const dispute = entries(`reference = ? AND number >= ${DISPUTE_NUMBER}`);
  const chain = entries(`payment_id = ? AND authorization_id = ? AND number < ${DISPUTE_NUMBER} ORDER BY number`);
  const authorizations = entries('payment_id = ? AND number = 0 ORDER BY sequence');
  const page = entries('sequence > ? ORDER BY sequence LIMIT ?');
  const pageOfAccount = entries('account_id = ? AND sequence > ? ORDER BY sequence LIMIT ?');
  const record =
    database.prepare(`INSERT INTO operations (reference, account_id, payment_id, authorization_id, number, entry)
    VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (reference) DO NOTHING`);
  const change = database.prepare('UPDATE operations SET entry = ? WHERE reference = ?');
  const challenge = database.prepare<{ readonly reference: string }>('SELECT reference FROM challenges WHERE id = ?');
  const keepChallenge = database.prepare('INSERT INTO challenges VALUES (?, ?, ?)');
  const announce = database.prepare('INSERT INTO announcements VALUES (?, ?, ?, ?, 0, ?, ?, ?, ?)');
  const holdBack = database.prepare(`UPDATE announcements SET next_at = min(held_until, max(next_at, ?))
    WHERE authorization_id = ? AND number < ? AND held_until IS NOT NULL AND attempts = 0`);
  const withdraw = database.prepare('DELETE FROM announcements WHERE notification_id = ?');
  const due = database.prepare<Omit<TakenNotification, 'badlySigned'> & { readonly bad: number }>(
    `SELECT notification_id AS notificationId, body, api_key AS apiKey, attempts + 1 AS attempt, attempts < bad_attempts AS bad
      ${SENDABLE} AND next_at <= ?1 ${IN_ORDER} ?2`,
  );
  const take = database.prepare(
    'UPDATE announcements SET next_at = ?, attempts = attempts + 1 WHERE notification_id = ?',
  );
  const postpone = database.prepare('UPDATE announcements SET next_at = ? WHERE notification_id = ? AND attempts = ?');
  const delivered = database.prepare('DELETE FROM announcements WHERE notification_id = ? AND attempts = ?');
  const nextAt = database.prepare<{ readonly next_at: number }>(`SELECT next_at ${SENDABLE} ${IN_ORDER} 1`);
  const waits = database.prepare(
    'SELECT 1 FROM announcements JOIN connections USING (account_id) WHERE notification_id = ?',
  );
  const undelivered = database.prepare<{ readonly count: number; readonly next_at: number | null }>(
    `SELECT count(*) AS count, min(next_at) AS next_at FROM announcements
      WHERE (?1 IS NULL OR account_id = ?1) AND (number < ${EXPIRY_NUMBER} OR next_at <= ?2)`,
  );
  const connect = database.prepare('INSERT OR REPLACE INTO connections VALUES (?, ?)');
  const connected = database.prepare<{ readonly account_id: string }>(
    'SELECT account_id FROM connections ORDER BY account_id',
  );
  const faults = database.prepare<{ readonly report: string }>('SELECT report FROM faults WHERE account_id = ?');
  const keepFaults = database.prepare('INSERT OR REPLACE INTO faults VALUES (?, ?)');
  const emptied = ['operations', 'announcements', 'challenges', 'faults'].map((table) =>
    database.prepare(`DELETE FROM ${table} WHERE ?1 IS NULL OR account_id = ?1`),
  );
  return {
    /** Undefined for a token that nobody was given. */
    cardOf(token: string): KeptCard | undefined {
      const row = card.get(token);
      return row && { accountId: row.accountId, card: row.card, cvcResult: Check.safeParse(row.cvcResult).data };
    },
    /** True if the token is new; else nothing was done. */
    keepCard: (token: string, { accountId, card: row, cvcResult }: KeptCard): boolean =>
      keepCard.run(token, accountId, row, cvcResult ?? null).changes === 1,
    /** True if a payment with the card was approved after its customer was authenticated. */
    isAuthenticated: (token: string): boolean => authenticated.get(token) !== undefined,
    keepAuthenticated(token: string): void {
      keepAuthenticated.run(token);
    },
    entryOf: (reference: string): Entry | undefined => entry.all(reference).map(entryIn)[0],
    /** The authorizations of a payment, the refused ones too, oldest first. */
    authorizationsOf: (paymentId: string): readonly Entry[] => authorizations.all(paymentId).map(entryIn),
    /** The operations of a payment on an authorization, oldest first. */
    entriesOf: (paymentId: string, authorizationId: string): readonly Entry[] =>
      chain.all(paymentId, authorizationId).map(entryIn),
    /**
     * The operations of one account, or of all, in the order of their record: up to `limit` after the sequence `after`.
     */
    page(
      accountId: string | undefined,
      after: number,
      limit: number,
    ): readonly { readonly sequence: number; readonly entry: LedgerEntry }[] {
      const rows = accountId === undefined ? page.all(after, limit) : pageOfAccount.all(accountId, after, limit);
      return rows.map((row) => ({ sequence: row.sequence, entry: AnyEntry.parse(wholeOf(row)) }));
    },
    disputeOf: (id: string): DisputeEntry | undefined => dispute.all(id).map(disputeIn)[0],
    /** True if its reference is new; else nothing was done. */
    record(made: LedgerEntry): boolean {
      const { reference, accountId, paymentId, authorizationId, number } = made;
      const isNew = record.run(reference, accountId, paymentId, authorizationId, number, textOf(made)).changes === 1;
      if (isNew && 'challenge' in made && made.challenge !== undefined)
        keepChallenge.run(made.challenge.id, accountId, reference);
      return isNew;
    },
    /** Changes an operation of which more is known, or a dispute with its response. */
    change: (known: LedgerEntry): void => void change.run(textOf(known), known.reference),
    /** The operation that waits, or waited, for the customer on the page with this id. */
    challengedBy(id: string): Entry | undefined {
      const found = challenge.get(id);
      return found && entry.all(found.reference).map(entryIn)[0];
    },
    /**
     * Adds a notification. Held-back ones of earlier operations of its authorization wait for it, as long as they may.
     */
    announce(
      { accountId, authorizationId, number: ofEntry }: LedgerEntry,
      { id, body, dueAt, number, heldUntil, badAttempts }: Announcement,
    ): void {
      announce.run(id, accountId, body, dueAt, authorizationId, number, heldUntil ?? null, badAttempts);
      if (number === ofEntry) holdBack.run(dueAt, authorizationId, number);
    },
    withdraw: (id: string): void => void withdraw.run(id),
    /** Due notifications: the taker's until `leaseUntil`. */
    take: (now: number, leaseUntil: number, limit: number): readonly TakenNotification[] =>
      due.all(now, limit).map(({ bad, ...taken }) => {
        take.run(leaseUntil, taken.notificationId);
        return { ...taken, badlySigned: bad === 1 };
      }),
    /**
     * A notification that was taken again meanwhile belongs to its later taker. `next`: when it is due again;
     * undefined once delivered.
     */
    finish: (id: string, attempt: number, next: number | undefined): void =>
      void (next === undefined ? delivered.run(id, attempt) : postpone.run(next, id, attempt)),
    /** When the next notification may be sent, ms; undefined if none may. */
    nextAt: (now: number): number | undefined => nextAt.get(now)?.next_at,
    /** True if the notification with this key was not accepted yet and can be sent. */
    waits: (id: string): boolean => waits.get(id) !== undefined,
    /**
     * The undelivered notifications of one account, or of all; an authorization that will expire counts once it has.
     */
    undelivered(accountId: string | undefined, now: number): Undelivered {
      const { count = 0, next_at: next = null } = undelivered.get(accountId ?? null, now) ?? {};
      return { count, ...(next !== null && { nextAt: next }) };
    },
    connect: (accountId: string, apiKey: string): void => void connect.run(accountId, apiKey),
    connectedAccounts: (): readonly string[] => connected.all().map(({ account_id }) => account_id),
    /** The rules of an account, with their counts. */
    faultsOf(accountId: string): FaultReport {
      const row = faults.get(accountId);
      return row === undefined ? NO_FAULTS : FaultReport.parse(JSON.parse(row.report));
    },
    keepFaults: (accountId: string, report: FaultReport): void =>
      void keepFaults.run(accountId, JSON.stringify(report)),
    /** Everything but tokens and keys; without an account, everybody's. */
    reset(accountId: string | undefined): void {
      for (const statement of emptied) statement.run(accountId ?? null);
    },
  };
}
