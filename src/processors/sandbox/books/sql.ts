// The sandbox's file: its tables, and every statement that is run on it.
import { EXPIRY_NUMBER } from '../notifications/announcement.ts';
import { TRIES_TO_WAIT_FOR } from './book.ts';

/** Run by every process that opens the file; changes nothing where the tables are. */
export const SCHEMA = `
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
CREATE TABLE IF NOT EXISTS notifications (
  notification_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  body TEXT NOT NULL,
  next_at INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  authorization_id TEXT,
  number INTEGER NOT NULL DEFAULT 0,
  held_until INTEGER,
  bad_attempts INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS notifications_due ON notifications (next_at, notification_id) WHERE next_at IS NOT NULL;
CREATE TABLE IF NOT EXISTS connections (
  account_id TEXT PRIMARY KEY,
  api_key TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS fault_plans (
  account_id TEXT PRIMARY KEY,
  plan TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS fault_counts (
  account_id TEXT NOT NULL,
  rule INTEGER NOT NULL,
  fitted INTEGER NOT NULL,
  struck INTEGER NOT NULL,
  PRIMARY KEY (account_id, rule)
) STRICT, WITHOUT ROWID;
`;

export const KEEP_CARD = 'INSERT OR IGNORE INTO cards (token, account_id, card) VALUES (?, ?, ?)';
export const CARD = 'SELECT card FROM cards WHERE token = ? AND account_id = ?';

export const RECORD = 'INSERT INTO operations (reference, account_id, authorization_id, number, entry) VALUES (?, ?, ?, ?, ?)';
export const ENTRY = 'SELECT entry FROM operations WHERE reference = ?';
export const ENTRIES = 'SELECT entry FROM operations WHERE authorization_id = ? ORDER BY number';
/** Values: a sequence, exclusive, and a limit. */
export const LEDGER = 'SELECT sequence, entry FROM operations WHERE sequence > ? ORDER BY sequence LIMIT ?';
/** Values: an account, a sequence, exclusive, and a limit. */
export const LEDGER_OF_ACCOUNT = 'SELECT sequence, entry FROM operations WHERE account_id = ? AND sequence > ? ORDER BY sequence LIMIT ?';

/** Columns that the first version of the table had not, each with its definition. */
export const LATER_COLUMNS: { readonly [name: string]: string } = {
  authorization_id: 'authorization_id TEXT',
  number: 'number INTEGER NOT NULL DEFAULT 0',
  held_until: 'held_until INTEGER',
  bad_attempts: 'bad_attempts INTEGER NOT NULL DEFAULT 0',
};
export const COLUMNS_OF_NOTIFICATIONS = "SELECT name FROM pragma_table_info('notifications')";
/** Run when all columns are there. */
export const LATER_INDEX = `CREATE INDEX IF NOT EXISTS notifications_of_authorization ON notifications (authorization_id, number)
  WHERE next_at IS NOT NULL`;

/** A notification waits while `next_at` is not null. Its `number` is the place of its operation among those of the authorization. */
export const ANNOUNCE = `INSERT INTO notifications (notification_id, account_id, body, next_at, authorization_id, number, held_until, bad_attempts)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
/** Those of earlier operations that are held back wait for this one, at most as long as they may. Values: due, authorization, number. */
export const HOLD_BACK = `UPDATE notifications SET next_at = min(held_until, max(next_at, ?))
  WHERE authorization_id = ? AND number < ? AND next_at IS NOT NULL AND held_until IS NOT NULL AND attempts = 0`;
export const WITHDRAW = 'DELETE FROM notifications WHERE notification_id = ?';
/** One of an account that has connected nothing is not waited for. */
export const WAITS = `SELECT 1 AS waits FROM notifications JOIN connections USING (account_id)
  WHERE notification_id = ? AND next_at IS NOT NULL`;

/** One that is held back goes when no later one is due or on its way; a later one that failed too often is not waited for. */
const IS_FREE = `(held_until IS NULL OR NOT EXISTS (SELECT 1 FROM notifications AS later
  WHERE later.authorization_id = notifications.authorization_id AND later.number > notifications.number
    AND later.next_at IS NOT NULL AND later.attempts <= ${TRIES_TO_WAIT_FOR} AND (later.attempts > 0 OR later.next_at <= ?1)))`;
/** Those of accounts that have connected nothing wait. Values: now, and a limit. */
export const DUE = `SELECT notification_id, body, attempts, bad_attempts, api_key FROM notifications JOIN connections USING (account_id)
  WHERE next_at <= ?1 AND ${IS_FREE} ORDER BY next_at, notification_id LIMIT ?2`;
export const TAKE = 'UPDATE notifications SET next_at = ?, attempts = attempts + 1 WHERE notification_id = ?';
/** One that was taken again meanwhile belongs to whoever did. Values: when next (null: delivered), id, attempt. */
export const FINISH = 'UPDATE notifications SET next_at = ? WHERE notification_id = ? AND attempts = ?';
/** Value: now. */
export const NEXT_AT = `SELECT next_at FROM notifications JOIN connections USING (account_id)
  WHERE next_at IS NOT NULL AND ${IS_FREE} ORDER BY next_at, notification_id LIMIT 1`;

export const CONNECT = 'INSERT INTO connections (account_id, api_key) VALUES (?, ?) ON CONFLICT DO UPDATE SET api_key = excluded.api_key';
export const CONNECTED = 'SELECT account_id FROM connections ORDER BY account_id';

export const FAULT_PLAN = 'SELECT plan FROM fault_plans WHERE account_id = ?';
export const KEEP_FAULT_PLAN = 'INSERT INTO fault_plans (account_id, plan) VALUES (?, ?) ON CONFLICT DO UPDATE SET plan = excluded.plan';
export const DROP_FAULT_PLAN = 'DELETE FROM fault_plans WHERE account_id = ?';
export const FAULT_COUNTS = 'SELECT rule, fitted, struck FROM fault_counts WHERE account_id = ?';
export const COUNT_FAULT = `INSERT INTO fault_counts (account_id, rule, fitted, struck) VALUES (?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET fitted = excluded.fitted, struck = excluded.struck`;
export const DROP_FAULT_COUNTS = 'DELETE FROM fault_counts WHERE account_id = ?';

/** What is to expire some day is not under way. Values: an account, or null for all of them, and now. */
export const UNDELIVERED = `SELECT count(*) AS count, min(next_at) AS next_at FROM notifications
  WHERE next_at IS NOT NULL AND (?1 IS NULL OR account_id = ?1) AND (number < ${EXPIRY_NUMBER} OR next_at <= ?2)`;
/** Value of each: an account, or null for all of them. */
export const RESET = ['operations', 'notifications', 'fault_plans', 'fault_counts'].map(
  (table) => `DELETE FROM ${table} WHERE ?1 IS NULL OR account_id = ?1`,
);
