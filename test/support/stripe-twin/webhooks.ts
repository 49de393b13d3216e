// Webhooks: signed and delivered to the endpoints of an account, in order or as a control wants them.
import { createHmac } from 'node:crypto';
import type Stripe from 'stripe';
import { type Engine, seconds } from './engine.ts';
import type { Account, Endpoint } from './state.ts';

/** How events are delivered. */
export interface DeliveryMode {
  /** Against the response to the request that caused them. `held`: only `deliver` sends them. `after` if missing. */
  readonly when?: 'after' | 'before' | 'held';
  readonly twice?: boolean;
  /** The events of one request, the last first. */
  readonly reversed?: boolean;
  /** With `livemode` of the other mode. */
  readonly otherMode?: boolean;
  /** Signed by the endpoint's older secret only. */
  readonly oldSecret?: boolean;
}

/** One delivery, with the status of its response; 0 if none came. */
export interface Delivery {
  readonly event: Stripe.Event;
  readonly url: string;
  readonly body: string;
  readonly signature: string;
  readonly status: number;
}

/** `Stripe-Signature` at a time in ms, with one `v1` for each secret. */
export function signatureOf(secrets: readonly string[], body: string, now: number): string {
  const t = seconds(now);
  const signed = secrets.map((secret) => `v1=${createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')}`);
  return [`t=${t}`, ...signed].join();
}

/** Delivers a body over HTTP. */
export type Send = (url: string, init: RequestInit) => Promise<Response>;

interface Waiting {
  readonly account: Account;
  readonly event: Stripe.Event;
}

export class Webhooks {
  readonly deliveries: Delivery[] = [];
  mode: DeliveryMode = {};
  readonly #engine: () => Engine;
  readonly #send: Send;
  #outbox: Waiting[] = [];
  readonly #sending = new Set<Promise<void>>();
  #inTurn: Promise<void> = Promise.resolve();

  constructor(engine: () => Engine, send: Send = fetch) {
    this.#engine = engine;
    this.#send = send;
  }

  heard(account: Account, event: Stripe.Event): void {
    if (this.mode.when !== 'held') this.#outbox.push({ account, event });
  }

  /**
   * Sends what the last requests caused, if this is the time for it. Resolves when that is delivered. No delivery of
   * another request delays it: a receiver may call the twin before it responds.
   */
  async flush(when: 'after' | 'before'): Promise<void> {
    const { mode } = this;
    if ((mode.when ?? 'after') !== when || this.#outbox.length === 0) return;
    const batch = this.#outbox;
    this.#outbox = [];
    const ordered = mode.reversed === true ? batch.toReversed() : batch;
    if (when === 'before') return this.send(ordered, mode);
    // Events of later requests follow those of earlier ones.
    this.#inTurn = this.#inTurn.then(() => this.send(ordered, mode));
    return this.#tracked(this.#inTurn);
  }

  /** Resolves when every delivery so far has its response. */
  async idle(): Promise<void> {
    while (this.#sending.size > 0) await Promise.all(this.#sending);
  }

  send(batch: readonly Waiting[], mode: DeliveryMode): Promise<void> {
    const all = mode.twice === true ? batch.flatMap((one) => [one, one]) : batch;
    const inOrder = async (): Promise<void> => {
      for (const { account, event } of all)
        for (const endpoint of account.endpoints) await this.#sendOne(endpoint, event, mode);
    };
    return this.#tracked(inOrder());
  }

  async #tracked(sending: Promise<void>): Promise<void> {
    this.#sending.add(sending);
    await sending.finally(() => this.#sending.delete(sending));
  }

  async #sendOne(endpoint: Endpoint, event: Stripe.Event, mode: DeliveryMode): Promise<void> {
    const { events, url, secrets } = endpoint;
    if (!events.includes('*') && !events.includes(event.type)) return;
    const [current, older] = secrets;
    const engine = this.#engine();
    const body = JSON.stringify({ ...event, livemode: event.livemode !== (mode.otherMode === true) }, null, 2);
    const old = older ?? current;
    const signing = mode.oldSecret === true ? [old] : older === undefined ? [current] : [current, older];
    const signature = signatureOf(engine.lies.has('wrong_signature') ? ['whsec_other'] : signing, body, engine.now());
    const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Stripe-Signature': signature };
    const status = await this.#send(url, { method: 'POST', headers, body }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status;
      },
      () => 0,
    );
    this.deliveries.push({ event, url, body, signature, status });
  }
}
