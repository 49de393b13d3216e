// When this process began to watch an attempt: the time that it has measured since then is evidence.
import { boundedCache } from '../../journal/bounded-cache.ts';
import type { World } from '../../world.ts';

/** A moment, ms, by the two clocks of this process that no wall clock moves. */
export interface Moment {
  readonly steady: number;
  readonly monotonic: number;
}

/** When this process began to watch an attempt. */
export interface AttemptWatch extends Moment {
  /**
   * Business time, ms, that the record proved to have passed by then; every later millisecond is measured by this
   * process.
   */
  readonly provenMs: number;
}

/** The most watched attempts. A dropped attempt is watched again from its next look-up on. */
const WATCHED = 100_000;

export class WatchedAttempts {
  readonly #since = boundedCache<AttemptWatch>(WATCHED);
  readonly #world: Pick<World, 'steady' | 'monotonic'>;

  constructor(world: Pick<World, 'steady' | 'monotonic'>) {
    this.#world = world;
  }

  now(): Moment {
    return { steady: this.#world.steady(), monotonic: this.#world.monotonic() };
  }

  /**
   * The time since which the attempt is watched. A new one is watched from now on, and `provenMs` is asked for the time
   * on record.
   */
  watch(attemptId: string, provenMs: () => number): AttemptWatch {
    const known = this.#since.get(attemptId);
    if (known !== undefined) return known;
    const since = { ...this.now(), provenMs: provenMs() };
    this.#since.set(attemptId, since);
    return since;
  }

  forget(attemptId: string): void {
    this.#since.delete(attemptId);
  }
}
