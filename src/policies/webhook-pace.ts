// How many calls an endpoint gets at a time: many while it takes them, few and far between while it does not.
import type { World } from '../world.ts';

/**
 * Calls at a time after the first that the receiver took; each that it takes quickly raises it by one, each that it
 * does not take halves it.
 */
const AT_ONCE = 16;
const MOST_AT_ONCE = 64;
/** A receiver that takes longer gets no more at a time, ms: its calls would hold connections, and hurry nothing. */
const QUICK_MS = 1_000;
/** After so many calls in a row that were not taken it gets one at a time, and a rest before each. */
const FAILURES = 3;
/**
 * The rest doubles up to the longest: the waiting messages of a dead endpoint, a million of them, must cost no more
 * than its place in a list.
 */
const SHORTEST_REST_MS = 50;
const LONGEST_REST_MS = 5_000;

export class Pace {
  readonly #world: Pick<World, 'now'>;
  /** False before its first success: a node that starts with dead endpoints has better things to do. */
  #hasTaken = false;
  #atOnce = AT_ONCE;
  #failures = 0;
  #restMs = 0;
  /** By the business clock: a clock that is moved ends a rest. */
  #restsUntil = 0;

  constructor(world: Pick<World, 'now'>) {
    this.#world = world;
  }

  get atOnce(): number {
    return this.#hasTaken && this.#failures < FAILURES ? this.#atOnce : 1;
  }

  /** How long the next call waits, ms. */
  get restMs(): number {
    return Math.max(0, this.#restsUntil - this.#world.now());
  }

  /** A call ended after `tookMs`. */
  heard(isTaken: boolean, tookMs: number): void {
    this.#hasTaken ||= isTaken;
    if (!isTaken) this.#atOnce = Math.max(1, this.#atOnce >> 1);
    else if (tookMs <= QUICK_MS) this.#atOnce = Math.min(this.#atOnce + 1, MOST_AT_ONCE);
    this.#failures = isTaken ? 0 : this.#failures + 1;
    if (this.#failures < FAILURES) {
      this.#restMs = 0;
      this.#restsUntil = 0;
    } else if (this.restMs === 0) {
      this.#restMs = Math.min(Math.max(SHORTEST_REST_MS, 2 * this.#restMs), LONGEST_REST_MS);
      this.#restsUntil = this.#world.now() + this.#restMs;
    }
  }
}
