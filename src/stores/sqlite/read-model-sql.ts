// The SQL of one collection in a read-model file: its table, its guarded writes, and its queries along declared
// indexes.
import { indexFor, isList, type KeyRange } from '../query-index.ts';
import type { Collection, Key, PlaceQuery, Query } from '../read-models.ts';

/** Values for SQLite: booleans are kept as 0 and 1, a missing key as NULL. */
export type Cell = string | number | null;
export const cell = (key: Key | undefined): Cell =>
  key === undefined ? null : typeof key === 'boolean' ? Number(key) : key;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const column = (key: string): string => quoted(`key_${key}`);

/** A changed version of a collection that has no generations is another table: it starts empty. */
export const tableName = <Doc extends object, K extends string>({
  name,
  version,
  generation,
}: Collection<Doc, K>): string => (generation === undefined ? `${name}@${version}` : name);
const indexName = (table: string, index: readonly string[]): string => `${table}:${index.join(',')}`;

export const keyNames = <Doc extends object, K extends string>(of: Collection<Doc, K>): readonly K[] => {
  const names: K[] = [];
  for (const name in of.keys) names.push(name);
  return names;
};

/**
 * A rowid table: with 4 KiB pages its updates write a quarter of what WITHOUT ROWID writes, because documents fill a
 * page. The document comes last, so that reading keys (the making of an index) need not pass it.
 */
export const createTable = <Doc extends object, K extends string>(of: Collection<Doc, K>): string => {
  const columns = keyNames(of).map((name) => `${column(name)}, `);
  return `CREATE TABLE IF NOT EXISTS ${quoted(tableName(of))} (
    id TEXT NOT NULL PRIMARY KEY, revision INTEGER NOT NULL, ${columns.join('')}doc TEXT NOT NULL)`;
};

/**
 * Each index ends in the id, which breaks ties; documents without the last key are not in it, so that rare due dates
 * cost the others nothing. (Files of earlier versions have whole indexes under the same names, which serve as well.)
 */
export const createIndexes = <Doc extends object, K extends string>(of: Collection<Doc, K>): readonly string[] =>
  of.indexes.map((index) => {
    const table = tableName(of);
    const columns = [...index.map(column), 'id'].join(', ');
    const last = index.at(-1);
    const only = last === undefined ? '' : ` WHERE ${column(last)} IS NOT NULL`;
    return `CREATE INDEX IF NOT EXISTS ${quoted(indexName(table, index))} ON ${quoted(table)} (${columns})${only}`;
  });

interface Sentences {
  readonly get: string;
  /** revision, doc, id; the document is left out where it is this one still. */
  readonly getUnless: string;
  readonly count: string;
  readonly texts: string;
  /** id, revision. */
  readonly remove: string;
  /**
   * For a document whose keys at its stored revision are known: `changed`, places in the order of keyNames, are the
   * changed keys. SQLite writes an index again for each column that is set, even to the same value. Parameters: their
   * cells, doc, revision, id, the stored revision.
   */
  readonly update: (changed: readonly number[]) => string;
  /** id, revision, keys in order of keyNames, doc. */
  readonly upsert: string;
  /** The statement with doc as the bytes of its text. */
  readonly upsertBytes: string;
}

export const sentences = <Doc extends object, K extends string>(of: Collection<Doc, K>): Sentences => {
  const table = quoted(tableName(of));
  const keys = keyNames(of).map(column);
  const all = ['id', 'revision', ...keys, 'doc'];
  const set = all.slice(1).map((name) => `${name} = excluded.${name}`);
  const upsert = (
    values: readonly string[],
  ): string => `INSERT INTO ${table} (${all.join(', ')}) VALUES (${values.join(', ')})
      ON CONFLICT (id) DO UPDATE SET ${set.join(', ')} WHERE excluded.revision > revision`;
  return {
    get: `SELECT id, revision, doc FROM ${table} WHERE id = ?`,
    getUnless: `SELECT id, revision, CASE WHEN revision = ? AND doc = ? THEN NULL ELSE doc END AS doc FROM ${table} WHERE id = ?`,
    count: `SELECT count(*) AS documents FROM ${table}`,
    texts: `SELECT id, revision, doc FROM ${table} WHERE id > ? ORDER BY id LIMIT ?`,
    remove: `DELETE FROM ${table} WHERE id = ? AND revision = ?`,
    update(changed) {
      const columns = changed.map((place) => `${keys[place]} = ?, `);
      return `UPDATE ${table} SET ${columns.join('')}doc = ?, revision = ? WHERE id = ? AND revision = ?`;
    },
    upsert: upsert(all.map(() => '?')),
    upsertBytes: upsert(all.map((name) => (name === 'doc' ? 'CAST(? AS TEXT)' : '?'))),
  };
};

export interface BoundSql {
  readonly sql: string;
  readonly parameters: readonly Cell[];
}

/** The statement of a query; it names its index. */
export const findStatement = <Doc extends object, K extends string>(
  of: Collection<Doc, K>,
  query: Query<K>,
): BoundSql => selected(of, query, 'id, revision, doc', 'LIMIT ?', query.limit);

