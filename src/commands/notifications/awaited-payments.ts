// Parked notifications of this node whose payment or attempt was not known: they are tried again as soon as that
// appears here.
import { boundedCache } from '../../journal/bounded-cache.ts';

/** The awaited payments, and notifications for each; a forgotten one is found by its next retry. */
const PAYMENTS = 10_000;
const NOTIFICATIONS = 100;

export class AwaitedPayments {
  readonly #waiting = boundedCache<Set<string>>(PAYMENTS);

  /** Notification `recordId` names this payment. */
  wait(paymentId: string, recordId: string): void {
    const waiting = this.#waiting.get(paymentId) ?? new Set();
    if (waiting.size < NOTIFICATIONS) waiting.add(recordId);
    this.#waiting.set(paymentId, waiting);
  }

  /** The payment has news: answers the notifications that waited for it, and forgets them. */
  appeared(paymentId: string): readonly string[] {
    const waiting = this.#waiting.peek(paymentId);
    if (waiting === undefined) return [];
    this.#waiting.delete(paymentId);
    return [...waiting];
  }
}
