// The writes of this process to one collection: while one bulk write runs, later writes queue for the next one.
import type { World } from '../../world.ts';
import { StoreBusy } from '../store-unavailable.ts';
import type { StoredRow } from './stored-row.ts';

/** Rows in one bulk write. */
const ROWS_AT_ONCE = 1_000;
/** Characters of documents in one bulk write; a longer document goes alone. The driver sends at most 16 MiB at once. */
const CHARACTERS_AT_ONCE = 4 * 1024 * 1024;
/** Rows that may wait; more means that the store cannot keep up. */
const WAITING_ROWS = 100_000;

interface WriteQueueParts {
  readonly world: World;
  /**
   * Writes rows of different ids within the given ms; answers the ids of those that were stale. Rejects with
   * StoreUnavailable.
   */
  readonly write: (rows: readonly StoredRow[], ms: number) => Promise<ReadonlySet<string>>;
  /** How long a caller waits in all. */
  readonly writeMs: number;
}

/** One call of `write`, whose rows may be in different bulk writes. */
interface Call {
  readonly since: number;
  readonly written: string[];
  left: number;
  readonly resolve: (written: readonly string[]) => void;
  readonly reject: (fault: unknown) => void;
}

interface Item {
  readonly row: StoredRow;
  readonly call: Call;
}

/** A caller that waited for others gets at least so long for its own write. */
const LEAST_MS = 1_000;

export class WriteQueue {
  readonly #parts: WriteQueueParts;
  #waiting: Item[] = [];
  #flushing: Promise<void> | undefined;

  constructor(parts: WriteQueueParts) {
    this.#parts = parts;
  }

  /** Answers the ids that were written; rejects with StoreBusy, and with what `write` rejects with. */
  write(rows: readonly StoredRow[]): Promise<readonly string[]> {
    if (rows.length === 0) return Promise.resolve([]);
    if (this.#waiting.length + rows.length > WAITING_ROWS)
      return Promise.reject(new StoreBusy(`${this.#waiting.length} rows are already waiting to be written`));
    return new Promise((resolve, reject) => {
      const call = { since: this.#parts.world.monotonic(), written: [], left: rows.length, resolve, reject };
      for (const row of rows) this.#waiting.push({ row, call });
      this.#flushing ??= this.#flush();
    });
  }

  /** Resolves when all that waits was written or refused. */
  async settled(): Promise<void> {
    await this.#flushing;
  }

  async #flush(): Promise<void> {
    await new Promise((turn) => setImmediate(turn)); // all that this turn of the event loop writes goes together
    while (this.#waiting.length > 0) await this.#writeBatch(this.#take());
    this.#flushing = undefined;
  }

  #take(): readonly Item[] {
    let characters = 0;
    const full = this.#waiting.findIndex(({ row }, place) => {
      characters += row.t.length;
      return place === ROWS_AT_ONCE || (place > 0 && characters > CHARACTERS_AT_ONCE);
    });
    return this.#waiting.splice(0, full < 0 ? this.#waiting.length : full);
  }

  async #writeBatch(items: readonly Item[]): Promise<void> {
    const highest = highestOf(items);
    const { world, write, writeMs } = this.#parts;
    const since = items[0]?.call.since ?? 0; // calls wait in turn: the first has waited longest
    try {
      const stale = await write(
        [...highest.values()].map(({ row }) => row),
        Math.max(LEAST_MS, since + writeMs - world.monotonic()),
      );
      for (const item of items) answer(item, highest.get(item.row._id) === item && !stale.has(item.row._id));
    } catch (fault) {
      for (const { call } of items) call.reject(fault);
    }
  }
}

/**
 * Of rows with the same id the one with the highest revision, the first of equals: as if it had come first, and the
 * others late.
 */
function highestOf(items: readonly Item[]): ReadonlyMap<string, Item> {
  const highest = new Map<string, Item>();
  for (const item of items) {
    const held = highest.get(item.row._id);
    if (held === undefined || held.row.r < item.row.r) highest.set(item.row._id, item);
  }
  return highest;
}

function answer({ row, call }: Item, isWritten: boolean): void {
  if (isWritten) call.written.push(row._id);
  call.left -= 1;
  if (call.left === 0) call.resolve(call.written);
}
