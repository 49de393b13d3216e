// The clock, the ids, the events and the effects that all accounts of a twin share.
import { randomBytes } from 'node:crypto';
import type Stripe from 'stripe';
import type { Lie } from './lies.ts';
import type { Account, Charge, Effect } from './state.ts';

/** The version that the answers follow. */
export const API_VERSION = '2026-10-28.endive';

/** One request while it executes, or a control. */
export interface Call {
  readonly account: Account;
  readonly requestId: string | undefined;
  readonly key: string | undefined;
  /** True if it came with the publishable key. */
  readonly isBrowser?: boolean;
}

interface Moved {
  readonly kind: Effect['kind'];
  readonly amount: number;
  /** Metadata of the request. */
  readonly metadata?: Readonly<Record<string, string>>;
}

export class Engine {
  readonly lies: ReadonlySet<Lie>;
  readonly effects: Effect[] = [];
  /** The root of the twin's address, once it listens. */
  url = '';
  readonly #base: () => number;
  readonly #heard: (account: Account, event: Stripe.Event) => void;
  readonly #random: (bytes: number) => Uint8Array;
  #moved = 0;

  /** `base` is a clock in ms; `heard` gets every event; `random` makes ids. */
  constructor(
    base: () => number,
    lies: ReadonlySet<Lie>,
    heard: (account: Account, event: Stripe.Event) => void,
    random: (bytes: number) => Uint8Array = randomBytes,
  ) {
    this.#base = base;
    this.lies = lies;
    this.#heard = heard;
    this.#random = random;
  }

  /** In ms. */
  now(): number {
    return this.#base() + this.#moved;
  }

  moveClock(ms: number): void {
    this.#moved += ms;
  }

  newId(prefix: string): string {
    return `${prefix}_${Buffer.from(this.#random(12)).toString('hex')}`;
  }

  record(call: Call, charge: Charge, { kind, amount, metadata = {} }: Moved): void {
    if (amount === 0) return;
    const { intent } = charge;
    this.effects.push({
      kind,
      reference: metadata['counterfoil_reference'] ?? intent.metadata['counterfoil_reference'],
      payment: intent.metadata['counterfoil_payment'],
      key: call.key,
      amount,
      currency: intent.currency,
      paymentIntent: intent.id,
      charge: charge.id,
      at: this.now(),
    });
  }

  emit(call: Call, type: string, object: object): void {
    const { account, requestId, key } = call;
    const event = {
      id: this.newId('evt'),
      object: 'event' as const,
      api_version: API_VERSION,
      created: seconds(this.now()),
      data: { object: structuredClone(object) },
      livemode: account.options.isLive,
      pending_webhooks: account.endpoints.length,
      request: { id: requestId ?? null, idempotency_key: key ?? null },
      type,
    };
    account.events.push(event as Stripe.Event);
    this.#heard(account, event as Stripe.Event);
  }
}

/** Stripe's times are in whole seconds. */
export const seconds = (ms: number): number => Math.floor(ms / 1_000);
