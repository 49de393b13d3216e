// Simulated time: what is to happen and when, one thing after the other, each only when all that followed from the one before has settled.
import { setImmediate as turn } from 'node:timers/promises';

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
  readonly at: number;
  readonly order: number;
  readonly owner: Owner | undefined;
  /** Undefined when it was called off. */
  run: (() => void) | undefined;
}

/** The service works in microtasks only, so the queue is let breathe now and then for the sake of signals alone. */
const BREATHE_EVERY = 5_000;

export class Timeline {
  #now = 0;
  #order = 0;
  #count = 0;
  readonly #heap: Happening[] = [];

  /** Milliseconds since the simulation began. */
  get now(): number {
    return this.#now;
  }

  /** Lets something happen in `ms`; answers how to call it off. */
  after(ms: number, owner: Owner | undefined, run: () => void): () => void {
    const happening: Happening = { at: this.#now + Math.max(0, Math.ceil(ms)), order: this.#order, owner, run };
    this.#order += 1;
    this.#push(happening);
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
  async runUntil(holds: () => boolean, limitMs: number): Promise<boolean> {
    const end = this.#now + limitMs;
    await settled();
    while (!holds()) {
      const next = this.#heap[0];
      if (next === undefined || next.at > end) {
        this.#now = end;
        return holds();
      }
      this.#pop();
      if (next.run === undefined) continue;
      this.#now = Math.max(this.#now, next.at);
      await this.#happen(next);
    }
    return true;
  }

  async run(ms: number): Promise<void> {
    await this.runUntil(() => false, ms);
  }

  async #happen(happening: Happening): Promise<void> {
    const { owner, run } = happening;
    if (owner?.isDead || run === undefined) return;
    if (owner?.isPaused) {
      owner.hold(happening);
      return;
    }
    this.#count += 1;
    run();
    await settled();
    if (this.#count % BREATHE_EVERY === 0) await turn();
  }

  #push(happening: Happening): void {
    const heap = this.#heap;
    let at = heap.push(happening) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || isBefore(above, happening)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = happening;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let least = 2 * at + 1;
      let child = heap[least];
      const other = heap[least + 1];
      if (child === undefined) break;
      if (other !== undefined && isBefore(other, child)) {
        least += 1;
        child = other;
      }
      if (isBefore(last, child)) break;
      heap[at] = child;
      at = least;
    }
    heap[at] = last;
  }
}

const isBefore = (one: Happening, other: Happening): boolean => one.at < other.at || (one.at === other.at && one.order < other.order);

/** Resolves when no microtask is left: Node runs all of them before the next tick. */
const settled = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));
