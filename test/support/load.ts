// Shoppers that go through checkouts of all kinds. They remember every acknowledged write and every unanswered one.

import { clientTokenIn, paymentIn, tokenIn, verdictOf } from './load-calls.ts';
import type { Answer, Client } from './load-client.ts';
import { card } from './node.ts';

/** The last acknowledged state of a resource. */
export interface Acknowledged {
  /** The path to read it at. */
  readonly path: string;
  readonly revision: number;
  /** The write's answer, as a read shows it. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** A write as it was sent. Sent again under the same key it has the same effect, or none. */
export interface Write {
  readonly method: string;
  readonly path: string;
  readonly body: object;
  /** Replaces the API key in a checkout. */
  readonly clientToken?: string;
  readonly key?: string;
  readonly readAt: (answer: Answer) => string;
}

/** The last write was not answered: its connection was cut, or a store was unavailable. Its effect is unknown. */
class Cut extends Error {}

/** How many writes are sent again at once. */
const SENDERS = 64;

export class Memory {
  readonly acknowledged = new Map<string, Acknowledged>();
  readonly unanswered: Write[] = [];
  /** The texts of 503 answers to writes, by request id. */
  readonly refused = new Map<string, string>();
  readonly #storesMayBeUnavailable: boolean;
  /** Verdicts that no client should ever get. */
  readonly surprises: string[] = [];
  writes = 0;

  /** `storesMayBeUnavailable`: 503 is expected, and its write is sent again like an unanswered one. */
  constructor({ storesMayBeUnavailable = false }: { readonly storesMayBeUnavailable?: boolean } = {}) {
    this.#storesMayBeUnavailable = storesMayBeUnavailable;
  }

  async send(client: Client, write: Write): Promise<Answer> {
    const { method, path, body, clientToken, key } = write;
    const headers: Record<string, string> = key === undefined ? {} : { 'X-Idempotency-Key': key };
    const asked =
      clientToken === undefined
        ? client.call(method, path, body, headers)
        : client.inCheckout(clientToken, method, path, body, headers);
    const answer = await asked.catch((fault: unknown) => {
      this.unanswered.push(write);
      throw new Cut(String(fault));
    });
    if (answer.status === 503 && this.#storesMayBeUnavailable) {
      this.unanswered.push(write);
      this.refused.set(String(answer.headers['x-request-id']), `${write.method} ${write.path}: ${answer.text}`);
      throw new Cut(answer.text);
    }
    this.#note(write, answer);
    return answer;
  }

  /** Sends unanswered writes again under their keys. Answers how many there were. */
  async sendAgain(client: Client): Promise<number> {
    const again = this.unanswered.splice(0).filter(({ key }) => key !== undefined);
    const waiting = [...again];
    const sender = async (): Promise<void> => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        await this.send(client, next).catch((fault: unknown) => {
          if (!(fault instanceof Cut)) throw fault;
        });
      }
    };
    await Promise.all(Array.from({ length: SENDERS }, sender));
    return again.length;
  }

  #note(write: Write, answer: Answer): void {
    const { status, body, revision } = answer;
    if (status === 200 || status === 202) {
      this.writes += 1;
      const path = write.readAt(answer);
      const known = this.acknowledged.get(path);
      if (known === undefined || known.revision < revision)
        this.acknowledged.set(path, { path, revision, body: readable(body) });
    } else if (verdictOf(answer) === '409 IdempotencyKeyInProgress') this.unanswered.push(write);
    else if (!EXPECTED.has(verdictOf(answer))) this.surprises.push(`${write.method} ${write.path}: ${answer.text}`);
  }
}

/**
 * Expected refusals: declines, including those of calls that the processor never received, and calls that an unknown
 * attempt excludes.
 */
const EXPECTED = new Set([
  '422 RefundDeclined',
  '422 CaptureDeclined',
  '422 CancellationDeclined',
  '409 PaymentOperationInProgress',
]);

/** Members that answers to writes have and reads lack. */
function readable(body: unknown): Readonly<Record<string, unknown>> {
  const members: Record<string, unknown> = typeof body === 'object' ? { ...body } : {};
  for (const name of ['clientToken', 'clientTokenExpirationDate', 'warnings']) delete members[name];
  return members;
}

/** False for an operation that is only confirmed later. */
const isCaptured = (answer: Answer): boolean => answer.status === 200 && paymentIn(answer).status !== 'SETTLING';

