// The calls of the demo's shop and its customer's browser, as `demo` and `trigger` make, await and print them.
import { z } from 'zod';
import { formatTime, type World } from '../../world.ts';
import { Refused, Unavailable } from '../exit.ts';
import { compactJson } from '../output.ts';

export interface DemoExchange {
  readonly at: string;
  readonly method: string;
  readonly path: string;
  /** Names of the headers that are shown; credentials are not. */
  readonly headers: readonly string[];
  readonly request: unknown;
  readonly status: number;
  readonly ms: number;
  readonly answer: unknown;
}

/** The ways in which a call differs from a plain one of the shop. */
interface CallOptions {
  /** The customer's browser calls, by this client token. */
  readonly clientToken?: string;
  readonly idempotencyKey?: string;
  /** A refusal that is an answer like any other here. */
  readonly mayBe?: number;
  /** The exchange is shown only if its answer is worth it; without it always. */
  readonly isShown?: (answer: unknown) => boolean;
}

export interface DemoAnswer {
  readonly status: number;
  readonly body: unknown;
}

const NEVER = (): boolean => false;
const LOOK_EVERY_MS = 250;

export class ShopCalls {
  readonly #url: string;
  readonly #apiKey: string;
  readonly #world: World;
  readonly #each: (exchange: DemoExchange) => void | Promise<void>;

  /** `each` gets each exchange that is shown. */
  constructor(url: string, apiKey: string, world: World, each: (exchange: DemoExchange) => void | Promise<void>) {
    this.#url = url;
    this.#apiKey = apiKey;
    this.#world = world;
    this.#each = each;
  }

  get(path: string): Promise<DemoAnswer> {
    return this.call('GET', path);
  }

  /** As get, and not shown. */
  read(path: string, options: Pick<CallOptions, 'mayBe'> = {}): Promise<DemoAnswer> {
    return this.call('GET', path, undefined, { ...options, isShown: NEVER });
  }

  /**
   * Reads until `find` finds something in an answer, and shows that one alone, or none. Throws Refused after
   * `withinMs`, with the words for what did not happen.
   */
  async until<T>(
    path: string,
    find: (answer: unknown) => T | undefined,
    {
      withinMs,
      words,
      isShown = true,
    }: { readonly withinMs: number; readonly words: string; readonly isShown?: boolean },
  ): Promise<T> {
    const deadline = this.#world.monotonic() + withinMs;
    const isFound = (answer: unknown): boolean => isShown && find(answer) !== undefined;
    while (this.#world.monotonic() < deadline) {
      const found = find((await this.call('GET', path, undefined, { isShown: isFound })).body);
      if (found !== undefined) return found;
      await this.#world.sleep(LOOK_EVERY_MS, new AbortController().signal);
    }
    throw new Refused(`${words} within ${withinMs / 1_000} s.`);
  }

