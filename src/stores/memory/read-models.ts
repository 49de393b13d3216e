// Read models in memory, for unit tests and the simulator: the behaviour of the real ones, without their durability.
import { byBytes } from '../byte-order.ts';
import { unpacked } from '../packed-rows.ts';
import {
  type Builder,
  type BuiltRow,
  type Collection,
  type Key,
  NoSuchGeneration,
  type Query,
  type ReadModelStore,
  type Stored,
  type StoredText,
} from '../read-models.ts';
import { docOf } from '../typed-doc.ts';
import { MemoryRow } from './row.ts';
import { compareKeys, MemoryTable } from './table.ts';

/** Opens an empty store; nothing in it outlives the process. */
export function memoryReadModels(): ReadModelStore {
  const tables = new Map<string, MemoryTable>();
  const tableOf = <Doc extends object, K extends string>(of: Collection<Doc, K>): MemoryTable => {
    const found = tables.get(nameOf(of));
    if (found !== undefined) return found;
    if (of.generation !== undefined) throw new NoSuchGeneration(of.name, of.generation);
    const made = new MemoryTable();
    tables.set(nameOf(of), made);
    return made;
  };
  return {
    get: async (of, ids) => pick(of, tableOf(of), ids),
    peek: (of, id) => pick(of, tableOf(of), [id])[0],
    find: async (of, query) => select(of, tableOf(of), query),
    place: async (of, query, nth) => {
      const row = select(of, tableOf(of), { ...query, limit: nth })[nth - 1];
      const key = row && of.keys[query.order.by](row.doc);
      return row === undefined || key === undefined ? undefined : { key, id: row.id };
    },
    write: async (of, rows) => put(of, tableOf(of), rows),
    remove: async (of, rows) => {
      const table = tableOf(of);
      const there = rows.filter(({ id, revision }) => table.get(id)?.revision === revision);
      for (const { id } of there) table.delete(id);
      return there.length;
    },
    count: async (of) => tableOf(of).size,
    build: async (of) => {
      tables.delete(nameOf(of));
      return builder(of, (table) => tables.set(nameOf(of), table));
    },
    generations: async (name) =>
      [...tables.keys()]
        .filter((key) => key.startsWith(`${name}.`))
        .map((key) => Number(key.slice(name.length + 1)))
        .sort((a, b) => a - b),
    drop: async (name, generation) => void tables.delete(`${name}.${generation}`),
    texts: async (of, after, limit) =>
      [...tableOf(of).values()]
        .filter(({ id }) => byBytes(id, after) > 0)
        .sort((a, b) => byBytes(a.id, b.id))
        .slice(0, limit)
        .map(textOf),
    sync: async () => undefined,
    close: async () => undefined,
  };
}

/** A changed version of a collection that has no generations starts empty. */
const nameOf = <Doc extends object, K extends string>({ name, version, generation }: Collection<Doc, K>): string =>
  generation === undefined ? `${name}@${version}` : `${name}.${generation}`;

function builder<Doc extends object, K extends string>(
  of: Collection<Doc, K>,
  publish: (table: MemoryTable) => void,
): Builder {
  const table = new MemoryTable();
  const names = Object.keys(of.keys);
  const write = ({ id, revision, text, keys }: BuiltRow): void => {
    if (revision <= (table.get(id)?.revision ?? -1)) return;
    const present = names.flatMap((name, place): [string, Key][] => {
      const key = keys[place];
      return key === undefined ? [] : [[name, key]];
    });
    table.set(new MemoryRow(id, revision, text, new Map(present)));
  };
  return {
    get: async (ids) => [...new Set(ids)].flatMap((id) => table.get(id) ?? []).map(textOf),
    write: async (rows) => unpacked(rows).forEach(write),
    finish: async () => publish(table),
    abort: async () => undefined,
  };
}

const textOf = ({ id, revision, text }: MemoryRow): StoredText => ({ id, revision, text });

function put<Doc extends object, K extends string>(
  of: Collection<Doc, K>,
  table: MemoryTable,
  rows: readonly Stored<Doc>[],
): readonly string[] {
  const written = rows.filter(({ id, revision, doc }) => {
    if (revision <= (table.get(id)?.revision ?? -1)) return false;
    table.set(new MemoryRow(id, revision, doc, keysOf(of, doc)));
    return true;
  });
  return written.map(({ id }) => id);
}

function keysOf<Doc extends object, K extends string>(of: Collection<Doc, K>, doc: Doc): ReadonlyMap<string, Key> {
  const keys = new Map<string, Key>();
  for (const name in of.keys) {
    const key = of.keys[name](doc);
    if (key !== undefined) keys.set(name, key);
  }
  return keys;
}

function pick<Doc extends object, K extends string>(
  of: Collection<Doc, K>,
  table: MemoryTable,
  ids: readonly string[],
): readonly Stored<Doc>[] {
  return [...new Set(ids)].flatMap((id) => {
    const row = table.get(id);
    return row === undefined ? [] : [storedIn(of, row)];
  });
}

function select<Doc extends object, K extends string>(
  of: Collection<Doc, K>,
  table: MemoryTable,
  query: Query<K>,
): readonly Stored<Doc>[] {
  const { where, order, after, upTo, limit } = query;
  const wanted = (row: MemoryRow): boolean => meets(row, where);
  if (order !== undefined) {
    const condition = where[order.by];
    const range = condition === undefined || isList(condition) ? {} : condition;
    const rows = table.ordered(order.by).find({ ...range, after, upTo, limit, descending: order.descending }, wanted);
    return rows.map((row) => storedIn(of, row));
  }
  const found: MemoryRow[] = [];
  // A loop that builds nothing for the rows it passes over: policies ask each second for the few due rows among
  // thousands.
  for (const row of table.candidates(where))
    if (wanted(row) && (after === undefined || byBytes(row.id, after.id) > 0)) found.push(row);
  return found
    .sort((a, b) => byBytes(a.id, b.id))
    .slice(0, limit)
    .map((row) => storedIn(of, row));
}

function meets<K extends string>({ keys }: MemoryRow, where: Query<K>['where']): boolean {
  for (const name in where) if (!matches(keys.get(name), where[name])) return false;
  return true;
}

function matches(key: Key | undefined, condition: Query<string>['where'][string]): boolean {
  if (condition === undefined) return true;
  if (key === undefined) return false;
  if (isList(condition)) return condition.some((wanted) => compareKeys(key, wanted) === 0);
  const { from, to } = condition;
  return (from === undefined || compareKeys(key, from) >= 0) && (to === undefined || compareKeys(key, to) <= 0);
}

// Array.isArray does not narrow a readonly array out of a union.
const isList = (condition: NonNullable<Query<string>['where'][string]>): condition is readonly Key[] =>
  Array.isArray(condition);

/** The document is read when it is looked at: who follows the log wants to know revisions, and nothing else of most. */
function storedIn<Doc extends object, K extends string>(of: Collection<Doc, K>, row: MemoryRow): Stored<Doc> {
  return {
    id: row.id,
    revision: row.revision,
    get doc() {
      return docOf(of, row.doc);
    },
  };
}
