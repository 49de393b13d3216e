// Wakes who waits for something to fall due: what this process announces is sent in time, however rarely it looks.
import type { World } from '../../world.ts';

/** Made once: an abort without a reason makes a DOMException with its stack. */
const RUNG = new DOMException('Something is due', 'AbortError');

export class Alarm {
  #rings = 0;
  readonly #sleepers = new Set<AbortController>();

  /** How often it has rung. */
  get rings(): number {
    return this.#rings;
  }

  ring(): void {
    this.#rings += 1;
    for (const sleeper of this.#sleepers) sleeper.abort(RUNG);
  }

  /** Ends early when it rings, and at once when it has rung since `rings` was read. Rejects with the signal's reason when it aborts. */
  async sleep(world: World, ms: number, signal: AbortSignal, rings: number): Promise<void> {
    if (rings !== this.#rings) return;
    const sleeper = new AbortController();
    const stop = (): void => sleeper.abort(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    this.#sleepers.add(sleeper);
    try {
      signal.throwIfAborted();
      await world.sleep(ms, sleeper.signal);
    } catch (fault) {
      if (fault !== RUNG) throw fault;
    } finally {
      signal.removeEventListener('abort', stop);
      this.#sleepers.delete(sleeper);
    }
  }
}
