// One request to Stripe, form-encoded, and what its answer proves: Stripe's own word, or none. After a 429 the calls of
// a connection wait, a little longer with each one that follows.
import type { z } from 'zod';
import { Notice } from '../../app-error.ts';
import type { World } from '../../world.ts';
import { type HttpAnswer, type HttpCaller, httpCaller } from '../http-call.ts';
import type { Call } from '../processor.ts';
import { Refusal, readAs, type StripeError } from './wire.ts';

export const API = 'https://api.stripe.com';
/** Pinned: answers and events are read as this version has them. */
export const VERSION = '2026-10-28.endive';

export interface Question<Shape> {
  readonly method: 'GET' | 'POST';
  /** Without a query. */
  readonly path: string;
  /** The idempotency key of a POST. */
  readonly key?: string;
  readonly form?: FormFields;
  /** What the answer is. */
  readonly shape: z.ZodType<Shape>;
}

/** `detail`: what was observed, with Stripe's name of the request, and nothing that was sent. */
export type StripeAnswer<Shape> =
  | { readonly kind: 'told'; readonly value: Shape; readonly detail: string }
  /** An error in Stripe's own shape. */
  | {
      readonly kind: 'error';
      readonly status: number;
      readonly error: StripeError;
      readonly detail: string;
      /** It is the saved answer of an earlier request under the key, with the same parameters. */
      readonly isReplayed: boolean;
    }
  /** No byte left. */
  | { readonly kind: 'not_sent'; readonly detail: string }
  /** The answer is not whole, or is not Stripe's: a page of a proxy. */
  | { readonly kind: 'unclear'; readonly detail: string; readonly status?: number };

export interface Api {
  /** Never throws, and never repeats. */
  ask<Shape>(question: Question<Shape>, call: Call): Promise<StripeAnswer<Shape>>;
  close(): void;
}

/** Makes the caller of a server; `base` is its root, as that of HttpCallerOptions. */
export type OpenCaller = (base: string) => HttpCaller;

interface ApiParts {
  readonly world: Pick<World, 'sleep' | 'monotonic'>;
  readonly report: (notice: unknown) => void;
  readonly openCaller?: OpenCaller | undefined;
}

/** One caller for each server, and one pace for each connection, made when they are first used. */
export function stripeApi({ world, report, openCaller = (base) => httpCaller({ base, world }) }: ApiParts): Api {
  const paces = new Map<string, RequestPace>();
  const paceOf = (connectionId: string): RequestPace => {
    const pace = paces.get(connectionId) ?? new RequestPace({ world, report, connectionId });
    paces.set(connectionId, pace);
    return pace;
  };
  const callers = new Map<string, HttpCaller>();
  const callerOf = (base: string): HttpCaller => {
    const caller = callers.get(base) ?? openCaller(base);
    callers.set(base, caller);
    return caller;
  };
  return {
    async ask({ method, path, key, form = [], shape }, { connection, signal }) {
      const { secretKey } = connection.secrets;
      if (secretKey === undefined || !/^[\x21-\x7e]+$/.test(secretKey))
        return { kind: 'not_sent', detail: 'the connection has no usable secret named secretKey' };
      const encoded = encodeForm(form);
      const headers = {
        Authorization: `Bearer ${secretKey}`,
        'Stripe-Version': VERSION,
        ...(method === 'POST' && { 'Content-Type': 'application/x-www-form-urlencoded' }),
        ...(key !== undefined && { 'Idempotency-Key': key }),
      };
      const asked =
        method === 'POST'
          ? { method, path, headers, body: encoded }
          : { method, path: encoded === '' ? path : `${path}?${encoded}`, headers };
      const pace = paceOf(connection.connectionId);
      if (!(await pace.turn(signal)))
        return { kind: 'not_sent', detail: 'too many requests: it was not its turn in time' };
      const answer = await callerOf(connection.apiUrl ?? API).call(asked, signal);
      const told = toldBy(answer, { shape, form, secretKey });
      if (told.kind === 'error' && told.status === 429 && told.error.code === 'rate_limit') pace.limited();
      else if (told.kind === 'told' || told.kind === 'error') pace.taken();
      return told;
    },
    close() {
      for (const caller of callers.values()) caller.close();
    },
  };
}

/** What repeats the key is not Stripe: nothing of it reaches an event, an answer or a person's screen. */
const REPEATED = { kind: 'unclear', detail: 'it repeated the secret key in its answer' } as const;

interface Asking<Shape> extends Required<Pick<Question<Shape>, 'shape' | 'form'>> {
  readonly secretKey: string;
}

