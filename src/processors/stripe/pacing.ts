// How fast a connection may ask Stripe: after a 429 its calls wait, a little longer with each one that follows.
import { Notice } from '../../app-error.ts';
import type { World } from '../../world.ts';

/** ms; the last one is also the longest that a call waits. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2_000;
/** Operators get one notice in this time, ms. */
const TOLD_EVERY_MS = 60_000;

export interface PaceParts {
  readonly world: Pick<World, 'sleep' | 'monotonic'>;
  readonly report: (notice: unknown) => void;
  readonly connectionId: string;
}

/** The pace of one connection in this process. */
export class RequestPace {
  readonly #parts: PaceParts;
  #openAt = Number.NEGATIVE_INFINITY;
  #pauseMs = 0;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(parts: PaceParts) {
    this.#parts = parts;
  }

  /**
   * Waits for the end of a pause, 2 s at most. False if the call may not be sent: the signal has aborted, or a further
   * 429 has made the pause longer than that.
   */
  async turn(signal: AbortSignal): Promise<boolean> {
    const { world } = this.#parts;
    const latest = world.monotonic() + LONGEST_PAUSE_MS;
    for (let now = world.monotonic(); now < this.#openAt; now = world.monotonic()) {
      if (this.#openAt > latest) return false;
      // a timer may end a moment early
      const waited = await world.sleep(Math.ceil(this.#openAt - now), signal).then(
        () => true,
        () => false,
      );
      if (!waited) return false;
    }
    return true;
  }

  /** Stripe has refused a call because there were too many. Those that were under way by then count once. */
  limited(): void {
    const { world, report, connectionId } = this.#parts;
    const now = world.monotonic();
    if (now < this.#openAt) return;
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, this.#pauseMs * 2));
    this.#openAt = now + this.#pauseMs;
    if (now - this.#toldAt < TOLD_EVERY_MS) return;
    this.#toldAt = now;
    report(
      new Notice(
        `Stripe limits the requests of the connection ${connectionId} (429 rate_limit). Its calls wait for up to ${LONGEST_PAUSE_MS / 1_000} s.`,
      ),
    );
  }

  /** Stripe has taken a call: the next pause begins small again. */
  taken(): void {
    if (this.#parts.world.monotonic() >= this.#openAt) this.#pauseMs = 0;
  }
}
