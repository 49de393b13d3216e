// Simulated time: what is to happen and when, one thing after the other, each only when all that followed from the one before has settled.

/** Whose doing a happening is: nothing happens to the dead, and what comes while one is paused waits. */
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

  /** What came meanwhile, in its order. */
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
  /** Undefined when it was called off. */
  run: (() => void) | undefined;
}

const BREATHE_EVERY = 5_000;
const SETTLED = Promise.resolve();

export class Timeline {
  #now = 0;
  #count = 0;
  /** By the millisecond, each in the order in which they were asked for; of this one those that have happened are still there. */
  readonly #due = new Map<number, Happening[]>();
  /** How many of this millisecond have happened. */
  #done = 0;

  /** Milliseconds since the simulation began. */
  get now(): number {
    return this.#now;
  }

  /** Lets something happen in `ms`; answers how to call it off. */
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

  /** A wait that never ends for the dead. */
  wait(ms: number, owner?: Owner): Promise<void> {
    return new Promise((resolve) => void this.after(ms, owner, resolve));
  }

  resume(owner: Owner): void {
    for (const { run } of owner.resume()) if (run !== undefined) this.after(0, owner, run);
  }

  /** Lets things happen until `holds`, for at most `limitMs`; whether it held. */
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

  /** Lets the next thing happen that is due by `end`; false when there is none, and the time is `end`. */
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
   * Calls when no microtask is left: Node runs all of them before the next tick. One promise a step and no more, because a payment is a
   * hundred steps; the service works in microtasks only, so the queue is let breathe now and then for the sake of signals alone.
   */
  #whenSettled(goOn: () => void): void {
    if (this.#count % BREATHE_EVERY === 0) setImmediate(goOn);
    else void SETTLED.then(() => process.nextTick(goOn));
  }

  /** One millisecond after the other: a map for each is quicker than a heap of thousands of timeouts that are called off. */
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
