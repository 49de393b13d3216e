// The rows of one collection in memory, found by id and by which keys they have.
import type { Query } from '../read-models.ts';
import { OrderedRows } from './ordered-rows.ts';
import type { MemoryRow } from './row.ts';

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
