// Reads by id that share their questions: those under way at the same time, and those that must be the newest. A read
// never joins a question that was asked before it. Ids that a caller made up must not delay those that exist: two
// lanes.
import { LRUCache } from 'lru-cache';
import { StoreBusy } from '../store-unavailable.ts';
import type { ParsedRow } from './stored-row.ts';

interface Question {
  /** Asked already: no call may join it. */
  underWay: Promise<unknown> | undefined;
  /** Still to be asked: later calls join it. */
  next: Promise<ParsedRow | undefined> | undefined;
}

export class SharedReads {
  readonly #read: (id: string) => Promise<ParsedRow | undefined>;
  readonly #questions = new Map<string, Question>();

  /** `read` answers the documents that are there when it is called, or later. */
  constructor(read: (id: string) => Promise<ParsedRow | undefined>) {
    this.#read = read;
  }

  get(id: string): Promise<ParsedRow | undefined> {
    const question = this.#questions.get(id) ?? { underWay: undefined, next: undefined };
    this.#questions.set(id, question);
    question.next ??= this.#ask(id, question);
    return question.next;
  }

  async #ask(id: string, question: Question): Promise<ParsedRow | undefined> {
    await (question.underWay ?? new Promise((turn) => setImmediate(turn)));
    const asked = this.#read(id);
    const ended = asked.then(
      () => undefined,
      () => undefined,
    );
    question.underWay = ended;
    question.next = undefined;
    void ended.then(() => {
      if (question.underWay !== ended) return;
      question.underWay = undefined;
      if (question.next === undefined) this.#questions.delete(id);
    });
    return asked;
  }
}

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

/** Ids in one question. */
const IDS_AT_ONCE = 1_000;
/** Questions that may be under way at the same time. */
const UNDER_WAY = 4;

interface Gathered {
  readonly ids: readonly string[];
  readonly resolve: (rows: readonly ParsedRow[]) => void;
  readonly reject: (fault: unknown) => void;
}

export class GatheredReads {
  readonly #read: (ids: readonly string[]) => Promise<readonly ParsedRow[]>;
  #waiting: Gathered[] = [];
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

  #take(): readonly Gathered[] {
    let count = 0;
    const full = this.#waiting.findIndex(({ ids }, place) => {
      count += ids.length;
      return place > 0 && count > IDS_AT_ONCE;
    });
    return this.#waiting.splice(0, full < 0 ? this.#waiting.length : full);
  }

  async #ask(waiting: readonly Gathered[]): Promise<void> {
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