  /** Throws Refused for an answer that is not a success, Unavailable when there is none. */
  async call(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    body?: object,
    { clientToken, idempotencyKey, mayBe, isShown }: CallOptions = {},
  ): Promise<DemoAnswer> {
    const at = formatTime(this.#world.now());
    const started = this.#world.monotonic();
    const [name, credential] =
      clientToken === undefined ? ['X-Api-Key', this.#apiKey] : ['X-Client-Token', clientToken];
    const headers = {
      [name]: credential,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'X-Idempotency-Key': idempotencyKey }),
    };
    const response = await this.#world
      .fetch(`${this.#url}${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
      .catch((fault: unknown) => {
        throw new Unavailable(`${this.#url} does not respond.`, fault);
      });
    const answer: unknown = await response.json();
    const { status } = response;
    const exchange = {
      at,
      method,
      path,
      headers: [name, ...(idempotencyKey === undefined ? [] : [`X-Idempotency-Key: ${idempotencyKey}`])],
      request: body ?? null,
      status,
      ms: Math.round(this.#world.monotonic() - started),
      answer,
    };
    if (isShown?.(answer) !== false) await this.#each(exchange);
    if (!response.ok && status !== mayBe) throw new Refused(`${method} ${path} returned ${status}.`);
    return { status, body: answer };
  }
}

/** For people: the call in a line. */
export const briefly = ({ method, path, status, ms }: DemoExchange): string =>
  `${method} ${path}  ${status} after ${ms} ms`;

/**
 * For people: the request, the answer, and how long it took. Client tokens are cut short; they are of no use to a
 * reader.
 */
export function printed({ at, method, path, headers, request, status, ms, answer }: DemoExchange): string {
  const sent = request === null ? [] : [`  ${shown(request)}`];
  return [
    `${at}  ${method} ${path}  (${headers.join(', ')})`,
    ...sent,
    `  ${status} after ${ms} ms`,
    `  ${shown(answer)}`,
  ].join('\n');
}

const shown = (value: unknown): string => compactJson(JSON.parse(JSON.stringify(value, shortened)), 2);
const shortened = (name: string, value: unknown): unknown =>
  name === 'clientToken' && typeof value === 'string' ? `${value.slice(0, 16)}…` : value;

/** The members of the answers that the demo reads. */
const Session = z.object({ clientToken: z.string() });
const Instrument = z.object({ token: z.string() });
export const Payment = z.object({ id: z.string(), status: z.string() });
const Refunded = Payment.extend({
  currencyCode: z.string(),
  processor: z.object({ amountAuthorized: z.number(), amountCaptured: z.number(), amountRefunded: z.number() }),
});

/** A card that is accepted. */
export const APPROVED = '4242424242424242';

/** Amounts in minor units. */
export interface Ended {
  readonly paymentId: string;
  readonly status: string;
  readonly currencyCode: string;
  readonly authorized: number;
  readonly captured: number;
  readonly refunded: number;
}

/** Session, token, payment, capture, refund of a half. */
export async function checkout(calls: ShopCalls, world: World): Promise<Ended> {
  const { body } = await authorize(calls, APPROVED, world);
  return captureAndRefund(calls, Payment.parse(body).id);
}

/** Up to the payment; its answer is any success. `fields`: of POST /payments, besides the two tokens. */
export async function authorize(
  calls: ShopCalls,
  card: string,
  world: World,
  fields: object = {},
): Promise<DemoAnswer> {
  const order = { lineItems: [{ itemId: 'shirt', amount: 2_500, quantity: 2 }], shipping: { amount: 490 } };
  const reference = `demo-${Buffer.from(world.randomBytes(4)).toString('hex')}`;
  const session = { orderId: reference, currencyCode: 'EUR', customer: { emailAddress: 'ada@example.com' }, order };
  return authorizeIn(calls, session, card, fields);
}

/** As authorize, in a session with these fields, whose order names the request. */
export async function authorizeIn(
  calls: ShopCalls,
  session: { readonly orderId: string },
  card: string,
  fields: object = {},
): Promise<DemoAnswer> {
  const made = await calls.call('POST', '/client-session', session);
  const { clientToken } = Session.parse(made.body);
  const details = { expirationMonth: '12', expirationYear: '2030', cvc: '123', cardholderName: 'Ada Lovelace' };
  const body = { card: { number: card, ...details } };
  const instrument = await calls.call('POST', '/checkout/payment-instruments', body, { clientToken });
  const paymentMethodToken = Instrument.parse(instrument.body).token;
  const payment = { clientToken, paymentMethodToken, ...fields };
  return calls.call('POST', '/payments', payment, { idempotencyKey: session.orderId });
}

export async function captureAndRefund(calls: ShopCalls, id: string): Promise<Ended> {
  await calls.call('POST', `/payments/${id}/capture`, {});
  const refund = { amount: 2_500, reason: 'one shirt came back' };
  const answer = await calls.call('POST', `/payments/${id}/refund`, refund);
  const { status, currencyCode, processor } = Refunded.parse(answer.body);
  const { amountAuthorized: authorized, amountCaptured: captured, amountRefunded: refunded } = processor;
  return { paymentId: id, status, currencyCode, authorized, captured, refunded };
}
