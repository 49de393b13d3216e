// Simulated time: happenings in order, each only after all promises of the one before have settled.

/** The process that a happening belongs to. A dead owner's happenings are dropped; a paused owner's wait. */
export class Owner {
  isDead = false;
  #isPaused = false;
  readonly #held: Happening[] = [];

  get isPaused(): boolean {
    return this.#isPaused;
  }

  pause(): void {
    this.#isPaused = true;
  }

  /** The happenings of the pause, in their order. */
  resume(): readonly Happening[] {
    this.#isPaused = false;
    return this.#held.splice(0);
  }

  hold(happening: Happening): void {
    this.#held.push(happening);
  }
}

interface Happening {
  readonly owner: Owner | undefined;
  /** Undefined once it was called off. */
  run: (() => void) | undefined;
}

const IMMEDIATE_EVERY = 5_000;
const SETTLED = Promise.resolve();

export class Timeline {
  #now = 0;
  #count = 0;
  /**
   * The happenings of each millisecond, in the order of their requests. Those of the current millisecond stay until it
   * is over.
   */
  readonly #due = new Map<number, Happening[]>();
  /** How many of the current millisecond have happened. */
  #done = 0;

  /** Milliseconds since the simulation began. */
  get now(): number {
    return this.#now;
  }

  /** Calls `run` after `ms`. The answer calls it off. */
  after(ms: number, owner: Owner | undefined, run: () => void): () => void {
    const happening: Happening = { owner, run };
    const at = this.#now + Math.max(0, Math.ceil(ms));
    const others = this.#due.get(at);
    if (others === undefined) this.#due.set(at, [happening]);
    else others.push(happening);
    return () => {
      happening.run = undefined;
    };
  }

  /** Waits `ms`; for ever when the owner dies. */
  wait(ms: number, owner?: Owner): Promise<void> {
    return new Promise((resolve) => void this.after(ms, owner, resolve));
  }

  resume(owner: Owner): void {
    for (const { run } of owner.resume()) if (run !== undefined) this.after(0, owner, run);
  }

  /** Lets time pass until `holds` is true, for at most `limitMs`. Answers whether it was. */
  runUntil(holds: () => boolean, limitMs: number): Promise<boolean> {
    const end = this.#now + limitMs;
    return new Promise((resolve, reject) => {
      const goOn = (): void => {
        try {
          if (holds()) resolve(true);
          else if (this.#happensBy(end)) this.#whenSettled(goOn);
          else resolve(holds());
        } catch (fault) {
          reject(fault);
        }
      };
      this.#whenSettled(goOn);
    });
  }

  async run(ms: number): Promise<void> {
    await this.runUntil(() => false, ms);
  }

  /** Runs the next happening that is due by `end`. False if there is none; then it is `end`. */
  #happensBy(end: number): boolean {
    for (;;) {
      const next = this.#next(end);
      if (next === undefined) return false;
      const { owner, run } = next;
      if (run === undefined || owner?.isDead) continue;
      if (owner?.isPaused) {
        owner.hold(next);
        continue;
      }
      this.#count += 1;
      run();
      return true;
    }
  }

  /**
   * Calls `goOn` when no microtask is left: Node runs all of them before the next tick. It makes one promise a step,
   * because a payment takes a hundred steps. The service works in microtasks only, so an occasional `setImmediate` lets
   * signals in.
   */
  #whenSettled(goOn: () => void): void {
    if (this.#count % IMMEDIATE_EVERY === 0) setImmediate(goOn);
    else void SETTLED.then(() => process.nextTick(goOn));
  }

  /**
   * Walks one millisecond at a time: lists by millisecond are quicker than a heap of thousands of timeouts that are
   * called off.
   */
  #next(end: number): Happening | undefined {
    for (;;) {
      const next = this.#due.get(this.#now)?.[this.#done];
      if (next !== undefined) {
        this.#done += 1;
        return next;
      }
      this.#due.delete(this.#now);
      this.#done = 0;
      if (this.#now >= end) return undefined;
      this.#now += 1;
    }
  }
}
