// The rows of one collection in memory, found by id and by which keys they have.
import type { Key, Query } from '../read-models.ts';

export class MemoryRow {
  readonly id: string;
  readonly revision: number;
  readonly keys: ReadonlyMap<string, Key>;
  readonly #written: object | string;
  #text: string | undefined;
  #doc: object | undefined;

  /** `written`: the document, which is never changed any more, or its text. */
  constructor(id: string, revision: number, written: object | string, keys: ReadonlyMap<string, Key>) {
    this.id = id;
    this.revision = revision;
    this.keys = keys;
    this.#written = written;
  }

  /** Made when it is first read, as the document is: most are written again before they are read. */
  get text(): string {
    this.#text ??= typeof this.#written === 'string' ? this.#written : JSON.stringify(this.#written);
    return this.#text;
  }

  get doc(): object {
    this.#doc ??= frozenCopy(this.text);
    return this.#doc;
  }
}

export class MemoryTable {
  readonly #rows = new Map<string, MemoryRow>();
  /** The rows that have a key, by its name: due rows are few among many. */
  readonly #having = new Map<string, Set<MemoryRow>>();

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
  }

  values(): Iterable<MemoryRow> {
    return this.#rows.values();
  }

  /** All rows that can meet a query, and the fewest of others. */
  candidates({ where, order }: Query<string>): Iterable<MemoryRow> {
    const wanted = Object.keys(where).filter((name) => where[name] !== undefined);
    if (order !== undefined) wanted.push(order.by);
    let fewest: Iterable<MemoryRow> = this.#rows.values();
    let count = this.#rows.size;
    for (const name of wanted) {
      const having = this.#having.get(name) ?? [];
      const size = 'size' in having ? having.size : 0;
      if (size <= count) [fewest, count] = [having, size];
    }
    return fewest;
  }
}

function frozenCopy(text: string): object {
  const copy: unknown = JSON.parse(text);
  if (typeof copy !== 'object' || copy === null) throw new TypeError('a document is an object');
  return frozen(copy);
}

function frozen(value: object): object {
  for (const member of Object.values(value)) if (typeof member === 'object' && member !== null) frozen(member);
  return Object.freeze(value);
}