function toldBy<Shape>(answer: HttpAnswer, { shape, form, secretKey }: Asking<Shape>): StripeAnswer<Shape> {
  if (answer.kind === 'not_sent') return answer;
  if (answer.kind === 'lost') return { kind: 'unclear', detail: answer.detail };
  const { status, headers, body } = answer;
  const requestId = headers['request-id'];
  const hasKey = (text: unknown): boolean => typeof text === 'string' && text.includes(secretKey);
  if (hasKey(body) || hasKey(requestId)) return REPEATED;
  const suffix = typeof requestId === 'string' && /^[\w-]{1,64}$/.test(requestId) ? ` (request ${requestId})` : '';
  const value = status === 200 ? readAs(shape, body) : undefined;
  if (value !== undefined && hasKey(JSON.stringify(value))) return REPEATED; // by escapes
  if (value !== undefined) return { kind: 'told', value, detail: `it answered with status 200${suffix}` };
  const error = status >= 400 ? withoutSent(readAs(Refusal, body)?.error, form) : undefined;
  if (error !== undefined && hasKey(JSON.stringify(error))) return REPEATED;
  const isReplayed = headers['idempotent-replayed'] === 'true';
  if (error !== undefined) return { kind: 'error', status, error, detail: inWords(status, error) + suffix, isReplayed };
  return { kind: 'unclear', status, detail: `it answered with status ${status}, not in the words of Stripe${suffix}` };
}

/** The longest sentence of Stripe's that is kept, in characters. */
const LONGEST_MESSAGE = 500;

/** Stripe's sentence repeats parts of the request: what is more than a plain word of it is left out. */
function withoutSent(error: StripeError | undefined, form: FormFields): StripeError | undefined {
  if (error?.message == null) return error;
  const sent = form.flatMap(([, value]) => (typeof value === 'string' && !/^[a-z_]*$/.test(value) ? [value] : []));
  const message = sent
    .reduce((text, value) => text.replaceAll(value, '…'), error.message)
    .replaceAll(/\bhttps?:\S+|\b(?:pm|ctoken|cus|tok|src|card|ba)_\w+/g, '…')
    .slice(0, LONGEST_MESSAGE);
  return { ...error, message };
}

/** Stripe's codes without its sentences. */
function inWords(status: number, { type, code, decline_code: declineCode, param }: StripeError): string {
  const codes = [type, code, declineCode, param && `at ${param}`].filter((word) => typeof word === 'string');
  return `it answered with status ${status}: ${codes.join(', ')}`;
}

/** The parameters of a request, by their whole names; undefined ones are left out. */
export type FormFields = readonly (readonly [name: string, value: string | number | boolean | undefined])[];

/** Never throws, even for half of a surrogate pair, for which `encodeURIComponent` does. */
const encodeForm = (form: FormFields): string =>
  new URLSearchParams(
    form.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] satisfies [string, string]])),
  ).toString();

/** ms; the last one is also the longest that a call waits. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2_000;
/** Operators get one notice in this time, ms. */
const TOLD_EVERY_MS = 60_000;

interface PaceParts {
  readonly world: Pick<World, 'sleep' | 'monotonic'>;
  readonly report: (notice: unknown) => void;
  readonly connectionId: string;
}

/** The pace of one connection in this process. */
export class RequestPace {
  readonly #parts: PaceParts;
  #openAt = Number.NEGATIVE_INFINITY;
  #pauseMs = 0;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(parts: PaceParts) {
    this.#parts = parts;
  }

  /**
   * Waits for the end of a pause, 2 s at most. False if the call may not be sent: the signal has aborted, or a further
   * 429 has made the pause longer than that.
   */
  async turn(signal: AbortSignal): Promise<boolean> {
    const { world } = this.#parts;
    const latest = world.monotonic() + LONGEST_PAUSE_MS;
    for (let now = world.monotonic(); now < this.#openAt; now = world.monotonic()) {
      if (this.#openAt > latest) return false;
      // a timer may end a moment early
      const waited = await world.sleep(Math.ceil(this.#openAt - now), signal).then(
        () => true,
        () => false,
      );
      if (!waited) return false;
    }
    return true;
  }

  /** Stripe has refused a call because there were too many. Those that were under way by then count once. */
  limited(): void {
    const { world, report, connectionId } = this.#parts;
    const now = world.monotonic();
    if (now < this.#openAt) return;
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, this.#pauseMs * 2));
    this.#openAt = now + this.#pauseMs;
    if (now - this.#toldAt < TOLD_EVERY_MS) return;
    this.#toldAt = now;
    report(
      new Notice(
        `Stripe limits the requests of the connection ${connectionId} (429 rate_limit). Its calls wait for up to ${LONGEST_PAUSE_MS / 1_000} s.`,
      ),
    );
  }

  /** Stripe has taken a call: the next pause begins small again. */
  taken(): void {
    if (this.#parts.world.monotonic() >= this.#openAt) this.#pauseMs = 0;
  }
}
