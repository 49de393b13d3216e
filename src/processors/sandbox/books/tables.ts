// The tables of the sandbox's file: made where they are missing, and brought up to date where an earlier version made them.
import type { Database } from '../../../stores/sqlite/file/database.ts';
import { COLUMNS_OF_NOTIFICATIONS, LATER_COLUMNS, LATER_INDEX, SCHEMA } from './sql.ts';

/** Throws SQLite's busy while another process does the same. Takes the write lock only where something is missing. */
export function makeTables(database: Database): void {
  database.exec(SCHEMA);
  if (missingIn(database).length > 0) addColumns(database);
  database.exec(LATER_INDEX);
}

function missingIn(database: Database): readonly string[] {
  const names = new Set(
    database
      .prepare<{ readonly name: string }>(COLUMNS_OF_NOTIFICATIONS)
      .all()
      .map(({ name }) => name),
  );
  return Object.entries(LATER_COLUMNS).flatMap(([name, definition]) => (names.has(name) ? [] : [definition]));
}

function addColumns(database: Database): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    for (const definition of missingIn(database)) database.exec(`ALTER TABLE notifications ADD COLUMN ${definition}`);
    database.exec('COMMIT');
  } catch (fault) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw fault;
  }
}
