// A clock that a test moves, shared by processes of which each can be paused: what takes seconds is tested in no time.
import { setImmediate as turn } from 'node:timers/promises';
import type { World } from '../../../src/world.ts';
import { calmWorld } from '../../support/calm-world.ts';

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/** Turns of the event loop after which everything that was woken waits again. */
const TURNS = 20;

export class SteppedClock {
  #now = 0;
  readonly #sleepers = new Set<Sleeper>();

  get now(): number {
    return this.#now;
  }

  /** The world of one process. */
  world(): World {
    return {
      ...calmWorld,
      monotonic: () => this.#now,
      steady: () => this.#now,
      sleep: (ms, signal) => this.#sleep(ms, signal),
    };
  }

  /** Lets time pass, and all processes do their work meanwhile. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      for (let n = 0; n < TURNS; n += 1) await turn();
      const next = [...this.#sleepers].filter(({ until }) => until <= end).sort((a, b) => a.until - b.until)[0];
      if (next === undefined) break;
      this.#now = next.until;
      this.#sleepers.delete(next);
      next.wake();
    }
    this.#now = end;
  }

  /** Lets time pass until it holds; answers how much did, ms. Throws when it does not hold within `limitMs`. */
  async passUntil(holds: () => boolean, limitMs: number): Promise<number> {
    const from = this.#now;
    while (!holds()) {
      if (this.#now - from > limitMs) throw new Error(`not within ${limitMs} ms`);
      await this.pass(50);
    }
    return this.#now - from;
  }

  #sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#sleepers.delete(sleeper);
        reject(signal.reason);
      };
      const sleeper = {
        until: this.#now + ms,
        wake: () => {
          signal.removeEventListener('abort', abort);
          resolve();
        },
      };
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      this.#sleepers.add(sleeper);
    });
  }
}
