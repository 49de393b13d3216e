// An index of a collection: its entries in order, and whether two documents may share a key.
import { compareValues } from '../bson/order.ts';
import { ARRAY, compileFilter, type Filter, type Matches, pathReader } from '../query/filter.ts';
import type { IdKey } from './id-key.ts';
import { SortedList } from './sorted-list.ts';

export interface IndexSpec {
  readonly name: string;
  /** The fields, the most significant first; 1 ascending, -1 descending. */
  readonly key: Readonly<Record<string, number>>;
  readonly unique: boolean;
  readonly sparse: boolean;
  readonly partialFilterExpression?: Filter;
}

export interface Entry {
  /** A value for each field of the index, and the document's id, which breaks ties. */
  readonly key: readonly unknown[];
  readonly id: IdKey;
}

export interface Field {
  readonly path: string;
  readonly descending: boolean;
}

const hasArray = ({ key }: Entry): boolean => key.includes(ARRAY);

export class Index {
  readonly spec: IndexSpec;
  /** The fields, and then the id in the direction of the last field. */
  readonly fields: readonly Field[];
  readonly #readers: readonly ((doc: Buffer) => unknown)[];
  readonly #covers: Matches | undefined;
  /** Made at first use, because many indexes are never read. */
  #entries: SortedList<Entry> | undefined;
  #arrays = 0;
  readonly #all: () => Iterable<readonly [IdKey, Buffer]>;
  /** The number of fields in the spec. */
  readonly #named: number;

  constructor(spec: IndexSpec, all: () => Iterable<readonly [IdKey, Buffer]>) {
    this.spec = spec;
    const fields = Object.entries(spec.key).map(([path, direction]) => ({ path, descending: direction < 0 }));
    const last = fields.at(-1);
    this.fields = last?.path === '_id' ? fields : [...fields, { path: '_id', descending: last?.descending ?? false }];
    this.#readers = this.fields.map((field) => pathReader(field.path));
    this.#covers = spec.partialFilterExpression === undefined ? undefined : compileFilter(spec.partialFilterExpression);
    this.#named = fields.length;
    this.#all = all;
  }

  /** In a real index documents with arrays have several keys. Here such an index is never searched. */
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

  /** The key of another document that equals the one of `doc`, if the index is unique. */
  duplicate(id: IdKey, doc: Buffer): readonly unknown[] | undefined {
    const entry = this.spec.unique ? this.#entryOf(id, doc) : undefined;
    if (entry === undefined) return undefined;
    const fields = this.#named;
    for (const other of this.#made().upFrom(({ key }) => this.compare(key, entry.key, fields) >= 0)) {
      if (this.compare(other.key, entry.key, fields) !== 0) return undefined;
      if (other.id !== id) return other.key.slice(0, fields);
    }
    return undefined;
  }

  add(id: IdKey, doc: Buffer): void {
    if (this.#entries !== undefined) this.#insert(this.#entries, this.#entryOf(id, doc));
  }

  remove(id: IdKey, doc: Buffer): void {
    if (this.#entries !== undefined) this.#delete(this.#entries, this.#entryOf(id, doc));
  }

  /** Moves the entry of a changed document. Most updates leave its key, and so the entry, as it was. */
  replace(id: IdKey, before: Buffer, after: Buffer): void {
    if (this.#entries === undefined || (this.fields.length === 1 && this.#covers === undefined)) return;
    const was = this.#entryOf(id, before);
    const is = this.#entryOf(id, after);
    if (was !== undefined && is !== undefined && this.compare(was.key, is.key) === 0 && hasArray(was) === hasArray(is))
      return;
    this.#delete(this.#entries, was);
    this.#insert(this.#entries, is);
  }

  #made(): SortedList<Entry> {
    if (this.#entries !== undefined) return this.#entries;
    const entries = new SortedList<Entry>((a, b) => this.compare(a.key, b.key));
    for (const [id, doc] of this.#all()) this.#insert(entries, this.#entryOf(id, doc));
    this.#entries = entries;
    return entries;
  }

  #insert(entries: SortedList<Entry>, entry: Entry | undefined): void {
    if (entry === undefined) return;
    if (hasArray(entry)) this.#arrays += 1;
    entries.add(entry);
  }

  #delete(entries: SortedList<Entry>, entry: Entry | undefined): void {
    if (entry === undefined) return;
    if (hasArray(entry)) this.#arrays -= 1;
    entries.remove(entry);
  }

  #entryOf(id: IdKey, doc: Buffer): Entry | undefined {
    if (this.#covers?.(doc) === false) return undefined;
    const key = this.#readers.map((read) => read(doc));
    if (this.spec.sparse && key.slice(0, this.#named).every((value) => value === undefined)) return undefined;
    return { key, id };
  }
}
