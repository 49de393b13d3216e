// Parked notifications of this node whose payment or attempt was not known: they are tried again as soon as that appears here.
import { boundedCache } from '../../journal/bounded-cache.ts';

/** Payments waited for, and notifications for each; what is forgotten is found by its next retry. */
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

  /** The payment has news: the notifications that waited for it, which now do no longer. */
  appeared(paymentId: string): readonly string[] {
    const waiting = this.#waiting.peek(paymentId);
    if (waiting === undefined) return [];
    this.#waiting.delete(paymentId);
    return [...waiting];
  }
}
