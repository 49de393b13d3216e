// Waits that end after a while: one clock for all of them, because a timer for each write would cost more than its
// bookkeeping.
import type { World } from '../../../world.ts';

/** Ticks of the clock in the time that a wait may take: that is how exactly it is kept. */
const TICKS = 4;

/** A caller's wait for work; the work itself goes on when the wait is over. */
export class Wait {
  /** Rejects with the work's own fault, or when it takes too long. */
  readonly promise: Promise<void>;
  /** The tick in which it began: time during which this process was paused does not count. */
  readonly since: number;
  readonly #failed: (fault: unknown) => void;
  #resolve: () => void = nothing;
  #reject: (fault: unknown) => void = nothing;

  constructor(since: number, failed: (fault: unknown) => void) {
    this.since = since;
    this.#failed = failed;
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  end(): void {
    this.#resolve();
  }

  fail(fault: unknown): void {
    this.#failed(fault);
    this.#reject(fault);
  }
}

const nothing = (): void => undefined;

export class Waits {
  readonly #waits = new Set<Wait>();
  readonly #late: () => unknown;
  #tick = 0;

  /** `late`: the rejection of a wait that took too long. */
  constructor(late: () => unknown) {
    this.#late = late;
  }

  /** `failed` hears of the rejection first. */
  begin(failed: (fault: unknown) => void): Wait {
    const wait = new Wait(this.#tick, failed);
    this.#waits.add(wait);
    return wait;
  }

  /** The work has been done. */
  end(wait: Wait): void {
    if (this.#waits.delete(wait)) wait.end();
  }

  /** The work has failed. */
  fail(wait: Wait, fault: unknown): void {
    if (this.#waits.delete(wait)) wait.fail(fault);
  }

  /** Resolves when the waits that have begun are over. */
  async settled(): Promise<void> {
    if (this.#waits.size > 0) await Promise.allSettled([...this.#waits].map(({ promise }) => promise));
  }

  /** Ends what takes longer than `ms`, up to a quarter more, until the signal aborts. */
  async run(world: World, ms: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await world.sleep(ms / TICKS, signal).catch(() => undefined);
      this.#tick += 1;
      for (const wait of this.#waits) {
        if (this.#tick - wait.since <= TICKS) break; // later ones began later
        this.fail(wait, this.#late());
      }
    }
  }
}
