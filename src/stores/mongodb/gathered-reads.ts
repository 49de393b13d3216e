// Reads by id that are under way at the same time share their questions. A read never joins a question that was asked
// before it.
import type { ParsedRow } from './stored-row.ts';

/** Ids in one question. */
const IDS_AT_ONCE = 1_000;
/** Questions that may be under way at the same time. */
const UNDER_WAY = 4;

interface Waiting {
  readonly ids: readonly string[];
  readonly resolve: (rows: readonly ParsedRow[]) => void;
  readonly reject: (fault: unknown) => void;
}

export class GatheredReads {
  readonly #read: (ids: readonly string[]) => Promise<readonly ParsedRow[]>;
  #waiting: Waiting[] = [];
  #underWay = 0;
  #isDue = false;

  /** `read` answers the rows that exist. */
  constructor(read: (ids: readonly string[]) => Promise<readonly ParsedRow[]>) {
    this.#read = read;
  }

  /** The rows that exist, each once. */
  get(ids: readonly string[]): Promise<readonly ParsedRow[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ids, resolve, reject });
      this.#askSoon();
    });
  }

  #askSoon(): void {
    if (this.#isDue || this.#underWay >= UNDER_WAY) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      void this.#ask(this.#take());
    });
  }

  #take(): readonly Waiting[] {
    let count = 0;
    const full = this.#waiting.findIndex(({ ids }, place) => {
      count += ids.length;
      return place > 0 && count > IDS_AT_ONCE;
    });
    return this.#waiting.splice(0, full < 0 ? this.#waiting.length : full);
  }

  async #ask(waiting: readonly Waiting[]): Promise<void> {
    this.#underWay += 1;
    try {
      const ids = new Set(waiting.flatMap((one) => one.ids));
      const rows = new Map((await this.#read([...ids])).map((row) => [row.id, row]));
      for (const one of waiting) one.resolve([...new Set(one.ids)].flatMap((id) => rows.get(id) ?? []));
    } catch (fault) {
      for (const { reject } of waiting) reject(fault);
    } finally {
      this.#underWay -= 1;
      if (this.#waiting.length > 0) this.#askSoon();
    }
  }
}
