// An index of a collection: its entries in order, and whether two documents may share a key.
import { compareValues } from './bson-order.ts';
import { ARRAY, compileFilter, type Filter, type Matches, pathReader } from './filter.ts';
import { SortedList } from './sorted-list.ts';

export interface IndexSpec {
  readonly name: string;
  /** In the order of significance; 1 ascending, -1 descending. */
  readonly key: Readonly<Record<string, number>>;
  readonly unique: boolean;
  readonly sparse: boolean;
  readonly partialFilterExpression?: Filter;
}

export interface Entry {
  /** A value for each field of the index, and the document's id, which breaks ties. */
  readonly key: readonly unknown[];
  readonly doc: Buffer;
}

export interface Field {
  readonly path: string;
  readonly descending: boolean;
}

export class Index {
  readonly spec: IndexSpec;
  /** With the id behind them, in the direction of the last. */
  readonly fields: readonly Field[];
  readonly #readers: readonly ((doc: Buffer) => unknown)[];
  readonly #covers: Matches | undefined;
  /** Made when it is first needed: many an index is never read. */
  #entries: SortedList<Entry> | undefined;
  #arrays = 0;
  readonly #all: () => Iterable<Buffer>;

  constructor(spec: IndexSpec, all: () => Iterable<Buffer>) {
    this.spec = spec;
    const fields = Object.entries(spec.key).map(([path, direction]) => ({ path, descending: direction < 0 }));
    const last = fields.at(-1);
    this.fields = last?.path === '_id' ? fields : [...fields, { path: '_id', descending: last?.descending ?? false }];
    this.#readers = this.fields.map((field) => pathReader(field.path));
    this.#covers = spec.partialFilterExpression === undefined ? undefined : compileFilter(spec.partialFilterExpression);
    this.#all = all;
  }

  /** Documents with arrays have several keys in a real index; here nobody searches by such an index. */
  get usable(): boolean {
    this.#made();
    return this.#arrays === 0;
  }

  compare(a: readonly unknown[], b: readonly unknown[], fields = this.fields.length): number {
    for (let i = 0; i < fields; i += 1) {
      const difference = compareValues(a[i], b[i]);
      if (difference !== 0) return this.fields[i]?.descending === true ? -difference : difference;
    }
    return 0;
  }

  entries(): SortedList<Entry> {
    return this.#made();
  }

  /** Another document's key that `doc` must not have. */
  duplicate(doc: Buffer): readonly unknown[] | undefined {
    if (!this.spec.unique) return undefined;
    const entry = this.#entryOf(doc);
    if (entry === undefined) return undefined;
    const fields = Object.keys(this.spec.key).length;
    for (const other of this.#made().upFrom(({ key }) => this.compare(key, entry.key, fields) >= 0)) {
      if (this.compare(other.key, entry.key, fields) !== 0) return undefined;
      if (compareValues(other.key.at(-1), entry.key.at(-1)) !== 0) return other.key.slice(0, fields);
    }
    return undefined;
  }

  add(doc: Buffer): void {
    if (this.#entries !== undefined) this.#insert(this.#entries, doc);
  }

  remove(doc: Buffer): void {
    const entry = this.#entries === undefined ? undefined : this.#entryOf(doc);
    if (entry === undefined) return;
    if (entry.key.includes(ARRAY)) this.#arrays -= 1;
    this.#entries?.remove(entry);
  }

  #made(): SortedList<Entry> {
    if (this.#entries !== undefined) return this.#entries;
    const entries = new SortedList<Entry>((a, b) => this.compare(a.key, b.key));
    for (const doc of this.#all()) this.#insert(entries, doc);
    this.#entries = entries;
    return entries;
  }

  #insert(entries: SortedList<Entry>, doc: Buffer): void {
    const entry = this.#entryOf(doc);
    if (entry === undefined) return;
    if (entry.key.includes(ARRAY)) this.#arrays += 1;
    entries.add(entry);
  }

  #entryOf(doc: Buffer): Entry | undefined {
    if (this.#covers?.(doc) === false) return undefined;
    const key = this.#readers.map((read) => read(doc));
    const fields = Object.keys(this.spec.key).length;
    if (this.spec.sparse && key.slice(0, fields).every((value) => value === undefined)) return undefined;
    return { key, doc };
  }
}
