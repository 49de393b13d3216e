// The connection of a node to a store or to the processor: calls take time, are lost on the way there or back, or are
// answered late.
import { between, chance, type Random } from './random.ts';
import type { Owner, Timeline } from './timeline.ts';

/** How unreliable a link is: probabilities for each call, times in ms. */
export interface Weather {
  /** The call never arrives. */
  readonly lost: number;
  /** The call takes effect, and its answer is lost. */
  readonly answerLost: number;
  /** The call, or its answer, takes up to `slowMs`. */
  readonly slow: number;
  readonly slowMs: number;
}

export const CALM: Weather = { lost: 0, answerLost: 0, slow: 0, slowMs: 0 };

/** Half of the calls take no time at all, so that concurrent work falls both before and after them. */
const QUICK = 0.5;
const USUAL_MS = 8;

export class Link {
  readonly #timeline: Timeline;
  readonly #owner: Owner;
  readonly #random: Random;
  weather: Weather;

  constructor(timeline: Timeline, owner: Owner, random: Random, weather: Weather) {
    this.#timeline = timeline;
    this.#owner = owner;
    this.#random = random;
    this.weather = weather;
  }

  /**
   * Has the effect at the other end and brings its answer back, as the weather allows. `lost` and `answerLost` make
   * what the caller gets in those cases. A call that was sent takes effect even if its caller crashes; a crashed caller
   * gets no answer.
   */
  call<T>(effect: () => T | Promise<T>, lost: () => T | Promise<T>, answerLost: () => T | Promise<T>): Promise<T> {
    if (this.#owner.isDead) return forever();
    const { weather } = this;
    const draw = this.#random();
    const thereMs = this.#way();
    const backMs = this.#way();
    // One promise for each call: a payment takes sixty calls.
    return new Promise((resolve, reject) => {
      const learn = (what: () => T | Promise<T>): void => {
        try {
          resolve(what());
        } catch (fault) {
          reject(fault);
        }
      };
      if (draw < weather.lost) {
        this.#timeline.after(thereMs, this.#owner, () => learn(lost));
        return;
      }
      const isAnswerLost = draw < weather.lost + weather.answerLost;
      const answer = (value: T): void =>
        this.#back(backMs, isAnswerLost ? () => learn(answerLost) : () => resolve(value));
      const fail = (fault: unknown): void =>
        this.#back(backMs, isAnswerLost ? () => learn(answerLost) : () => reject(fault));
      const arrive = (): void => {
        try {
          const done = effect();
          if (done instanceof Promise) done.then(answer, fail);
          else answer(done);
        } catch (fault) {
          fail(fault);
        }
      };
      if (thereMs > 0) this.#timeline.after(thereMs, undefined, arrive);
      else arrive();
    });
  }

  #back(ms: number, learn: () => void): void {
    if (this.#owner.isDead) return;
    if (ms > 0 || this.#owner.isPaused) this.#timeline.after(ms, this.#owner, learn);
    else learn();
  }

  #way(): number {
    const { slow, slowMs } = this.weather;
    if (chance(this.#random, slow)) return between(this.#random, USUAL_MS, slowMs);
    return chance(this.#random, QUICK) ? 0 : between(this.#random, 1, USUAL_MS);
  }
}

/** A promise that never settles: a crashed process waits for it. */
export const forever = (): Promise<never> => new Promise(() => undefined);
