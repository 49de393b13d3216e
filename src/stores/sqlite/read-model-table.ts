// One collection in one read-model file: prepared statements, and documents kept parsed.
import { LRUCache } from 'lru-cache';
import type { Collection, Place, RowAt, Stored, StoredText } from '../read-models.ts';
import { docOf } from '../typed-doc.ts';
import { type Database, prepareRows, type Statement } from './file/database.ts';
import type { BoundSql } from './read-model-sql.ts';
import { type Cell, cell, createIndexes, createTable, keyNames, sentences, tableName } from './read-model-sql.ts';

export type Row = Stored<object>;

/** A row on its way to the file: serialised once, its keys extracted. */
export interface RowChange extends Row {
  readonly text: string;
  readonly cells: readonly Cell[];
}

/** The removal of a row that still has this revision. */
export interface RowRemoval extends RowAt {
  readonly isRemoval: true;
}

interface Entry {
  readonly row: Row;
  readonly text: string;
  /** Unknown for a row that was read: made when it is wanted. */
  cells: readonly Cell[] | undefined;
  /** The table's age when the file was last seen to hold this text. */
  seenAt: number;
}

interface Found {
  readonly id: string;
  readonly revision: number;
  readonly doc: string;
  /** The key of the order, if there is one. */
  readonly key?: string | number;
}

/** `doc` null: the file still holds the document that was compared. */
interface FoundUnless extends Omit<Found, 'doc'> {
  readonly doc: string | null;
}

/**
 * Characters of JSON whose documents are kept parsed; with its text a parsed document takes some four times as many
 * bytes.
 */
const KEPT_CHARACTERS = 8 * 1024 * 1024;
/**
 * The weight of a document besides its text: a bound on their number would make room for all of them with each table
 * that is opened.
 */
const COSTS_BESIDES = 320;
const KEPT_QUERIES = 100;
const KEPT_UPDATES = 100;

export class Table {
  readonly #database: Database;
  readonly #cellsOf: (doc: object) => readonly Cell[];
  readonly #get: Statement<Found>;
  readonly #getUnless: Statement<FoundUnless>;
  readonly #count: Statement<{ readonly documents: number }>;
  readonly #texts: Statement<readonly [id: string, revision: number, doc: string]>;
  readonly #updateOf: Shape['sentences']['update'];
  /** By the places of the keys that they change. */
  readonly #updates = new LRUCache<string, Statement<never>>({ max: KEPT_UPDATES });
  readonly #upsert: Statement<never>;
  readonly #remove: Statement<never>;
  readonly #queries = new LRUCache<string, Statement<Found>>({ max: KEPT_QUERIES });
  readonly #kept = new LRUCache<string, Entry, number>({ maxSize: KEPT_CHARACTERS });
  /** How often another writer committed. */
  #age = 0;

  constructor(database: Database, of: Shape) {
    const { get, getUnless, count, texts, update, upsert, remove } = of.sentences;
    this.#database = database;
    this.#cellsOf = of.cellsOf;
    this.#get = database.prepare(get);
    this.#getUnless = database.prepare(getUnless);
    this.#count = database.prepare(count);
    this.#texts = prepareRows(database, texts);
    this.#updateOf = update;
    this.#upsert = database.prepare(upsert);
    this.#remove = database.prepare(remove);
  }

  /**
   * Another writer committed: a kept document is valid only if the file still has its text. Comparing takes half as
   * long as parsing again.
   */
  forget(): void {
    this.#age += 1;
  }

