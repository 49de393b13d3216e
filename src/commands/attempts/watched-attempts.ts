// Since when this process watches attempts whose outcome nobody knows: what "not found" has to outlast is measured here, on no other clock.
import { boundedCache } from '../../bounded-cache.ts';
import type { World } from '../../world.ts';

/** A moment, ms, by the two clocks of this process that no wall clock moves. */
export interface Moment {
  readonly steady: number;
  readonly monotonic: number;
}

/** One that is forgotten is watched anew from its next look-up on: "not found" then counts later, never sooner. */
const WATCHED = 100_000;

export class WatchedAttempts {
  readonly #since = boundedCache<Moment>(WATCHED);
  readonly #world: Pick<World, 'steady' | 'monotonic'>;

  constructor(world: Pick<World, 'steady' | 'monotonic'>) {
    this.#world = world;
  }

  now(): Moment {
    return { steady: this.#world.steady(), monotonic: this.#world.monotonic() };
  }

  /** Since when the attempt is watched; from now on, when it was not. */
  watch(attemptId: string): Moment {
    const known = this.#since.get(attemptId);
    if (known !== undefined) return known;
    const since = this.now();
    this.#since.set(attemptId, since);
    return since;
  }

  forget(attemptId: string): void {
    this.#since.delete(attemptId);
  }
}
