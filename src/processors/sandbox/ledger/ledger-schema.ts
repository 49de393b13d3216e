// The tables of the sandbox's ledger, made in an empty file, or out of those of an earlier version.
import { type Database, prepareRows } from '../../../stores/sqlite/file/database.ts';
import { StoreUnavailable } from '../../../stores/store-unavailable.ts';

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
