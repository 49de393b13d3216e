// The client for a merchant's backend: one object with an API key, and the API's subjects on it.
import { type Agreements, agreementsOf } from './agreements.ts';
import { Caller } from './call.ts';
import { type Checkpoints, checkpointsOf } from './checkpoints.ts';
import { type ClientSessions, clientSessionsOf } from './client-sessions.ts';
import { type Connections, connectionsOf } from './connections.ts';
import { type Events, eventsOf } from './events.ts';
import { type Instruments, instrumentsOf } from './instruments.ts';
import { liveOutside, type Outside } from './outside.ts';
import { type PaymentLinks, paymentLinksOf } from './payment-links.ts';
import { type Payments, paymentsOf } from './payments.ts';

export interface CounterfoilOptions {
  /** `cf_test_…` or `cf_live_…`. It belongs on a server: in a browser everybody could read it. */
  readonly apiKey: string;
  /** Where the service is, as in `https://payments.example.com`; a path in front of the API's own may follow. */
  readonly baseUrl: string;
  /** For a call with all its retries, ms; 120,000 without it. One call may differ, by its own `timeoutMs`. */
  readonly timeoutMs?: number | undefined;
  /**
   * For one attempt, ms; 40,000 without it, because the service itself waits 30 s for a processor before it answers
   * 202.
   */
  readonly attemptTimeoutMs?: number | undefined;
  /** Attempts after the first; 5 without it. 0: none. */
  readonly retries?: number | undefined;
  /**
   * In place of the global fetch, for a proxy or a test. It is given a URL, has to heed the signal, and sends each
   * request once: the client repeats calls, and concludes from its last fault whether anything was sent.
   */
  readonly fetch?: typeof fetch | undefined;
}

/**
 * Every call answers the resource, with the answer's facts in `response`. It throws CounterfoilError for a refusal and
 * CounterfoilNoAnswer when no answer was heard. Each POST, PATCH and DELETE has an idempotency key of its own, made
 * once for all its attempts, so that a repeated call has one effect.
 */
export class Counterfoil {
  readonly clientSessions: ClientSessions;
  readonly payments: Payments;
  readonly instruments: Instruments;
  readonly paymentLinks: PaymentLinks;
  readonly agreements: Agreements;
  readonly events: Events;
  readonly checkpoints: Checkpoints;
  readonly connections: Connections;

  /** Throws TypeError for options that cannot work. `outside` is for tests. */
  constructor(options: CounterfoilOptions, outside: Outside = liveOutside) {
    const { timeoutMs = 120_000, attemptTimeoutMs = 40_000, retries = 5 } = options;
    const apiKey = apiKeyOf(options.apiKey);
    const limits = {
      totalMs: positive({ timeoutMs }),
      attemptMs: positive({ attemptTimeoutMs }),
      retries: positive({ retries }, 0),
    };
    const baseUrl = baseUrlOf(options.baseUrl);
    const caller = new Caller({
      baseUrl,
      apiKey,
      fetch: options.fetch ?? ((...args) => fetch(...args)),
      outside,
      limits,
    });
    this.clientSessions = clientSessionsOf(caller);
    this.payments = paymentsOf(caller);
    this.instruments = instrumentsOf(caller);
    this.paymentLinks = paymentLinksOf(caller);
    this.agreements = agreementsOf(caller);
    this.events = eventsOf(caller);
    this.checkpoints = checkpointsOf(caller);
    this.connections = connectionsOf(caller);
  }
}

function apiKeyOf(given: unknown): string {
  const key = textOf(given, 'apiKey', 'a key of your account, such as cf_test_…');
  if (!/^[\x21-\x7e]+$/.test(key)) throw new TypeError('apiKey contains characters that no key has');
  return key;
}

/** Without a slash at its end. */
function baseUrlOf(given: unknown): string {
  const text = textOf(given, 'baseUrl', 'the URL of the service, such as https://payments.example.com');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSound =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    `${url.username}${url.password}${url.search}${url.hash}` === '';
  if (!isSound)
    throw new TypeError(
      'baseUrl must be the http or https URL of the service, without credentials, query and fragment',
    );
  return text.replace(/(?<!\/)\/+$/, '');
}

/** JavaScript lets undefined through, which would be sent as the text "undefined". A wrong value is never printed. */
function textOf(given: unknown, name: string, wanted: string): string {
  if (typeof given === 'string' && given !== '') return given;
  const found = given === '' ? 'empty' : given === null || given === undefined ? `${given}` : `of type ${typeof given}`;
  throw new TypeError(`${name} is ${found}: it must be a string, ${wanted}`);
}

function positive(named: { readonly [name: string]: number }, least = 1): number {
  const [[name, value] = ['', Number.NaN]] = Object.entries(named);
  if (!(Number.isFinite(value) && value >= least))
    throw new TypeError(`${name} is ${value}: allowed is a number of at least ${least}`);
  return value;
}
