// What the sandbox remembers, in its SQLite file: the tables, and every statement that is run on them.
import type { Database } from '../../../stores/sqlite/file/database.ts';
import { Entry } from '../entry.ts';
import { EXPIRY_NUMBER } from '../notifications/announcement.ts';
import { FaultReport, NO_FAULTS } from '../rules/fault-plan.ts';
import { type Book, TRIES_TO_WAIT_FOR } from './book.ts';

/** Run by every process that opens the file; changes nothing where the tables are. */
export const TABLES = `
CREATE TABLE IF NOT EXISTS cards (
  token TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  card TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS operations (
  sequence INTEGER PRIMARY KEY,
  reference TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL,
  authorization_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  entry TEXT NOT NULL,
  UNIQUE (authorization_id, number)
) STRICT;
CREATE INDEX IF NOT EXISTS operations_of_account ON operations (account_id, sequence);
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
CREATE TABLE IF NOT EXISTS connections (
  account_id TEXT PRIMARY KEY,
  api_key TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS faults (
  account_id TEXT PRIMARY KEY,
  report TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`;

/** One that is held back goes when no later one is due or on its way; a later one that failed too often is not waited for. */
const IS_FREE = `(held_until IS NULL OR NOT EXISTS (SELECT 1 FROM announcements AS later
  WHERE later.authorization_id = announcements.authorization_id AND later.number > announcements.number
    AND later.attempts <= ${TRIES_TO_WAIT_FOR} AND (later.attempts > 0 OR later.next_at <= ?1)))`;
/** Those of accounts that have connected nothing wait. */
const SENDABLE = `FROM announcements JOIN connections USING (account_id) WHERE ${IS_FREE}`;
const IN_ORDER = 'ORDER BY next_at, notification_id LIMIT';

interface EntryRow {
  readonly sequence: number;
  readonly entry: string;
}
interface DueRow {
  readonly notification_id: string;
  readonly body: string;
  readonly attempts: number;
  readonly bad_attempts: number;
  readonly api_key: string;
}

const parsed = ({ entry }: EntryRow): Entry => Entry.parse(JSON.parse(entry));

