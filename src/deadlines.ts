// Many calls under deadlines of the same length: as `within`, with one timer for all of them.
import { OVER, type World } from './world.ts';

/**
 * How often the timer looks whether any call is left, ms: the next one is often near, and the end of a process waits no
 * longer.
 */
const LOOKS_EVERY_MS = 100;

interface TimedCall {
  /** Of World.monotonic. */
  readonly endsAt: number;
  readonly expire: () => void;
}

export class Deadlines {
  readonly #world: Pick<World, 'monotonic' | 'sleep'>;
  readonly #ms: number;
  /** Under way, the oldest first: it is the first to expire. */
  readonly #calls = new Set<TimedCall>();
  #isWatching = false;

  /** `ms`: how long each call may take. */
  constructor(world: Pick<World, 'monotonic' | 'sleep'>, ms: number) {
    this.#world = world;
    this.#ms = ms;
  }

  /**
   * Runs work whose signal aborts at its deadline. 'timeout' means that the outcome is unknown, never that it failed.
   */
  async within<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | 'timeout'> {
    const deadline = new AbortController();
    let expire: () => void = () => undefined;
    const expired = new Promise<'timeout'>((resolve) => {
      expire = () => {
        resolve('timeout');
        deadline.abort(OVER);
      };
    });
    const call = { endsAt: this.#world.monotonic() + this.#ms, expire };
    this.#calls.add(call);
    if (!this.#isWatching) void this.#watch();
    try {
      return await Promise.race([work(deadline.signal), expired]);
    } finally {
      this.#calls.delete(call);
    }
  }

  async #watch(): Promise<void> {
    this.#isWatching = true;
    const { signal } = new AbortController(); // never aborted
    for (let [first] = this.#calls; first !== undefined; [first] = this.#calls) {
      const leftMs = first.endsAt - this.#world.monotonic();
      if (leftMs > 0) await this.#world.sleep(Math.min(leftMs, LOOKS_EVERY_MS), signal);
      else {
        this.#calls.delete(first);
        first.expire();
      }
    }
    this.#isWatching = false;
  }
}
