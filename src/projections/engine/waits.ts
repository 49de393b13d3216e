// Waits that end after a while: one clock for all of them, because a timer for each write would cost more than its bookkeeping.
import type { World } from '../../world.ts';

/** Ticks of the clock in the time that a wait may take: that is how exactly it is kept. */
const TICKS = 4;

interface Wait {
  /** The tick in which it began: time during which this process was paused does not count. */
  readonly since: number;
  readonly fail: (fault: unknown) => void;
}

export class Waits {
  readonly #waits = new Map<Wait, Promise<unknown>>();
  readonly #late: () => unknown;
  #tick = 0;

  /** `late`: what a wait that took too long rejects with. */
  constructor(late: () => unknown) {
    this.#late = late;
  }

  /** The work's own outcome, or a rejection when it takes too long; the work itself goes on then. `failed` hears of either first. */
  bound<T>(work: Promise<T>, failed: (fault: unknown) => void): Promise<T> {
    let begun: Wait | undefined;
    const bounded = new Promise<T>((resolve, reject) => {
      const wait: Wait = {
        since: this.#tick,
        fail: (fault) => {
          if (!this.#waits.delete(wait)) return;
          failed(fault);
          reject(fault);
        },
      };
      const done = (value: T): void => {
        this.#waits.delete(wait);
        resolve(value);
      };
      work.then(done, wait.fail);
      begun = wait;
    });
    if (begun !== undefined) this.#waits.set(begun, bounded);
    return bounded;
  }

  /** Resolves when the waits that have begun are over. */
  async settled(): Promise<void> {
    if (this.#waits.size > 0) await Promise.allSettled(this.#waits.values());
  }

  /** Ends what takes longer than `ms`, up to a quarter more, until the signal aborts. */
  async run(world: World, ms: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await world.sleep(ms / TICKS, signal).catch(() => undefined);
      this.#tick += 1;
      for (const wait of this.#waits.keys()) {
        if (this.#tick - wait.since <= TICKS) break; // the ones behind it began later
        wait.fail(this.#late());
      }
    }
  }
}
