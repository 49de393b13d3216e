// Documents that this process is about to change again: they are written in a moment, unless a newer revision comes
// first.
import { Alarm, type World } from '../../../world.ts';

/** How long a document rests at most, ms. A call to a processor that takes longer can be seen under way. */
const REST_MS = 100;

interface Rested {
  readonly revision: number;
  /** World.monotonic. */
  readonly since: number;
  readonly write: () => Promise<void>;
}

/** A document leaves once it is written, or a newer revision of it: a write that failed is tried again. */
export class Resting {
  readonly #world: World;
  readonly #documents = new Map<string, Rested>();
  readonly #begun = new Alarm();
  /** Of `run`. */
  #running: AbortSignal | undefined;

  constructor(world: World) {
    this.#world = world;
  }

  /** True if `run` runs: only then may a document rest, because nobody else would write it. */
  get isRunning(): boolean {
    return this.#running?.aborted === false;
  }

  /** `write` writes the document at this revision, and reports it by `written`. */
  rest(document: string, revision: number, write: () => Promise<void>): void {
    const isFirst = this.#documents.size === 0;
    this.#documents.delete(document); // to the end: the oldest one comes first
    this.#documents.set(document, { revision, since: this.#world.monotonic(), write });
    if (isFirst) this.#begun.ring();
  }

  /** The document has been written at this revision. */
  written(document: string, revision: number): void {
    const rested = this.#documents.get(document);
    if (rested !== undefined && rested.revision <= revision) this.#documents.delete(document);
  }

  /** Writes all documents that rest now. Rejects when one of them cannot be written. */
  async end(): Promise<void> {
    if (this.#documents.size > 0) await this.#writeAll([...this.#documents]);
  }

  /** Writes what has rested long enough, until the signal aborts; after a failure again after `retryMs`. */
  async run(retryMs: number, signal: AbortSignal): Promise<void> {
    this.#running = signal;
    while (!signal.aborted) {
      const { rung } = this.#begun;
      const due = this.#due();
      if (due === undefined) await this.#begun.sleep(this.#world, retryMs, signal, rung);
      else if (typeof due === 'number') await this.#pause(due, signal);
      else await this.#writeAll(due).catch(() => this.#pause(retryMs, signal));
    }
  }

  /** The documents to write now, or the time until there are any, ms; undefined while none rests. */
  #due(): readonly (readonly [string, Rested])[] | number | undefined {
    const now = this.#world.monotonic();
    const [oldest] = this.#documents.values();
    if (oldest === undefined) return undefined;
    const left = oldest.since + REST_MS - now;
    return left > 0 ? left : [...this.#documents].filter(([, { since }]) => since + REST_MS <= now);
  }

  async #writeAll(rested: readonly (readonly [string, Rested])[]): Promise<void> {
    const ended = await Promise.allSettled(rested.map(([, { write }]) => write()));
    const failed = ended.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  #pause(ms: number, signal: AbortSignal): Promise<void> {
    return this.#world.sleep(ms, signal).catch(() => undefined);
  }
}
