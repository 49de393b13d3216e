// One call of the client: its options, its key, and its result besides the resource.
import type { operations } from './api-types.ts';
import type { Outside } from './outside.ts';
import { type Limits, type Sent, send } from './send.ts';

/** Options of every call. */
export interface CallOptions {
  /** Ends the call, its pauses too. What was sent may still have its effect: see CounterfoilNoAnswer. */
  readonly signal?: AbortSignal | undefined;
  /** For the whole call with its retries, ms. */
  readonly timeoutMs?: number | undefined;
  /** Stored with the events of the call and found in the service's log; 1 to 128 of `A-Z a-z 0-9 . _ -`. */
  readonly requestId?: string | undefined;
}

/** Options of a call that changes something. */
export interface WriteOptions extends CallOptions {
  /**
   * Made by the client, once a call, when it is left out: then the client's own retries are safe. Give one of your own,
   * made of what you do ("order-7-capture"), and your process may die and start the call again, and the effect still
   * happens once (contract §6).
   */
  readonly idempotencyKey?: string | undefined;
}

/** Options of a change of a client session. */
export interface ConditionalOptions extends WriteOptions {
  /**
   * An ETag of `response.etag`: the session changes only when it still has this version, else CounterfoilError
   * `PreconditionFailed`.
   */
  readonly ifMatch?: string | undefined;
}

/** The answer around the resource. */
export interface ResponseFacts {
  readonly status: number;
  /** Finds the request in the service's log. */
  readonly requestId: string | undefined;
  /** The version of the resource, for `ifMatch`. */
  readonly etag: string | undefined;
  /** True if it is the answer of an earlier call with the same idempotency key. */
  readonly replayed: boolean;
  readonly idempotencyKey: string | undefined;
  readonly attempts: number;
}

/** A resource with its answer's facts in `response`, a property that JSON, spreading and printing leave out. */
export type Answered<Resource> = Resource & { readonly response: ResponseFacts };

export interface Transport {
  readonly fetch: typeof fetch;
  readonly outside: Outside;
  readonly limits: Limits;
}

/**
 * The options of openapi-fetch for one request. It checks the request against the path; the answer is read as text,
 * because its types of answers take readonly arrays and open enumerations apart.
 */
export interface RequestOptions {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly headers: { readonly [name: string]: string };
  readonly parseAs: 'text';
}

/** Sends by openapi-fetch. */
export type Ask = (request: RequestOptions) => Promise<{ readonly data?: string; readonly response: Response }>;

/** The body of an operation's 200, by its operationId. */
export type AnswerOf<Operation extends keyof operations> = operations[Operation] extends {
  readonly responses: { readonly 200: { content: { readonly 'application/json': infer Resource extends object } } };
}
  ? Resource
  : never;

export class Caller {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  read<Operation extends keyof operations>(options: CallOptions, ask: Ask): Promise<Answered<AnswerOf<Operation>>> {
    return this.#call({ ...options, idempotencyKey: undefined }, ask);
  }

  /** Creates the key: one for all attempts. */
  write<Operation extends keyof operations>(
    options: ConditionalOptions,
    ask: Ask,
  ): Promise<Answered<AnswerOf<Operation>>> {
    return this.#call({ ...options, idempotencyKey: options.idempotencyKey ?? this.#transport.outside.newKey() }, ask);
  }

  async #call<Resource extends object>(
    { signal, timeoutMs, requestId, idempotencyKey, ifMatch }: ConditionalOptions,
    ask: Ask,
  ): Promise<Answered<Resource>> {
    const { limits } = this.#transport;
    const sending = {
      ...this.#transport,
      limits: { ...limits, totalMs: timeoutMs ?? limits.totalMs },
      signal,
      idempotencyKey,
    };
    let sent: Sent | undefined;
    const { data, response } = await ask({
      async fetch(request) {
        sent = await send(request, sending);
        return sent.response;
      },
      headers: {
        ...(idempotencyKey !== undefined && { 'X-Idempotency-Key': idempotencyKey }),
        ...(requestId !== undefined && { 'X-Request-Id': requestId }),
        ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
      },
      parseAs: 'text',
    });
    if (data === undefined || sent === undefined) throw new TypeError('a call ended without a response');
    return answered<Resource>(JSON.parse(data), factsOf(response, sent.attempts, idempotencyKey));
  }
}

function factsOf({ status, headers }: Response, attempts: number, idempotencyKey: string | undefined): ResponseFacts {
  return {
    status,
    requestId: headers.get('X-Request-Id') ?? undefined,
    etag: headers.get('ETag') ?? undefined,
    replayed: headers.get('Idempotent-Replayed') === 'true',
    idempotencyKey,
    attempts,
  };
}

function answered<Resource extends object>(resource: Resource, response: ResponseFacts): Answered<Resource> {
  const made = Object.assign(resource, { response });
  return Object.defineProperty(made, 'response', { enumerable: false });
}

const ID = /^[A-Za-z0-9_-]+$/;

/** An id on its way into a path: an empty one, or one with a slash, would be another endpoint. Throws TypeError. */
export function idInPath(id: string): string {
  if (!ID.test(id)) throw new TypeError(`${JSON.stringify(id)} is not an id`);
  return id;
}