  /** A document that is kept parsed and still holds: parses nothing. */
  kept(id: string): Row | undefined {
    const kept = this.#kept.get(id);
    if (kept === undefined || kept.seenAt === this.#age) return kept?.row;
    return this.#getUnless.get(kept.row.revision, kept.text, id)?.doc === null ? this.#seen(kept) : undefined;
  }

  get(id: string): Row | undefined {
    const kept = this.#kept.get(id);
    if (kept?.seenAt === this.#age) return kept.row;
    if (kept === undefined) {
      const found = this.#get.get(id);
      return found === undefined ? undefined : this.#keep(textIn(found));
    }
    const found = this.#getUnless.get(kept.row.revision, kept.text, id);
    if (found === undefined) return undefined;
    const { revision, doc: text } = found;
    return text === null ? this.#seen(kept) : this.#keep({ id, revision, text });
  }

  find({ sql, parameters }: BoundSql): readonly Row[] {
    return this.#query(sql)
      .all(...parameters)
      .map((found) => this.#keep(textIn(found)));
  }

  place({ sql, parameters }: BoundSql): Place | undefined {
    const [found] = this.#query(sql).all(...parameters);
    return found?.key === undefined ? undefined : { key: found.key, id: found.id };
  }

  count(): number {
    return this.#count.get()?.documents ?? 0;
  }

  texts(after: string, limit: number): readonly StoredText[] {
    return this.#texts.all(after, limit).map(([id, revision, text]) => ({ id, revision, text }));
  }

  /** SQLite's own account of how it would answer a query. */
  explain({ sql, parameters }: BoundSql): readonly string[] {
    const steps = this.#database.prepare<{ readonly detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters);
    return steps.map(({ detail }) => detail);
  }

  /** Inside a transaction. True if the row was newer than the file's. */
  write(change: RowChange): boolean {
    const { id, revision, text, cells } = change;
    const kept = this.#kept.peek(id);
    if (kept !== undefined && this.#updateChanged(kept, change)) return true;
    return this.#upsert.run(id, revision, ...cells, text).changes === 1;
  }

  /** Inside a transaction. True if the row was there, at this revision. */
  remove({ id, revision }: RowAt): boolean {
    return this.#remove.run(id, revision).changes === 1;
  }

  /** After the commit: a removed row is no longer kept. */
  drop(id: string): void {
    this.#kept.delete(id);
  }

  /** After the commit: the written rows are the content of the file. */
  keep({ id, revision, doc, text, cells }: RowChange): void {
    const kept = this.#kept.peek(id);
    if (kept !== undefined && kept.seenAt === this.#age && kept.row.revision >= revision) return;
    this.#kept.set(
      id,
      { row: { id, revision, doc }, text, cells, seenAt: this.#age },
      { size: text.length + COSTS_BESIDES },
    );
  }

  /**
   * Unchanged keys leave their indexes alone. The keys that are compared are those of the kept revision, so the row is
   * written only while the file holds that very revision: this transaction may have changed it since. A miss only
   * means: look properly.
   */
  #updateChanged(kept: Entry, { id, revision, text, cells }: RowChange): boolean {
    if (kept.row.revision >= revision) return false;
    const before = this.#cellsIn(kept);
    const changed: number[] = [];
    const values: Cell[] = [];
    for (const [place, cell] of cells.entries()) {
      if (cell === before[place]) continue;
      changed.push(place);
      values.push(cell);
    }
    return this.#update(changed).run(...values, text, revision, id, kept.row.revision).changes === 1;
  }

  #update(changed: readonly number[]): Statement<never> {
    const name = changed.join();
    const known = this.#updates.get(name);
    if (known !== undefined) return known;
    const made = this.#database.prepare<never>(this.#updateOf(changed));
    this.#updates.set(name, made);
    return made;
  }

  #cellsIn(kept: Entry): readonly Cell[] {
    kept.cells ??= this.#cellsOf(kept.row.doc);
    return kept.cells;
  }

  #keep({ id, revision, text }: StoredText): Row {
    const kept = this.#kept.get(id);
    if (kept !== undefined && kept.row.revision === revision && kept.text === text) return this.#seen(kept);
    const row = { id, revision, doc: parsed(id, text) };
    this.#kept.set(id, { row, text, cells: undefined, seenAt: this.#age }, { size: text.length + COSTS_BESIDES });
    return row;
  }

  #seen(kept: Entry): Row {
    kept.seenAt = this.#age;
    return kept.row;
  }

  #query(sql: string): Statement<Found> {
    const known = this.#queries.get(sql);
    if (known !== undefined) return known;
    const made = this.#database.prepare<Found>(sql);
    this.#queries.set(sql, made);
    return made;
  }
}

/** A file's knowledge of a collection, without its document's type. */
export interface Shape {
  /** The name of the table. */
  readonly table: string;
  readonly create: readonly string[];
  readonly sentences: ReturnType<typeof sentences>;
  readonly cellsOf: (doc: object) => readonly Cell[];
}

export function shapeOf<Doc extends object, K extends string>(of: Collection<Doc, K>): Shape {
  const names = keyNames(of);
  return {
    table: tableName(of),
    create: [createTable(of), ...createIndexes(of)],
    sentences: sentences(of),
    cellsOf: (doc) => {
      const typed = docOf(of, doc);
      return names.map((name) => cell(of.keys[name](typed)));
    },
  };
}

/** The content of the file is not what was written there. */
export class DamagedDocument extends Error {
  constructor(id: string, cause?: unknown) {
    super(`the document ${id} cannot be read`, { cause });
    this.name = 'DamagedDocument';
  }
}

/** The file is another one than was written there, for example an empty one. */
export class MissingTable extends Error {
  constructor(name: string) {
    super(`it has no table ${name}`);
    this.name = 'MissingTable';
  }
}

function parsed(id: string, text: string): object {
  let doc: unknown;
  try {
    doc = JSON.parse(text);
  } catch (cause) {
    throw new DamagedDocument(id, cause);
  }
  if (typeof doc !== 'object' || doc === null) throw new DamagedDocument(id);
  return doc;
}

const textIn = ({ id, revision, doc }: Found): StoredText => ({ id, revision, text: doc });
