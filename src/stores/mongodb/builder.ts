// Fills the collection of a new generation: rows in bulk, several batches on their way at once, indexes last.
import { unpacked } from '../packed-rows.ts';
import type { Builder, BuiltRow, StoredText } from '../read-models.ts';
import { type StoredKey, type StoredRow, storedKey } from './stored-row.ts';

/** Batches that may be on their way; `write` waits when there are more. */
const BATCHES_UNDER_WAY = 4;
/** Rows in one bulk write. */
const ROWS_AT_ONCE = 1_000;

interface BuilderParts {
  /** The names of the collection's keys, in the order in which rows bring them. */
  readonly keys: readonly string[];
  /** Writes rows of different ids, each guarded by its revision. */
  readonly write: (rows: readonly StoredRow[]) => Promise<unknown>;
  readonly read: (ids: readonly string[]) => Promise<readonly StoredText[]>;
  readonly finish: () => Promise<void>;
  readonly abort: () => Promise<void>;
}

export function mongoDbBuilder(parts: BuilderParts): Builder {
  const filling = new Filling(parts);
  return {
    get: (ids) => filling.get(ids),
    write: (rows) => filling.write(rows),
    finish: async () => {
      await filling.settled();
      await parts.finish();
    },
    abort: async () => {
      await filling.ended(); // a row that came later would bring the dropped collection back
      await parts.abort();
    },
  };
}

class Filling {
  readonly #parts: BuilderParts;
  readonly #underWay: Promise<unknown>[] = [];
  /** Rows on their way by id, each at its highest revision. */
  readonly #rows = new Map<string, StoredRow>();

  constructor(parts: BuilderParts) {
    this.#parts = parts;
  }

  async get(ids: readonly string[]): Promise<readonly StoredText[]> {
    const onTheirWay = ids.flatMap((id) => this.#rows.get(id) ?? []);
    const found = new Map((await this.#parts.read([...new Set(ids)])).map((text) => [text.id, text]));
    for (const { _id: id, r: revision, t: text } of onTheirWay)
      if (revision > (found.get(id)?.revision ?? -1)) found.set(id, { id, revision, text });
    return [...found.values()];
  }

  async write(packed: ArrayBuffer): Promise<void> {
    const rows = unpacked(packed).map((row) => this.#stored(row));
    for (const row of rows) keepHighest(this.#rows, row);
    for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
      this.#send(rows.slice(from, from + ROWS_AT_ONCE));
      if (this.#underWay.length > BATCHES_UNDER_WAY) await this.#underWay.shift();
    }
  }

  async settled(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  /** Resolves when all writes have ended, including failed ones. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }

  #send(rows: readonly StoredRow[]): void {
    const highest = new Map<string, StoredRow>();
    for (const row of rows) keepHighest(highest, row);
    const written = this.#parts.write([...highest.values()]).then(() => {
      for (const row of rows) if (this.#rows.get(row._id) === row) this.#rows.delete(row._id);
    });
    written.catch(() => undefined); // seen by a later call
    this.#underWay.push(written);
  }

  #stored({ id, revision, text, keys }: BuiltRow): StoredRow {
    const named: Record<string, StoredKey> = {};
    for (const [place, name] of this.#parts.keys.entries()) {
      const key = keys[place];
      if (key !== undefined) named[name] = storedKey(key);
    }
    return { _id: id, r: revision, t: text, k: named };
  }
}

function keepHighest(rows: Map<string, StoredRow>, row: StoredRow): void {
  const held = rows.get(row._id);
  if (held === undefined || held.r < row.r) rows.set(row._id, row);
}
