// One request and its answer, as the demo makes and prints them.
import { formatTime, type World } from '../../world.ts';
import { compactJson } from '../compact-json.ts';
import { Refused, Unavailable } from '../exit.ts';

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

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly body?: object;
  /** The header that names the caller. */
  readonly credential: readonly ['X-Api-Key' | 'X-Client-Token', string];
  readonly idempotencyKey?: string;
  /** A refusal that is an answer like any other here. */
  readonly mayBe?: number;
}

export interface DemoAnswer {
  readonly status: number;
  readonly body: unknown;
}

export class Client {
  readonly #url: string;
  readonly #world: World;
  readonly #each: (exchange: DemoExchange) => void | Promise<void>;

  constructor(url: string, world: World, each: (exchange: DemoExchange) => void | Promise<void>) {
    this.#url = url;
    this.#world = world;
    this.#each = each;
  }

  /** Throws Refused for an answer that is not a success, Unavailable when there is none. */
  send(request: Request): Promise<DemoAnswer> {
    return this.look(request, () => true);
  }

  /** Sends a request; it is shown only if its response is `worthShowing`. */
  async look(
    { method, path, body, credential, idempotencyKey, mayBe }: Request,
    worthShowing: (answer: unknown) => boolean,
  ): Promise<DemoAnswer> {
    const at = formatTime(this.#world.now());
    const started = this.#world.monotonic();
    const [name, value] = credential;
    const keyed = idempotencyKey === undefined ? [] : [`X-Idempotency-Key: ${idempotencyKey}`];
    const headers = {
      [name]: value,
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
      headers: [name, ...keyed],
      request: body ?? null,
      status,
      ms: Math.round(this.#world.monotonic() - started),
      answer,
    };
    if (worthShowing(answer)) await this.#each(exchange);
    if (!response.ok && status !== mayBe) throw new Refused(`${method} ${path} returned ${status}.`);
    return { status, body: answer };
  }
}

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
