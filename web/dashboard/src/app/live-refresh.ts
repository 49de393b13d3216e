// Gathers the topics of many messages into one query. The next query starts when the previous one is done, so that
// events which come faster than responses cancel none of them.

/** The shortest time between two queries, in ms. Many events become one query. */
const GATHERED_MS = 300;
/** The longest wait for a response before the next query, in ms. */
const MOST_MS = 5_000;

/** Runs the function once, after so many ms. */
type After = (ms: number, run: () => void) => () => void;

const afterTimer: After = (ms, run) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

export class LiveRefresh {
  readonly #ask: (topics: ReadonlySet<string>) => Promise<unknown>;
  readonly #after: After;
  #topics = new Set<string>();
  #cancel: (() => void) | undefined;
  #isAsking = false;

  /** `ask` settles when the responses have arrived. */
  constructor(ask: (topics: ReadonlySet<string>) => Promise<unknown>, after: After = afterTimer) {
    this.#ask = ask;
    this.#after = after;
  }

  hear(topic: string): void {
    this.#topics.add(topic);
    this.#plan();
  }

  /** Drops the gathered topics. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#topics.clear();
  }

  #plan(): void {
    if (this.#isAsking || this.#cancel !== undefined || this.#topics.size === 0) return;
    this.#cancel = this.#after(GATHERED_MS, () => {
      this.#cancel = undefined;
      this.#run();
    });
  }

  #run(): void {
    const topics = this.#topics;
    this.#topics = new Set();
    this.#isAsking = true;
    let isOver = false;
    const done = (): void => {
      if (isOver) return;
      isOver = true;
      cancel();
      this.#isAsking = false;
      this.#plan();
    };
    const cancel = this.#after(MOST_MS, done);
    this.#ask(topics).then(done, done);
  }
}
