// What Counterfoil has told of the orders' payments: by webhook, and from the list of events where a webhook was lost.
import type { Events, Payment, PaymentMessage, WebhookMessage } from 'counterfoil/client';

/** One payment. A real shop keeps it in its database: a row for each payment, and a row for each eventId that it has taken. */
interface Told {
  newest: PaymentMessage;
  /** The sequence of each message that was taken, by its eventId. */
  readonly taken: Map<string, number>;
}

/** Orders that are remembered. */
const MOST = 10_000;

export class ToldPayments {
  /** By order, then by payment: a declined payment is followed by another one. */
  readonly #orders = new Map<string, Map<string, Told>>();
  /** The eventId up to which the list was read: not the newest webhook's, because webhooks come in any order. */
  #after: string | undefined;
  #catchingUp: Promise<void> | undefined;
  #isAskedAgain = false;

  constructor(after: string | undefined) {
    this.#after = after;
  }

  /** The newest payment of an order, as it was told last. */
  of(orderId: string): Payment | undefined {
    const payments = [...(this.#orders.get(orderId)?.values() ?? [])].map(({ newest }) => newest.payment);
    return payments.sort((a, b) => (a.date < b.date ? 1 : -1))[0];
  }

  /**
   * Takes a message, however often and in whatever order messages come: the payment with the highest sequence is the newest. Answers
   * whether the message before it is missing: it is on its way, or lost.
   */
  take(message: WebhookMessage): boolean {
    const { eventId, sequence, previousSequence, payment } = message;
    const told = this.#told(message);
    if (told.taken.has(eventId)) return false;
    told.taken.set(eventId, sequence);
    if (sequence > told.newest.sequence) told.newest = message;
    const isMissing = previousSequence !== undefined && ![...told.taken.values()].includes(previousSequence);
    if (isMissing) console.error(`A message about ${payment.id} before ${eventId} is missing: looking for it.`);
    return isMissing;
  }

  /**
   * Reads what was told since the last time; calls during a read share one more read after it, because the read may have passed what they
   * look for. Throws what the client throws.
   */
  catchUp(events: Events, signal?: AbortSignal): Promise<void> {
    this.#isAskedAgain = true;
    this.#catchingUp ??= this.#readWhileAsked(events, signal).finally(() => {
      this.#catchingUp = undefined;
    });
    return this.#catchingUp;
  }

  async #readWhileAsked(events: Events, signal: AbortSignal | undefined): Promise<void> {
    while (this.#isAskedAgain) {
      this.#isAskedAgain = false;
      await this.#read(events, signal);
    }
  }

  async #read(events: Events, signal: AbortSignal | undefined): Promise<void> {
    const filter = { limit: 100, ...(this.#after !== undefined && { after: this.#after }) };
    for await (const message of events.list(filter, { signal })) {
      this.take(message);
      this.#after = message.eventId;
    }
  }

  #told(message: PaymentMessage): Told {
    const { id, orderId } = message.payment;
    const order = this.#orders.get(orderId) ?? new Map<string, Told>();
    const told = order.get(id) ?? { newest: message, taken: new Map() };
    order.set(id, told);
    this.#orders.set(orderId, order);
    const [oldest] = this.#orders.size > MOST ? this.#orders.keys() : [];
    if (oldest !== undefined) this.#orders.delete(oldest);
    return told;
  }
}
