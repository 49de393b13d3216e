// Sends one call as often as it takes: under one idempotency key, before one deadline, until the caller's signal.
import { CounterfoilError, CounterfoilNoAnswer, type UnansweredFacts } from './errors.ts';
import { type Outside, pause } from './outside.ts';
import { type Heard, mayRepeat, pauseMs, retryAfterMs } from './retry.ts';
import type { ErrorFields } from './types.ts';

export interface Limits {
  /** For one attempt, ms. */
  readonly attemptMs: number;
  /** For the whole call with its pauses, ms. */
  readonly totalMs: number;
  /** Attempts after the first. */
  readonly retries: number;
}

export interface Sending {
  readonly fetch: typeof fetch;
  readonly outside: Outside;
  readonly limits: Limits;
  readonly signal: AbortSignal | undefined;
  readonly idempotencyKey: string | undefined;
}

export interface AskedRequest {
  /** The URL of the service, without a slash at its end; errors name it. */
  readonly baseUrl: string;
  /** Path and query. */
  readonly target: string;
  readonly method: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: string | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** A JSON object. */
  readonly text: string;
  readonly attempts: number;
}

/**
 * Answers the first success, with its whole body read. Throws CounterfoilError for a refusal, and CounterfoilNoAnswer
 * when retries, time or the caller's patience ended without an answer.
 */
export async function send(request: AskedRequest, sending: Sending): Promise<Answer> {
  const { outside, limits, signal, idempotencyKey } = sending;
  const endsAt = outside.monotonic() + limits.totalMs;
  let mayHaveHappened = false;
  for (let attempts = 0; ; ) {
    if (isAborted(signal)) throw aborted(signal, { attempts, idempotencyKey, mayHaveHappened });
    const heard = await attempt(request, sending, Math.min(limits.attemptMs, endsAt - outside.monotonic()));
    attempts += 1;
    if (heard.kind === 'answer') return { ...heard, attempts };
    mayHaveHappened ||= !(heard.kind === 'none' && heard.isUnsent);
    const facts = { attempts, idempotencyKey, mayHaveHappened };
    if (isAborted(signal)) throw aborted(signal, facts);
    const waitMs = pauseMs(attempts, heard.retryAfterMs, outside.chance());
    const inTime = outside.monotonic() + waitMs < endsAt;
    if (!mayRepeat(heard) || attempts > limits.retries || !inTime) throw faultOf(heard, facts);
    await pause(outside, waitMs, signal);
  }
}

const isAborted = (signal: AbortSignal | undefined): signal is AbortSignal => signal?.aborted === true;
const TIME_IS_OVER = new Error('the time for a response is over');

async function attempt(
  { baseUrl, target, method, headers, body }: AskedRequest,
  { fetch, outside, signal }: Sending,
  ms: number,
): Promise<Heard> {
  const over = new AbortController();
  const cancel = outside.after(ms, () => over.abort(TIME_IS_OVER));
  const abort = (): void => over.abort(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    // A redirect is followed by no one: it would carry the key to another server. Workers lack `error`.
    const init = {
      method,
      headers,
      redirect: 'manual',
      signal: over.signal,
      ...(body !== undefined && { body }),
    } as const;
    const response = await fetch(`${baseUrl}${target}`, init);
    return read(response, await response.text(), baseUrl, outside);
  } catch (cause) {
    const nothing = { kind: 'none', status: undefined, retryAfterMs: undefined, isUnsent: isUnsent(cause) } as const;
    if (over.signal.reason === TIME_IS_OVER)
      return { ...nothing, reason: 'timeout', words: `No response from ${baseUrl} within ${Math.round(ms)} ms`, cause };
    return { ...nothing, reason: 'network', words: `No response from ${baseUrl}, ${causeInWords(cause)},`, cause };
  } finally {
    cancel();
    signal?.removeEventListener('abort', abort);
  }
}

/** The code of the first error, such as ECONNREFUSED, or the words of a runtime without codes. */
function causeInWords(fault: unknown): string {
  const first = firstCauseOf(fault);
  if (!isRecord(first)) return String(first);
  return String(first['code'] ?? first['message']);
}

function firstCauseOf(fault: unknown): unknown {
  let first = fault;
  while (isRecord(first) && isRecord(first['cause'])) first = first['cause'];
  return first;
}

/** The name was not found, or the connection was not accepted. */
const NOT_CONNECTED: ReadonlySet<unknown> = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ENOTFOUND',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * True if the fault proves that nothing was sent: there was no connection, at any address of the name. Some codes, such
 * as EHOSTUNREACH, prove that only from the system call `connect`.
 */
function isUnsent(fault: unknown): boolean {
  const first = firstCauseOf(fault);
  const tries = isRecord(first) && Array.isArray(first['errors']) ? first['errors'] : [first];
  const isOne = (one: unknown): boolean =>
    isRecord(one) && (NOT_CONNECTED.has(one['code']) || one['syscall'] === 'connect');
  return tries.length > 0 && tries.every(isOne);
}

/**
 * Reads a response: a success is a JSON object, a refusal has the shape of contract §7; anything else does not come
 * from the API.
 */
function read({ ok, status, headers }: Response, text: string, baseUrl: string, outside: Outside): Heard {
  const body = parsed(text);
  const wanted = retryAfterMs(headers.get('Retry-After'), outside.now());
  if (ok && isRecord(body)) return { kind: 'answer', status, headers, text };
  const fields = isRecord(body) ? body['error'] : undefined;
  if (!ok && isErrorFields(fields)) return { kind: 'refused', status, fields, retryAfterMs: wanted };
  const type = headers.get('Content-Type') ?? 'without a type';
  const words = `The response from ${baseUrl} does not come from Counterfoil (${status}, ${type})`;
  return { kind: 'none', reason: 'unreadable', words, status, retryAfterMs: wanted, isUnsent: false, cause: undefined };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the caller takes it for no answer
  }
}

const isRecord = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isErrorFields = (value: unknown): value is ErrorFields =>
  isRecord(value) && ['errorId', 'description', 'diagnosticsId'].every((name) => typeof value[name] === 'string');

const aborted = (signal: AbortSignal, facts: UnansweredFacts): CounterfoilNoAnswer =>
  new CounterfoilNoAnswer('aborted', 'The caller aborted the call', facts, signal.reason);

const faultOf = (
  heard: Exclude<Heard, { kind: 'answer' }>,
  facts: UnansweredFacts,
): CounterfoilError | CounterfoilNoAnswer =>
  heard.kind === 'refused'
    ? new CounterfoilError(heard, facts)
    : new CounterfoilNoAnswer(heard.reason, heard.words, facts, heard.cause);