/** Answers `key` and `id` of a query's row number `nth`. */
export const placeStatement = <Doc extends object, K extends string>(
  of: Collection<Doc, K>,
  query: PlaceQuery<K>,
  nth: number,
): BoundSql => selected(of, query, 'id', 'LIMIT 1 OFFSET ?', nth - 1);

type Selection<K extends string> = Omit<Query<K>, 'limit'>;

/**
 * SQLite merges pieces of an index that are selected one by one; the rows of `IN` it would read and sort, all of them.
 */
function selected<Doc extends object, K extends string>(
  of: Collection<Doc, K>,
  query: Selection<K>,
  columns: string,
  limit: string,
  count: number,
): BoundSql {
  const { order } = query;
  const index = indexFor(of, query);
  const direction = order?.descending === true ? 'DESC' : 'ASC';
  const listed = order === undefined ? columns : `${columns}, ${column(order.by)} AS key`;
  const pieces = piecesOf(index ?? [], query.where).map((where) => pieceOf(of, { ...query, where }, index, listed));
  return {
    sql: `${pieces.map(({ sql }) => sql).join(' UNION ALL ')} ORDER BY ${order === undefined ? '' : `key ${direction}, `}id ${direction} ${limit}`,
    parameters: [...pieces.flatMap(({ parameters }) => parameters), count],
  };
}

type Where<K extends string> = Query<K>['where'];

/** The conditions with one value for each key of the index. */
function piecesOf<K extends string>(index: readonly K[], where: Where<K>): readonly Where<K>[] {
  let pieces: readonly Where<K>[] = [where];
  for (const name of index) {
    const condition = where[name];
    if (condition === undefined || !isList(condition) || condition.length < 2) continue;
    const values = [...new Set(condition.map(cell))].flatMap((value) => (value === null ? [] : [value]));
    pieces = pieces.flatMap((piece) => values.map((value): Where<K> => ({ ...piece, [name]: [value] })));
  }
  return pieces;
}

function pieceOf<Doc extends object, K extends string>(
  of: Collection<Doc, K>,
  query: Selection<K>,
  index: readonly K[] | undefined,
  columns: string,
): BoundSql {
  const { order, after, upTo } = query;
  const parameters: Cell[] = [];
  const conditions: string[] = [];
  const bind = (sql: string, ...cells: readonly Cell[]): void => {
    conditions.push(sql);
    parameters.push(...cells);
  };
  for (const name in query.where) {
    const condition = query.where[name];
    if (condition === undefined) continue;
    if (isList(condition)) bind(among(column(name), condition.length), ...condition.map(cell));
    else bindRange(bind, name, bounded(condition, name, query));
  }
  const [past, until] = order?.descending === true ? ['<', '>='] : ['>', '<='];
  if (order === undefined) {
    if (after !== undefined) bind(`id ${past} ?`, after.id);
  } else {
    // the index holds these rows only: SQLite does not see it in a comparison of rows
    bind(`${column(order.by)} IS NOT NULL`);
    if (after !== undefined) bind(`(${column(order.by)}, id) ${past} (?, ?)`, cell(after.key), after.id);
    if (upTo !== undefined) bind(`(${column(order.by)}, id) ${until} (?, ?)`, cell(upTo.key), upTo.id);
  }
  const table = tableName(of);
  const along = index === undefined ? '' : ` INDEXED BY ${quoted(indexName(table, index))}`;
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  return { sql: `SELECT ${columns} FROM ${quoted(table)}${along}${where}`, parameters };
}

// No value at all matches nothing; `IN ()` and `0` would be accepted by SQLite, but by no index.
const among = (name: string, count: number): string =>
  count === 1
    ? `${name} = ?`
    : count === 0
      ? `${name} = NULL`
      : `${name} IN (${Array.from({ length: count }, () => '?').join(', ')})`;

function bindRange(bind: (sql: string, ...cells: readonly Cell[]) => void, name: string, { from, to }: KeyRange): void {
  if (from !== undefined) bind(`${column(name)} >= ?`, cell(from));
  if (to !== undefined) bind(`${column(name)} <= ?`, cell(to));
  if (from === undefined && to === undefined) bind(`${column(name)} IS NOT NULL`);
}

/**
 * A cursor inside the range is the tighter bound of its side; SQLite uses one bound a side, and must not pick the loose
 * one.
 */
function bounded<K extends string>(range: KeyRange, name: K, { order, after }: Selection<K>): KeyRange {
  if (order?.by !== name || after === undefined) return range;
  const { from, to } = range;
  if (order.descending)
    return to !== undefined && isAtMost(after.key, to) ? { ...(from !== undefined && { from }) } : range;
  return from !== undefined && isAtMost(from, after.key) ? { ...(to !== undefined && { to }) } : range;
}

const isAtMost = (a: Key, b: Key): boolean => typeof a === typeof b && a <= b;
