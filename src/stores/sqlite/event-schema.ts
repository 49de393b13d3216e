// The tables of an embedded event log, and the refusal of files that this version cannot read.
import { AppError } from '../../app-error.ts';
import { type Database, prepareRows } from './file/database.ts';

/**
 * A file of version 1, whose index has the streams' whole names, stays as it is: `STREAM_NAMED` finds a stream along
 * either index.
 */
export const VERSION = 2;
/** Marks the file as an event log of ours ("CFev"), so that no other database counts as an empty one. */
const APPLICATION_ID = 0x43466576;

/**
 * The part of a name in the index: random digits, which distinguish streams as well as the whole name would with three
 * times the bytes. Ids end in such digits; queues of webhooks about one payment end alike, and differ where the
 * endpoint's id ends, at the 48th character.
 */
export const digitsIn = (name: string): string => `substr(${name}, 41, 8) || substr(${name}, -10)`;

/**
 * A condition on streams: parameter 1 is the name. Names are unique because the writer looks for one, in its
 * transaction, before it adds it.
 */
export const STREAM_NAMED = `${digitsIn('name')} = ${digitsIn('?1')} AND name = ?1`;

// Positions and stream ids count up without gaps: both are given out inside the write transaction, and no row is ever
// deleted.
const SCHEMA = `
  CREATE TABLE streams (id INTEGER PRIMARY KEY, name TEXT NOT NULL, category TEXT NOT NULL) STRICT;
  CREATE INDEX streams_by_digits ON streams (${digitsIn('name')});
  CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    stream INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    metadata TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX events_by_stream ON events (stream, revision);
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${VERSION};
`;

/**
 * Makes the tables in an empty file. Throws AppError `StoreTooNew` for a log of a newer schema and `NotAnEventStore`
 * for another database; SQLite's busy when another process writes right now.
 */
export function prepareEventSchema(database: Database, file: string): void {
  if (isReady(database, file)) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    if (!isReady(database, file)) database.exec(SCHEMA);
    database.exec('COMMIT');
  } catch (fault) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw fault;
  }
}

function isReady(database: Database, file: string): boolean {
  const number = (sql: string): number => prepareRows<readonly [number]>(database, sql).get()?.[0] ?? 0;
  const version = number('PRAGMA user_version');
  const applicationId = number('PRAGMA application_id');
  const tables = number('SELECT count(*) FROM sqlite_schema');
  if (applicationId === 0 && version === 0 && tables === 0) return false;
  if (applicationId !== APPLICATION_ID)
    throw new AppError('NotAnEventStore', `${file} is a SQLite database, but not an event store.`);
  if (version > VERSION) {
    throw new AppError(
      'StoreTooNew',
      `${file} has schema version ${version}; this version of counterfoil reads up to ${VERSION}. Upgrade it.`,
    );
  }
  return true;
}
