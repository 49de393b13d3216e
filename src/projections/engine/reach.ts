// Tracks how long a store has been unreachable, from the results of a repeated call with a time limit.
import { Notice } from '../../app-error.ts';
import { StoreUnavailable } from '../../stores/store-unavailable.ts';
import { type World, within } from '../../world.ts';

interface ReachOptions {
  /** As the subject of a sentence. */
  readonly store: 'the event store' | 'the read models';
  readonly world: World;
  /** A call that takes longer counts as failed. */
  readonly answerMs: number;
  /** Hears when the store goes, with the fault, and when it is there again. */
  readonly report: (fault: unknown) => void;
}

interface Outage {
  /** Of World.monotonic. */
  readonly since: number;
  readonly isSilent: boolean;
}

export class Reach {
  readonly #options: ReachOptions;
  #outage: Outage | undefined;

  constructor(options: ReachOptions) {
    this.#options = options;
  }

  /** For how long it has been unavailable, ms; undefined if the last call was answered. */
  get unavailableMs(): number | undefined {
    return this.#outage === undefined ? undefined : this.#options.world.monotonic() - this.#outage.since;
  }

  /** The reason for people, without the store's own words: they may name hosts, and are in the log. */
  get reason(): string | undefined {
    const { store, answerMs } = this.#options;
    if (this.#outage === undefined) return undefined;
    const why = this.#outage.isSilent ? `no response within ${answerMs / 1_000} s` : 'the log says why';
    return `${store} ${store.endsWith('s') ? 'have' : 'has'} been unavailable for ${seconds(this.unavailableMs)}: ${why}`;
  }

  /**
   * Makes a call that shows the state. Throws the call's own faults, and StoreUnavailable when there is no answer in
   * time.
   */
  async ask<T>(call: () => Promise<T>): Promise<T> {
    const { store, world, answerMs } = this.#options;
    const since = world.monotonic();
    try {
      const answer = await within(world, answerMs, call);
      if (answer === 'timeout') throw new Silent(`${store} did not respond within ${answerMs} ms`, { isPassing: true });
      this.#isThere();
      return answer;
    } catch (fault) {
      this.#isUnavailable(since, fault);
      throw fault;
    }
  }

  #isThere(): void {
    const { store, report } = this.#options;
    if (this.#outage === undefined) return;
    report(
      new Notice(
        `${store.charAt(0).toUpperCase()}${store.slice(1)} can be reached again after ${seconds(this.unavailableMs)}.`,
      ),
    );
    this.#outage = undefined;
  }

  #isUnavailable(since: number, fault: unknown): void {
    if (this.#outage === undefined) this.#options.report(fault);
    this.#outage = { since: this.#outage?.since ?? since, isSilent: fault instanceof Silent };
  }
}

class Silent extends StoreUnavailable {}

export const seconds = (ms = 0): string => `${Math.round(ms / 1_000)} s`;
