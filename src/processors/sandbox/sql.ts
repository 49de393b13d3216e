// The sandbox's file: its tables, and every statement that is run on it.

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
  attempts INTEGER NOT NULL DEFAULT 0
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

/** A notification waits while `next_at` is not null. */
export const ANNOUNCE = 'INSERT INTO notifications (notification_id, account_id, body, next_at) VALUES (?, ?, ?, ?)';
/** Those of accounts that have connected nothing wait. */
export const DUE = `SELECT notification_id, body, attempts, api_key FROM notifications JOIN connections USING (account_id)
  WHERE next_at <= ? ORDER BY next_at, notification_id LIMIT ?`;
export const TAKE = 'UPDATE notifications SET next_at = ?, attempts = attempts + 1 WHERE notification_id = ?';
/** One that was taken again meanwhile belongs to whoever did. Values: when next (null: delivered), id, attempt. */
export const FINISH = 'UPDATE notifications SET next_at = ? WHERE notification_id = ? AND attempts = ?';
export const NEXT_AT = `SELECT next_at FROM notifications JOIN connections USING (account_id)
  WHERE next_at IS NOT NULL ORDER BY next_at, notification_id LIMIT 1`;

export const CONNECT = 'INSERT INTO connections (account_id, api_key) VALUES (?, ?) ON CONFLICT DO UPDATE SET api_key = excluded.api_key';
export const CONNECTED = 'SELECT account_id FROM connections ORDER BY account_id';

export const FAULT_PLAN = 'SELECT plan FROM fault_plans WHERE account_id = ?';
export const KEEP_FAULT_PLAN = 'INSERT INTO fault_plans (account_id, plan) VALUES (?, ?) ON CONFLICT DO UPDATE SET plan = excluded.plan';
export const DROP_FAULT_PLAN = 'DELETE FROM fault_plans WHERE account_id = ?';
export const FAULT_COUNTS = 'SELECT rule, fitted, struck FROM fault_counts WHERE account_id = ?';
export const DROP_FAULT_COUNTS = 'DELETE FROM fault_counts WHERE account_id = ?';

/** Values of both: an account, or null for all of them. */
export const UNDELIVERED = `SELECT count(*) AS count, min(next_at) AS next_at FROM notifications
  WHERE next_at IS NOT NULL AND (?1 IS NULL OR account_id = ?1)`;
export const RESET = ['operations', 'notifications', 'fault_plans', 'fault_counts'].map(
  (table) => `DELETE FROM ${table} WHERE ?1 IS NULL OR account_id = ?1`,
);
