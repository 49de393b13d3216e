// Lets so many pieces of work run at once, and the others wait for their turn in the order in which they came.

export class Limited {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** `most`: at least 1. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Answers and throws what the work does. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#most) await new Promise<void>((go) => this.#waiting.push(go));
    else this.#running += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next(); // its place goes to the next one, so that nobody who comes now overtakes it
    }
  }
}
