// A merchant's consumer of webhooks, to copy: it ends with the state of every payment, however badly messages come.
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type Counterfoil,
  type Payment,
  type PaymentMessage,
  verifyWebhook,
  type WebhookHeaders,
  type WebhookMessage,
  WebhookVerificationError,
} from '../../client/src/entry.ts';

export interface ConsumerOptions {
  /** `whsec_…` */
  readonly secret: string;
  readonly counterfoil: Pick<Counterfoil, 'events'>;
  /** Called once for each message, whatever its order: here a refund is mailed to the customer. */
  readonly onMessage: (message: PaymentMessage) => void;
}

/** In production its members are tables of your database, and `#apply` is one transaction. */
export class Consumer {
  readonly #options: ConsumerOptions;
  /** Every payment at the highest sequence that was told. */
  readonly #payments = new Map<string, Payment>();
  /** `eventId` of every message that was applied. */
  readonly #applied = new Set<string>();
  /** Their payments and sequences: `<payment> <sequence>`. */
  readonly #told = new Set<string>();
  /** The messages that another message names as the previous one, and that have not arrived. */
  readonly #missing = new Set<string>();
  /** The last message that was read from GET /events: everything up to it is applied. */
  #readUpTo: string | undefined;

  constructor(options: ConsumerOptions) {
    this.#options = options;
  }

  get payments(): ReadonlyMap<string, Payment> {
    return this.#payments;
  }

  /** How many messages are known to be missing. They may be on their way. */
  get missing(): number {
    return this.#missing.size;
  }

  /** Takes one webhook. Throws WebhookVerificationError for one that we did not sign. */
  async take(rawBody: string | Uint8Array, headers: WebhookHeaders): Promise<void> {
    const message: WebhookMessage = await verifyWebhook(rawBody, headers, this.#options.secret);
    if (message.payment === undefined) return; // about an agreement
    const { payment, previousSequence } = message;
    const before = `${payment.id} ${previousSequence}`;
    if (previousSequence !== undefined && !this.#told.has(before)) this.#missing.add(before);
    this.#apply(message);
  }

  /**
   * Reads what webhooks have not told. Call it when a message is missing for a minute, and every hour: a lost last
   * message of a payment is named by no other one.
   */
  async catchUp(): Promise<void> {
    const after = this.#readUpTo;
    for await (const message of this.#options.counterfoil.events.list(after === undefined ? {} : { after })) {
      if (message.payment !== undefined) this.#apply(message);
      this.#readUpTo = message.eventId;
    }
  }

  /** Once for each event, in any order. */
  #apply(message: PaymentMessage): void {
    const { eventId, sequence, payment } = message;
    if (this.#applied.has(eventId)) return; // delivered twice, or read before
    this.#applied.add(eventId);
    this.#told.add(`${payment.id} ${sequence}`);
    this.#missing.delete(`${payment.id} ${sequence}`);
    const known = this.#payments.get(payment.id);
    // else it came late, and says what was
    if (known === undefined || sequence > known.version) this.#payments.set(payment.id, payment);
    this.#options.onMessage(message);
  }
}

/** The consumer as a listener of `http.createServer`: the body is verified as it came, before any parser. */
export const receive = (consumer: Consumer) => async (request: IncomingMessage, response: ServerResponse) => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    await consumer.take(Buffer.concat(chunks), request.headers);
    response.writeHead(204).end();
  } catch (fault) {
    response.writeHead(fault instanceof WebhookVerificationError ? 400 : 500).end(); // either is delivered again
  }
};