/** Sandbox cards and their share in percent; all other payments use an approved card. */
const HANGING: readonly (readonly [number, string])[] = [
  [2, '4000009900001044'], // the money moved
  [2, '4000009900001051'], // nothing happened
];
const PROMPT: readonly (readonly [number, string])[] = [
  [8, '4000000000000002'], // declined
  [4, '4000009900001077'], // 500, and the money moved
  [3, '4000009900001085'], // not sent
  [3, '4000009900001010'], // pending, then authorized
  [4, '4000009900003016'], // captures less
  [4, '4000009900003040'], // captures later
  [4, '4000009900004055'], // refunds later
];

export class Shopper {
  readonly #memory: Memory;
  readonly #random: () => number;
  readonly #name: string;
  readonly #cards: readonly (readonly [number, string])[];
  #writes = 0;

  /** `prompt` leaves out cards whose calls hang until their deadline. */
  constructor(name: string, memory: Memory, random: () => number, cards: 'all' | 'prompt' = 'all') {
    this.#name = name;
    this.#cards = cards === 'all' ? [...HANGING, ...PROMPT] : PROMPT;
    this.#memory = memory;
    this.#random = random;
  }

  /** Makes one checkout after another until the connection is cut or the signal aborts. */
  async shop(client: Client, signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) await this.#checkOut(client);
    } catch (fault) {
      if (!(fault instanceof Cut)) throw fault;
    }
  }

  async #checkOut(client: Client): Promise<void> {
    const made = await this.#write(client, 'POST', '/client-session', this.#fields(), {
      readAt: (answer) => `/client-session?clientToken=${clientTokenIn(answer)}`,
    });
    const clientToken = clientTokenIn(made);
    const readAt = (): string => `/client-session?clientToken=${clientToken}`;
    for (let n = this.#below(3); n > 0; n -= 1) {
      await this.#write(client, 'PATCH', '/client-session', { clientToken, metadata: { n } }, { readAt });
    }
    const tokenized = await this.#write(client, 'POST', '/checkout/payment-instruments', card(this.#card()), {
      clientToken,
      readAt: (answer) => `/payment-instruments/${tokenIn(answer)}`,
    });
    if (tokenized.status !== 200 || this.#below(20) === 0) return; // the customer leaves without paying
    await this.#pay(client, clientToken, tokenIn(tokenized));
  }

  async #pay(client: Client, clientToken: string, paymentMethodToken: string): Promise<void> {
    const paid = await this.#write(
      client,
      'POST',
      '/payments',
      { clientToken, paymentMethodToken },
      { readAt: (answer) => `/payments/${paymentIn(answer).id}` },
    );
    if (paid.status !== 200) return;
    const { id, status } = paymentIn(paid);
    const change = (what: string, body: object) =>
      this.#write(client, 'POST', `/payments/${id}/${what}`, body, { readAt: () => `/payments/${id}` });
    if (status !== 'AUTHORIZED') return;
    switch (this.#below(6)) {
      case 0:
        return;
      case 1:
        await change('cancel', { reason: 'changed my mind' });
        return;
      case 2:
        if (!isCaptured(await change('capture', { amount: 100 + this.#below(300), final: false }))) return;
        await change('capture', {
          amount: 100 + this.#below(300),
          final: this.#below(2) === 0,
          metadata: { second: true },
        });
        break;
      default:
        if (!isCaptured(await change('capture', {}))) return;
    }
    for (let n = this.#below(3); n > 0; n -= 1) await change('refund', { amount: 1 + this.#below(40) });
  }

  #write(
    client: Client,
    method: string,
    path: string,
    body: object,
    rest: Pick<Write, 'readAt'> & { readonly clientToken?: string },
  ): Promise<Answer> {
    // One in five has no key: its outcome cannot be found, but it must do no harm.
    const key = this.#below(5) === 0 ? {} : { key: `${this.#name}-${this.#writes++}` };
    return this.#memory.send(client, { method, path, body, ...rest, ...key });
  }

  #fields(): object {
    const customer =
      this.#below(4) === 0
        ? { customerId: `customer-${this.#below(20)}`, paymentMethod: { vaultOnSuccess: true } }
        : {};
    const automatic = this.#below(6) === 0 ? { paymentMethod: { captureMode: 'AUTOMATIC' } } : {};
    return {
      orderId: `${this.#name}-${this.#writes}`,
      currencyCode: 'EUR',
      amount: 1_000 + this.#below(9_000),
      ...customer,
      ...automatic,
    };
  }

  #card(): string {
    let left = this.#below(100);
    for (const [share, number] of this.#cards) {
      if (left < share) return number;
      left -= share;
    }
    return '4242424242424242';
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }
}

/** Mulberry32: the same seed gives the same numbers, from 0 up to 1. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
