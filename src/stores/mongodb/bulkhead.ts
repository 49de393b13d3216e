// A bulkhead: so many questions of one kind at once, so that slow ones leave connections to everything else.
// p-limit has neither a bound on the queue nor a longest wait: both refuse with StoreBusy here.
import { StoreBusy } from '../store-unavailable.ts';

interface BulkheadLimits {
  /** Questions under way at a time. */
  readonly atOnce: number;
  /** Questions that wait for their turn; more are refused at once. */
  readonly waiting: number;
  /** How long one of them waits, in ms. */
  readonly waitMs: number;
}

export class Bulkhead {
  readonly #limits: BulkheadLimits;
  /** In the order in which they came; called when it is their turn. */
  readonly #waiting = new Set<() => void>();
  #underWay = 0;

  constructor(limits: BulkheadLimits) {
    this.#limits = limits;
  }

  /**
   * Asks when there is room. Throws StoreBusy if there is no room in time (`waitMs` at most), and the question's own
   * faults.
   */
  async run<T>(ask: () => Promise<T>, waitMs: number = this.#limits.waitMs): Promise<T> {
    if (this.#underWay < this.#limits.atOnce) this.#underWay += 1;
    else await this.#turn(Math.min(waitMs, this.#limits.waitMs));
    try {
      return await ask();
    } finally {
      this.#handOver();
    }
  }

  #turn(waitMs: number): Promise<void> {
    const { waiting } = this.#limits;
    if (this.#waiting.size >= waiting) return Promise.reject(busy());
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(begin);
        reject(busy());
      }, waitMs);
      this.#waiting.add(begin);
    });
  }

  /** The place goes to the longest waiting question. */
  #handOver(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#underWay -= 1;
    else {
      this.#waiting.delete(next);
      next();
    }
  }
}

const busy = (): StoreBusy => new StoreBusy('Too many lists of one read model are requested at once');
