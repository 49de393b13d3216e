// Reads of documents that must be the newest, in two lanes: ids that a caller made up must not delay those that exist.
import { LRUCache } from 'lru-cache';
import { StoreBusy } from '../store-unavailable.ts';
import type { SharedReads } from './shared-reads.ts';
import type { ParsedRow } from './stored-row.ts';

/** Ids that are known to exist. */
const KNOWN = 20_000;
/** Questions for unknown ids, under way at a time; each costs the majority of the servers a round. */
const UNSEEN_UNDER_WAY = 4;
/** Questions that wait for their turn; more are refused. */
const UNSEEN_WAITING = 100;

interface NewestReadsParts {
  /** Answers the documents that are there when it is called, or later. */
  readonly newest: Pick<SharedReads, 'get'>;
  /** Cheap: one question for many ids. May miss a document made a moment ago. */
  readonly gathered: { get(ids: readonly string[]): Promise<readonly ParsedRow[]> };
}

/** A question that waits for its turn; every call before that shares it. */
interface Waiting {
  readonly begin: () => void;
  readonly answer: Promise<ParsedRow | undefined>;
}

/**
 * Callers of the API may name keys that do not exist, without end and before they are authenticated. A cheap look says
 * which ids exist. An id that it does not find may be new and is asked for as well, but only a few at a time.
 */
export class NewestReads {
  readonly #parts: NewestReadsParts;
  // A bound on the size: one on the number would make room for all of them at once.
  readonly #known = new LRUCache<string, true>({ maxSize: KNOWN, sizeCalculation: () => 1 });
  readonly #waiting = new Map<string, Waiting>();
  #underWay = 0;

  constructor(parts: NewestReadsParts) {
    this.#parts = parts;
  }

  /** Undefined: it does not exist. Throws StoreBusy, including when too many calls ask for missing ids. */
  async get(id: string): Promise<ParsedRow | undefined> {
    const { newest, gathered } = this.#parts;
    const isKnown = this.#known.has(id) || (await gathered.get([id])).length > 0;
    const row = await (isKnown ? newest.get(id) : this.#inTurn(id));
    if (row !== undefined) this.#known.set(id, true);
    return row;
  }

  #inTurn(id: string): Promise<ParsedRow | undefined> {
    if (this.#underWay < UNSEEN_UNDER_WAY) {
      this.#underWay += 1;
      return this.#ask(id);
    }
    const shared = this.#waiting.get(id);
    if (shared !== undefined) return shared.answer;
    if (this.#waiting.size >= UNSEEN_WAITING) throw new StoreBusy('Too many requests for documents that do not exist');
    let begin = (): void => undefined;
    const turn = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const answer = turn.then(() => this.#ask(id));
    this.#waiting.set(id, { begin, answer });
    return answer;
  }

  async #ask(id: string): Promise<ParsedRow | undefined> {
    try {
      return await this.#parts.newest.get(id);
    } finally {
      const [next] = this.#waiting;
      if (next === undefined) this.#underWay -= 1;
      else this.#begin(next);
    }
  }

  #begin([id, { begin }]: readonly [string, Waiting]): void {
    this.#waiting.delete(id); // later calls ask again
    begin();
  }
}
