// Wakes whoever pauses between two rounds of due work, because something falls due before the pause is over.
import type { World } from './world.ts';

/** Made once: an abort without a reason makes a DOMException with its stack. */
const WOKEN = new DOMException('The pause is over', 'AbortError');

export class Alarm {
  readonly #sleepers = new Set<AbortController>();
  #rung = 0;

  /** Ends every pause that is under way, and the next one of everybody who has been at work since before. */
  ring(): void {
    this.#rung += 1;
    for (const sleeper of this.#sleepers) sleeper.abort(WOKEN);
  }

  /** How often it was rung: what a pause is told, so that a ring during the work before it is not missed. */
  get rung(): number {
    return this.#rung;
  }

  /** Pauses for ms, until it is rung (also when it was since `rung`), or until the signal aborts. Never rejects. */
  async sleep(world: Pick<World, 'sleep'>, ms: number, signal: AbortSignal, rung: number): Promise<void> {
    if (this.#rung !== rung || signal.aborted) return;
    const woken = new AbortController();
    const stop = (): void => woken.abort(WOKEN);
    this.#sleepers.add(woken);
    signal.addEventListener('abort', stop, { once: true });
    await world.sleep(ms, woken.signal).catch(() => undefined);
    signal.removeEventListener('abort', stop);
    this.#sleepers.delete(woken);
  }
}
