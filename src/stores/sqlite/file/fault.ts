// Tells the kinds of SQLite faults apart: only for some would waiting, or another disk, help.

type SqliteFault = 'busy' | 'constraint' | 'corrupt' | 'full' | 'io' | 'readonly' | 'cannot-open' | 'other';

/** Kinds by primary result code, https://sqlite.org/rescode.html */
const kinds: ReadonlyMap<number, SqliteFault> = new Map([
  [5, 'busy'],
  [6, 'busy'],
  [8, 'readonly'],
  [10, 'io'],
  [11, 'corrupt'],
  [13, 'full'],
  [14, 'cannot-open'],
  [19, 'constraint'],
  [26, 'corrupt'],
]);

/** Faults by SQLite's own words, sqlite3_errstr: a statement's `all` throws only those, without a code. */
const texts: ReadonlyMap<string, SqliteFault> = new Map([
  ['database is locked', 'busy'],
  ['database table is locked', 'busy'],
  ['attempt to write a readonly database', 'readonly'],
  ['disk I/O error', 'io'],
  ['database disk image is malformed', 'corrupt'],
  ['database or disk is full', 'full'],
  ['unable to open database file', 'cannot-open'],
  ['file is not a database', 'corrupt'],
]);

/** The kind of a fault; undefined if it did not come from SQLite. */
export function sqliteFault(fault: unknown): SqliteFault | undefined {
  if (!(fault instanceof Error)) return undefined;
  if (!('errcode' in fault) || typeof fault.errcode !== 'number') return texts.get(fault.message);
  return kinds.get(fault.errcode & 0xff) ?? 'other';
}

export const isBusy = (fault: unknown): boolean => sqliteFault(fault) === 'busy';
