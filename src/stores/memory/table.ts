// The rows of one collection in memory, found by id and by which keys they have, in the order of a key and then of ids.
import { byBytes } from '../byte-order.ts';
import type { Key, Place, Query } from '../read-models.ts';
import type { MemoryRow } from './row.ts';

interface WantedRows {
  /** The least and the greatest key, both included. */
  readonly from?: Key | undefined;
  readonly to?: Key | undefined;
  /** Only rows after this place, in the direction of the walk. */
  readonly after?: Place | undefined;
  /** Only rows up to this place, itself included. */
  readonly upTo?: Place | undefined;
  readonly descending: boolean;
  /** 1..1000 */
  readonly limit: number;
}

class OrderedRows {
  readonly #name: string;
  readonly #rows: MemoryRow[];

  constructor(name: string, rows: Iterable<MemoryRow>) {
    this.#name = name;
    this.#rows = [...rows].sort((a, b) => comparePlaces(this.#placeOf(a), this.#placeOf(b)));
  }

  /** Takes the new state of a row; `before` is the one that it had. */
  replace(before: MemoryRow | undefined, row: MemoryRow): void {
    const [old, key] = [before?.keys.get(this.#name), row.keys.get(this.#name)];
    if (old !== undefined) {
      const at = this.#firstFrom({ key: old, id: row.id });
      if (old === key) {
        this.#rows[at] = row;
        return;
      }
      this.#rows.splice(at, 1);
    }
    if (key !== undefined) this.#rows.splice(this.#firstFrom({ key, id: row.id }), 0, row);
  }

  remove(row: MemoryRow): void {
    const key = row.keys.get(this.#name);
    if (key !== undefined) this.#rows.splice(this.#firstFrom({ key, id: row.id }), 1);
  }

  /**
   * The first rows in one direction that meet a condition. It looks at no row outside the range, and at none after the
   * last that it answers.
   */
  find(
    { from, to, after, upTo, descending, limit }: WantedRows,
    meets: (row: MemoryRow) => boolean,
  ): readonly MemoryRow[] {
    let first = from === undefined ? 0 : this.#count((place) => compareKeys(place.key, from) < 0);
    let end = to === undefined ? this.#rows.length : this.#count((place) => compareKeys(place.key, to) <= 0);
    if (after !== undefined && descending) end = Math.min(end, this.#firstFrom(after));
    if (after !== undefined && !descending) first = Math.max(first, this.#firstPast(after));
    if (upTo !== undefined && descending) first = Math.max(first, this.#firstFrom(upTo));
    if (upTo !== undefined && !descending) end = Math.min(end, this.#firstPast(upTo));
    const found: MemoryRow[] = [];
    for (let number = 0; number < end - first && found.length < limit; number += 1) {
      const row = this.#rows[descending ? end - 1 - number : first + number];
      if (row !== undefined && meets(row)) found.push(row);
    }
    return found;
  }

  /** The index of the first row that is not before a place. */
  #firstFrom(wanted: Place): number {
    return this.#count((place) => comparePlaces(place, wanted) < 0);
  }

  /** The index of the first row after a place. */
  #firstPast(wanted: Place): number {
    return this.#count((place) => comparePlaces(place, wanted) <= 0);
  }

  /** The number of rows that meet a condition which only the first rows meet. */
  #count(holds: (place: Place) => boolean): number {
    let [least, most] = [0, this.#rows.length];
    while (least < most) {
      const middle = (least + most) >>> 1;
      const row = this.#rows[middle];
      if (row !== undefined && holds(this.#placeOf(row))) least = middle + 1;
      else most = middle;
    }
    return least;
  }

  #placeOf({ keys, id }: MemoryRow): Place {
    const key = keys.get(this.#name);
    if (key === undefined) throw new TypeError(`row ${id} has no key ${this.#name}`);
    return { key, id };
  }
}

const comparePlaces = (a: Place, b: Place): number => compareKeys(a.key, b.key) || byBytes(a.id, b.id);

/** Numbers (and booleans, as 0 and 1) before strings; strings by their bytes. */
export function compareKeys(a: Key, b: Key): number {
  if (typeof a === 'string') return typeof b === 'string' ? byBytes(a, b) : 1;
  return typeof b === 'string' ? -1 : Number(a) - Number(b);
}

export class MemoryTable {
  readonly #rows = new Map<string, MemoryRow>();
  /** The rows that have a key, by its name: due rows are few among many. */
  readonly #having = new Map<string, Set<MemoryRow>>();
  /** The rows that have a key in its order, by its name: of those keys alone by which a query was ordered. */
  readonly #ordered = new Map<string, OrderedRows>();

  get size(): number {
    return this.#rows.size;
  }

  get(id: string): MemoryRow | undefined {
    return this.#rows.get(id);
  }

  set(row: MemoryRow): void {
    const before = this.#rows.get(row.id);
    this.#rows.set(row.id, row);
    for (const name of before?.keys.keys() ?? []) this.#having.get(name)?.delete(before ?? row);
    for (const name of row.keys.keys()) {
      const having = this.#having.get(name);
      if (having === undefined) this.#having.set(name, new Set([row]));
      else having.add(row);
    }
    for (const ordered of this.#ordered.values()) ordered.replace(before, row);
  }

  delete(id: string): void {
    const before = this.#rows.get(id);
    if (before === undefined) return;
    this.#rows.delete(id);
    for (const name of before.keys.keys()) this.#having.get(name)?.delete(before);
    for (const ordered of this.#ordered.values()) ordered.remove(before);
  }

  values(): Iterable<MemoryRow> {
    return this.#rows.values();
  }

  /** The rows that have the key of this name, in its order. */
  ordered(name: string): OrderedRows {
    const found = this.#ordered.get(name);
    if (found !== undefined) return found;
    const made = new OrderedRows(name, this.#having.get(name) ?? []);
    this.#ordered.set(name, made);
    return made;
  }

  /** All rows that can meet a query without an order, and the fewest of others. */
  candidates(where: Query<string>['where']): Iterable<MemoryRow> {
    let fewest: Iterable<MemoryRow> = this.#rows.values();
    let count = this.#rows.size;
    for (const name of Object.keys(where).filter((name) => where[name] !== undefined)) {
      const having = this.#having.get(name) ?? [];
      const size = 'size' in having ? having.size : 0;
      if (size <= count) [fewest, count] = [having, size];
    }
    return fewest;
  }
}
