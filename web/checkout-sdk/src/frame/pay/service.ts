// The calls of /checkout with the client token (contract §3): from the service's own origin, so the page's policy
// allows no other.
import type { Card } from '../card/validate-card.ts';
import type { MethodName } from '../methods.ts';
import { type Payment, paymentIn, type Refused, refusalIn, type Session, sessionIn } from './answers.ts';

interface Answered<Body> {
  readonly kind: 'answered';
  readonly body: Body;
}
/** Thrown without a response. A request that was sent may have had its effect. */
interface Unreachable {
  readonly kind: 'unreachable';
}
export type Answer<Body> = Answered<Body> | Refused | Unreachable;

export interface Order {
  readonly paymentMethodToken: string;
  readonly vaultOnSuccess?: boolean;
  /** The amount on the button when it was pressed. The service charges that, or nothing. */
  readonly shown: { readonly amount: number; readonly currencyCode: string };
}

/** What a processor's own fields made of a card, and the fields' own word for it. */
export interface ProcessorToken {
  readonly connectionId: string;
  readonly type: string;
  readonly token: string;
}

/** A method besides a card that is typed, with what it needs. */
export interface GivenMethod {
  readonly type: MethodName;
  readonly [member: string]: string | boolean;
}

const READ_WITHIN_MS = 15_000;
/** The service responds after 30 s at the latest, even if the processor does not (contract §4). */
const PAY_WITHIN_MS = 40_000;
const unreachable: Unreachable = { kind: 'unreachable' };

export class CheckoutService {
  readonly #clientToken: string;
  /** As the newest session has it, in ms. */
  #aheadMs = 0;
  readonly #payment = (body: unknown): Payment | undefined => paymentIn(body, this.#aheadMs);

  constructor(clientToken: string) {
    this.#clientToken = clientToken;
  }

  readSession(): Promise<Answer<Session>> {
    return this.#ask('session', { method: 'GET' }, READ_WITHIN_MS, (body) => {
      const session = sessionIn(body);
      this.#aheadMs = session.aheadMs;
      return session;
    });
  }

  readPayment(id: string): Promise<Answer<Payment>> {
    return this.#ask(`payments/${encodeURIComponent(id)}`, { method: 'GET' }, READ_WITHIN_MS, this.#payment);
  }

  /** The token of a card, of what a processor's own fields made of it, or of another method. It pays once. */
  tokenize(
    given: { readonly card: Card } | { readonly processorToken: ProcessorToken } | { readonly method: GivenMethod },
  ): Promise<Answer<string>> {
    return this.#ask('payment-instruments', posted(given), PAY_WITHIN_MS, (body) =>
      typeof body === 'object' && body !== null && 'token' in body && typeof body.token === 'string'
        ? body.token
        : undefined,
    );
  }

  /** The shopper agrees to the session's agreement, as the page has shown it; again: nothing. */
  agree(shown: { readonly language: string; readonly textDigest: string }): Promise<Answer<true>> {
    return this.#ask('agreement', { ...posted(shown), keepalive: true }, READ_WITHIN_MS, () => true);
  }

  /**
   * A repetition with the same key has the same effect and the same response (contract §6). Leaving the page does not
   * abort it.
   */
  pay(order: Order, idempotencyKey: string): Promise<Answer<Payment>> {
    return this.#ask(
      'payments',
      { ...posted(order, { 'X-Idempotency-Key': idempotencyKey }), keepalive: true },
      PAY_WITHIN_MS,
      this.#payment,
    );
  }

  /**
   * Sends the token that the shopper came back with. For the same token again, the response is the payment as it is
   * (contract §4).
   */
  resume(id: string, resumeToken: string): Promise<Answer<Payment>> {
    return this.#ask(
      `payments/${encodeURIComponent(id)}/resume`,
      { ...posted({ resumeToken }), keepalive: true },
      PAY_WITHIN_MS,
      this.#payment,
    );
  }

  /**
   * Ends a required action. If it has ended already, or the bank was faster, the response is the payment as it is
   * (contract §4).
   */
  giveUp(id: string): Promise<Answer<Payment>> {
    return this.#ask(
      `payments/${encodeURIComponent(id)}/cancel`,
      { ...posted({}), keepalive: true },
      PAY_WITHIN_MS,
      this.#payment,
    );
  }

  async #ask<Body>(
    path: string,
    request: RequestInit,
    withinMs: number,
    read: (body: unknown) => Body | undefined,
  ): Promise<Answer<Body>> {
    try {
      const answer = await fetch(`/checkout/${path}`, {
        ...request,
        headers: { ...request.headers, 'X-Client-Token': this.#clientToken },
        credentials: 'omit',
        cache: 'no-store',
        referrerPolicy: 'no-referrer',
        signal: AbortSignal.timeout(withinMs),
      });
      const body: unknown = await answer.json();
      if (!answer.ok) return refusalIn(answer.status, body, answer.headers.get('Retry-After'));
      const known = read(body);
      return known === undefined ? unreachable : { kind: 'answered', body: known };
    } catch {
      return unreachable;
    }
  }
}

const posted = (body: object, headers: Readonly<Record<string, string>> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(body),
});