/** The tables are there. */
export function sqlBook(database: Database): Book {
  const card = database.prepare<{ readonly card: string }>('SELECT card FROM cards WHERE token = ? AND account_id = ?');
  const keepCard = database.prepare('INSERT OR IGNORE INTO cards VALUES (?, ?, ?)');
  const entry = database.prepare<EntryRow>('SELECT sequence, entry FROM operations WHERE reference = ?');
  const chain = database.prepare<EntryRow>('SELECT sequence, entry FROM operations WHERE authorization_id = ? ORDER BY number');
  const page = database.prepare<EntryRow>('SELECT sequence, entry FROM operations WHERE sequence > ? ORDER BY sequence LIMIT ?');
  const pageOfAccount = database.prepare<EntryRow>(
    'SELECT sequence, entry FROM operations WHERE account_id = ? AND sequence > ? ORDER BY sequence LIMIT ?',
  );
  const record = database.prepare('INSERT INTO operations (reference, account_id, authorization_id, number, entry) VALUES (?, ?, ?, ?, ?)');
  const announce = database.prepare('INSERT INTO announcements VALUES (?, ?, ?, ?, 0, ?, ?, ?, ?)');
  const holdBack = database.prepare(`UPDATE announcements SET next_at = min(held_until, max(next_at, ?))
    WHERE authorization_id = ? AND number < ? AND held_until IS NOT NULL AND attempts = 0`);
  const withdraw = database.prepare('DELETE FROM announcements WHERE notification_id = ?');
  const due = database.prepare<DueRow>(
    `SELECT notification_id, body, attempts, bad_attempts, api_key ${SENDABLE} AND next_at <= ?1 ${IN_ORDER} ?2`,
  );
  const take = database.prepare('UPDATE announcements SET next_at = ?, attempts = attempts + 1 WHERE notification_id = ?');
  const postpone = database.prepare('UPDATE announcements SET next_at = ? WHERE notification_id = ? AND attempts = ?');
  const delivered = database.prepare('DELETE FROM announcements WHERE notification_id = ? AND attempts = ?');
  const nextAt = database.prepare<{ readonly next_at: number }>(`SELECT next_at ${SENDABLE} ${IN_ORDER} 1`);
  const waits = database.prepare('SELECT 1 FROM announcements JOIN connections USING (account_id) WHERE notification_id = ?');
  const undelivered = database.prepare<{ readonly count: number; readonly next_at: number | null }>(
    `SELECT count(*) AS count, min(next_at) AS next_at FROM announcements
      WHERE (?1 IS NULL OR account_id = ?1) AND (number < ${EXPIRY_NUMBER} OR next_at <= ?2)`,
  );
  const connect = database.prepare('INSERT OR REPLACE INTO connections VALUES (?, ?)');
  const connected = database.prepare<{ readonly account_id: string }>('SELECT account_id FROM connections ORDER BY account_id');
  const faults = database.prepare<{ readonly report: string }>('SELECT report FROM faults WHERE account_id = ?');
  const keepFaults = database.prepare('INSERT OR REPLACE INTO faults VALUES (?, ?)');
  const dropFaults = database.prepare('DELETE FROM faults WHERE account_id = ?');
  const emptied = ['operations', 'announcements', 'faults'].map((table) =>
    database.prepare(`DELETE FROM ${table} WHERE ?1 IS NULL OR account_id = ?1`),
  );
  return {
    cardOf: (token, accountId) => card.get(token, accountId)?.card,
    keepCard: (token, accountId, row) => void keepCard.run(token, accountId, row),
    entryOf(reference) {
      const row = entry.get(reference);
      return row && parsed(row);
    },
    entriesOf: (authorizationId) => chain.all(authorizationId).map(parsed),
    page(accountId, after, limit) {
      const rows = accountId === undefined ? page.all(after, limit) : pageOfAccount.all(accountId, after, limit);
      return rows.map((row) => ({ sequence: row.sequence, entry: parsed(row) }));
    },
    record: (made) => void record.run(made.reference, made.accountId, made.authorizationId, made.number, JSON.stringify(made)),
    announce({ accountId, authorizationId, number: ofEntry }, { id, body, dueAt, number, heldUntil, badAttempts }) {
      announce.run(id, accountId, body, dueAt, authorizationId, number, heldUntil ?? null, badAttempts);
      if (number === ofEntry) holdBack.run(dueAt, authorizationId, number);
    },
    withdraw: (id) => void withdraw.run(id),
    take: (now, leaseUntil, limit) =>
      due.all(now, limit).map(({ notification_id: notificationId, body, attempts, bad_attempts: bad, api_key: apiKey }) => {
        take.run(leaseUntil, notificationId);
        return { notificationId, body, apiKey, attempt: attempts + 1, badlySigned: attempts < bad };
      }),
    finish: (id, attempt, next) => void (next === null ? delivered.run(id, attempt) : postpone.run(next, id, attempt)),
    nextAt: (now) => nextAt.get(now)?.next_at,
    waits: (id) => waits.get(id) !== undefined,
    undelivered(accountId, now) {
      const { count = 0, next_at: next = null } = undelivered.get(accountId ?? null, now) ?? {};
      return { count, ...(next !== null && { nextAt: next }) };
    },
    connect: (accountId, apiKey) => void connect.run(accountId, apiKey),
    connectedAccounts: () => connected.all().map(({ account_id }) => account_id),
    faultsOf(accountId) {
      const row = faults.get(accountId);
      return row === undefined ? NO_FAULTS : FaultReport.parse(JSON.parse(row.report));
    },
    keepFaults(accountId, report) {
      if (report.rules === undefined) dropFaults.run(accountId);
      else keepFaults.run(accountId, JSON.stringify(report));
    },
    reset(accountId) {
      for (const statement of emptied) statement.run(accountId ?? null);
    },
  };
}
