// Damage of an embedded log that no chain shows: columns and indexes that derive from signed texts, and decide what
// readers find.
import { truncateWal } from './file/busy.ts';
import { openDatabase, prepareRows } from './file/database.ts';

/** What SQLite names at most; the caller wants to know whether there is any. */
const MOST = 20;

const CATEGORY = "substr(name, 1, instr(name, '-') - 1)";
const OTHER_CATEGORY = `
  SELECT 'the category of the stream ' || name || ' is recorded as ' || category FROM streams
  WHERE category <> ${CATEGORY}`;

const OPTIONS = { mustExist: true, synchronous: 'full', busyTimeoutMs: 5_000, cacheKiB: 8 * 1024 } as const;

/** Events that readers of the log find by position, and readers of their stream do not. */
const NOT_BY_INDEX = `
  SELECT 'the index events_by_stream misses ' || streams.name || '@' || events.revision
  FROM events NOT INDEXED JOIN streams ON streams.id = events.stream
  WHERE events.position > ?1 AND NOT EXISTS (
    SELECT 1 FROM events AS found WHERE found.stream = events.stream AND found.revision = events.revision)`;

/**
 * A sentence part for each damage, at most 20. `after`: only what was added after this position is looked at, without
 * SQLite's check of the whole file. Blocks its thread: for commands, never for a service. Throws what SQLite throws.
 */
export async function logDamage(file: string, after?: bigint): Promise<readonly string[]> {
  const database = await openDatabase({ file, ...OPTIONS });
  const textsOf = (sql: string, ...values: readonly number[]): string[] =>
    prepareRows<readonly [string]>(database, `${sql} LIMIT ${MOST}`)
      .all(...values)
      .map(([text]) => text);
  try {
    if (after !== undefined) {
      const ofThem = 'AND id IN (SELECT stream FROM events WHERE position > ?1)';
      return [...textsOf(`${OTHER_CATEGORY} ${ofThem}`, Number(after)), ...textsOf(NOT_BY_INDEX, Number(after))];
    }
    const checked = prepareRows<readonly [string]>(database, `PRAGMA integrity_check(${MOST})`).all();
    return [
      ...textsOf(OTHER_CATEGORY),
      ...checked.flatMap(([text]) => (text === 'ok' ? [] : [`SQLite says: ${text}`])),
    ];
  } finally {
    database.close();
  }
}

/** Writes the categories and the indexes of a log that nobody has open again, from its names and events. */
export async function mendLog(file: string): Promise<void> {
  const database = await openDatabase({ file, ...OPTIONS });
  try {
    database.exec(`UPDATE streams SET category = ${CATEGORY} WHERE category <> ${CATEGORY}; REINDEX`);
    truncateWal(database); // a moved file needs no write-ahead log
  } finally {
    database.close();
  }
}

/** The damage in a sentence, with what to do. */
export const damageInWords = (damage: readonly string[]): string =>
  `Readers of the log do not find all of it, because columns or indexes of the file were altered: ${damage.join('; ')}. Back up into a new directory and restore that: a restore writes them again.`;
