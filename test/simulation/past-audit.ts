// Moments of the past that shoppers asked for: the log must hold the same payment for them at the end of the world
// (contract §4, "?at=").
import type { StoredEvent } from '../../src/stores/event-store.ts';

/** The longest append of a store that sends none again, ms (contract §4). */
const LONGEST_APPEND_MS = 15_000;
/** The result for a payment that did not exist then. */
export const NOT_MADE = -1;

interface Moment {
  /** Business time, ms. */
  readonly at: number;
  /** The payment's last revision then, or NOT_MADE, as a node answered it. */
  readonly revision: number;
}

export class PastAudit {
  /** The age (ms) of a moment after which no event may join it. */
  readonly finalAfterMs: number;
  readonly #asked = new Map<string, Moment[]>();
  /** By stream, at the index of the revision. */
  readonly #recordedAt = new Map<string, number[]>();

  constructor([first, second]: readonly [number, number]) {
    this.finalAfterMs = LONGEST_APPEND_MS + Math.abs(first - second);
  }

  note(paymentId: string, moment: Moment): void {
    const moments = this.#asked.get(paymentId);
    if (moments === undefined) this.#asked.set(paymentId, [moment]);
    else moments.push(moment);
  }

  /** Each event of the log, in its order. */
  take({ stream, metadata }: StoredEvent): void {
    if (!stream.startsWith('payment-')) return;
    const recordedAt = Number(/"recordedAt":(\d+)/.exec(metadata)?.[1]);
    const times = this.#recordedAt.get(stream);
    if (times === undefined) this.#recordedAt.set(stream, [recordedAt]);
    else times.push(recordedAt);
  }

  end(): readonly string[] {
    return [...this.#asked].flatMap(([id, moments]) => {
      const times = this.#recordedAt.get(`payment-${id}`) ?? [];
      return moments.flatMap(({ at, revision }) => {
        // As the query does: the longest beginning of the stream whose events were recorded by then.
        const later = times.findIndex((recordedAt) => recordedAt > at);
        const now = (later === -1 ? times.length : later) - 1;
        return now === revision ? [] : [`${id} was at revision ${revision} at ${at}, and now its past says ${now}`];
      });
    });
  }
}
