// The orders' payments as Counterfoil reported them: by webhook, and from the list of events if a webhook was lost.
import type { Events, Payment, PaymentMessage, WebhookMessage } from '@counterfoil/client';

/** One payment. A real shop stores a row for each payment and a row for each eventId that it has processed. */
interface Told {
  newest: PaymentMessage;
  /** True if the money had arrived: a debit may be returned weeks later. */
  wasPaid: boolean;
  /** The sequence of each processed message, by its eventId. */
  readonly taken: Map<string, number>;
}

/** Orders that are remembered. */
const MOST = 10_000;

export class ToldPayments {
  /** By order, then by payment: a declined payment is followed by another one. */
  readonly #orders = new Map<string, Map<string, Told>>();
  /**
   * The eventId up to which the list was read. It is not the newest webhook's, because webhooks arrive in any order.
   */
  #after: string | undefined;
  #catchingUp: Promise<void> | undefined;
  #isAskedAgain = false;

  constructor(after: string | undefined) {
    this.#after = after;
  }

  /** The newest payment of an order, as last reported. */
  of(orderId: string): Payment | undefined {
    const payments = [...(this.#orders.get(orderId)?.values() ?? [])].map(({ newest }) => newest.payment);
    return payments.sort((a, b) => (a.date < b.date ? 1 : -1))[0];
  }

  /** True if the money of a payment had arrived, even if it was returned since. */
  wasPaid({ orderId, id }: Payment): boolean {
    return this.#orders.get(orderId)?.get(id)?.wasPaid === true;
  }

  /**
   * Processes a message. Messages may be repeated and come in any order: the payment with the highest sequence is the
   * newest. True if the previous message is missing because it is on its way or lost. A message about an agreement is
   * not one of an order.
   */
  take(message: WebhookMessage): boolean {
    if (message.payment === undefined) return false;
    const { eventId, sequence, previousSequence, payment } = message;
    const told = this.#told(message);
    if (told.taken.has(eventId)) return false;
    told.taken.set(eventId, sequence);
    if (sequence > told.newest.sequence) told.newest = message;
    if (payment.status === 'SETTLED') told.wasPaid = true;
    const isMissing = previousSequence !== undefined && ![...told.taken.values()].includes(previousSequence);
    if (isMissing)
      console.error(`The message about ${payment.id} before ${eventId} is missing. Reading the list of events.`);
    return isMissing;
  }

  /**
   * Reads the events since the last read. Calls during a read share one further read after it, because the current read
   * may have passed the events that they need. Throws the client's errors.
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
    const told = order.get(id) ?? { newest: message, wasPaid: false, taken: new Map() };
    order.set(id, told);
    this.#orders.set(orderId, order);
    const [oldest] = this.#orders.size > MOST ? this.#orders.keys() : [];
    if (oldest !== undefined) this.#orders.delete(oldest);
    return told;
  }
}
