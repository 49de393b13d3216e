// One call of the client: its options, its key, and its result besides the resource.
import { type AnySent, type DryEndpoint, type Endpoint, type ResourceOf, type Sent, targetOf } from './endpoint.ts';
import type { Outside } from './outside.ts';
import { type Answer, type Limits, send } from './send.ts';
import type { DryRun } from './types.ts';

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
   * An ETag of `response.etag`: the resource changes only when it still has this version, else CounterfoilError
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
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly fetch: typeof fetch;
  readonly outside: Outside;
  readonly limits: Limits;
}

/** Options of a read. The token of a session goes in a header: in the URL it would appear in the logs of proxies. */
type ReadOptions = CallOptions & { readonly clientToken?: string };
type EndpointOf<Method extends string> = Extract<Endpoint, `${Method} ${string}`>;

export class Caller {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  read<At extends EndpointOf<'GET'>>(at: At, sent: Sent<At>, options: ReadOptions): Promise<Answered<ResourceOf<At>>> {
    return this.#call(at, sent, { ...options, idempotencyKey: undefined });
  }

  /** Creates the key: one for all attempts. */
  write<At extends Exclude<Endpoint, EndpointOf<'GET'>>>(
    at: At,
    sent: Sent<At>,
    options: ConditionalOptions,
  ): Promise<Answered<ResourceOf<At>>> {
    const idempotencyKey = options.idempotencyKey ?? this.#transport.outside.newKey();
    return this.#call(at, sent, { ...options, idempotencyKey });
  }

  /** Asks what a call would do. It has no key, because it changes nothing. */
  tryOut<At extends DryEndpoint>(at: At, sent: Sent<At>, options: CallOptions): Promise<Answered<DryRun>> {
    return this.#call(at, { ...sent, query: { dryRun: true } }, { ...options, idempotencyKey: undefined });
  }

  async #call<Resource extends object>(
    at: Endpoint,
    sent: AnySent,
    { signal, timeoutMs, requestId, idempotencyKey, ifMatch, clientToken }: ConditionalOptions & ReadOptions,
  ): Promise<Answered<Resource>> {
    const { baseUrl, apiKey, fetch, outside, limits } = this.#transport;
    const [method = '', path = ''] = at.split(' ');
    const request = {
      baseUrl,
      target: targetOf(path, sent),
      method,
      headers: {
        'X-Api-Key': apiKey,
        ...(sent.body !== undefined && { 'Content-Type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'X-Idempotency-Key': idempotencyKey }),
        ...(requestId !== undefined && { 'X-Request-Id': requestId }),
        ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
        ...(clientToken !== undefined && { 'X-Client-Token': clientToken }),
      },
      body: sent.body === undefined ? undefined : JSON.stringify(sent.body),
    };
    const totalMs = timeoutMs ?? limits.totalMs;
    const answer = await send(request, { fetch, outside, limits: { ...limits, totalMs }, signal, idempotencyKey });
    return answered<Resource>(JSON.parse(answer.text), factsOf(answer, idempotencyKey));
  }
}

function factsOf({ status, headers, attempts }: Answer, idempotencyKey: string | undefined): ResponseFacts {
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
