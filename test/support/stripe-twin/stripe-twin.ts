// A Stripe for tests on a real port, with state, a clock of its own, and controls for whatever can go wrong.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type Stripe from 'stripe';
import { unreversedHolds } from './books.ts';
import { answerChallenge, confirmAgain } from './browser.ts';
import { tokenOfName } from './confirmation-tokens.ts';
import { decideDispute, disputeOf, type NewDispute, openDispute, reopenDispute } from './disputes.ts';
import { type Call, Engine } from './engine.ts';
import { type Fault, type FaultKind, Faults, type RequestMatch } from './faults.ts';
import type { Lie } from './lies.ts';
import { servePages } from './pages.ts';
import { expireIntents, intentOf } from './payment-intents.ts';
import { completeRefund, failRefund, refundOf } from './refunds.ts';
import { endMandate, type Update, updateMethod } from './saved-methods.ts';
import { type Answering, serveApi } from './server.ts';
import { Account, type AccountOptions, type Effect, type Endpoint } from './state.ts';
import { type Delivery, type DeliveryMode, type Send, Webhooks } from './webhooks.ts';

export interface StripeTwinOptions {
  /** 0, the default, takes any free port. */
  readonly port?: number;
  /** At least one. If it is missing, the twin has one account in test mode. */
  readonly accounts?: readonly (Partial<AccountOptions> & { readonly id: string })[];
  /** The clock that the twin's own is moved against, in ms. `Date.now` if it is missing. */
  readonly now?: () => number;
  /** What this twin does otherwise than Stripe. */
  readonly lies?: ReadonlySet<Lie>;
}

export interface NewEndpoint {
  readonly url: string;
  /** The current signing secret, then an older one that still signs. Random if it is missing. */
  readonly secrets?: readonly [string, string?];
  /** The types of events; all if it is missing. */
  readonly events?: readonly string[];
}

/** One account, with what happens outside the API: at the bank, and in the customer's browser. */
export interface TwinAccount extends AccountOptions {
  readonly endpoints: readonly Endpoint[];
  /** In the order in which they happened. */
  readonly events: readonly Stripe.Event[];
  addEndpoint(endpoint: NewEndpoint): Endpoint;
  /** Delivers an event, again or for the first time. Resolves when every endpoint has responded. */
  deliver(event: Stripe.Event, mode?: Omit<DeliveryMode, 'when'>): Promise<void>;
  /** The id of a new confirmation token for a payment method such as `pm_card_visa`. */
  confirmationToken(paymentMethod: string): string;
  /**
   * The customer passes the challenge, or a payment that was processing goes through. The URL that the browser goes to,
   * or undefined.
   */
  approve(paymentIntent: string): string | undefined;
  /** The customer fails the challenge, or a payment that was processing is declined. */
  fail(paymentIntent: string): string | undefined;
  /** The browser confirms again with the client secret. */
  confirmAgain(paymentIntent: string, paymentMethod: string): Stripe.PaymentIntent;
  openDispute(paymentIntent: string, dispute?: NewDispute): Stripe.Dispute;
  reopenDispute(dispute: string, status: 'needs_response' | 'appeal_needs_response'): Stripe.Dispute;
  decideDispute(dispute: string, status: 'lost' | 'won'): Stripe.Dispute;
  /** A pending refund succeeds. */
  completeRefund(refund: string): void;
  /** A refund fails, even if it had succeeded. `reason`: `expired_or_canceled_card` if it is missing. */
  failRefund(refund: string, reason?: string): void;
  /** The network's updater reports another expiry or number of a method that a customer keeps. */
  updateMethod(method: string, update: Update): Stripe.PaymentMethod;
  /** The mandate of a method ends: `multi_use` if it is missing. */
  endMandate(method: string, type?: 'multi_use' | 'single_use'): Stripe.Mandate;
}

export interface StripeTwin {
  /** The root of the API, of Stripe.js (`/v3/`) and of the challenge's pages. */
  readonly url: string;
  readonly accounts: readonly [TwinAccount, ...TwinAccount[]];
  /** In ms. */
  now(): number;
  /** Moves the clock; what expires by then does. Resolves when the webhooks of that are delivered. */
  moveClock(ms: number): Promise<void>;
  /** Applies a fault to the next request that matches. */
  fault(match: RequestMatch, fault: FaultKind): Fault;
  /** How events are delivered from now on. */
  deliverEvents(mode: DeliveryMode): void;
  readonly deliveries: readonly Delivery[];
  /** Resolves when every delivery so far has its response. */
  delivered(): Promise<void>;
  /** Every movement of money, in order. */
  effects(): readonly Effect[];
  /**
   * The holds of the payment (`metadata[counterfoil_payment]`) that still cost its customer money: their releases and
   * refunds are smaller than they are.
   */
  unreversed(payment: string): readonly Effect[];
  close(): Promise<void>;
}

/** A twin without a port: its owner brings the requests to it. */
export interface PortlessTwin extends Omit<StripeTwin, 'url' | 'close'> {
  readonly answering: Answering;
}

interface PortlessOptions extends Omit<StripeTwinOptions, 'port'> {
  /** Makes the ids. Node's randomness if it is missing. */
  readonly random?: (bytes: number) => Uint8Array;
  /** Delivers webhooks. The network if it is missing. */
  readonly send?: Send;
}

export function portlessTwin(options: PortlessOptions): PortlessTwin {
  const { accounts: wanted = [{ id: 'acct_twin' }], now = Date.now, lies = new Set<Lie>(), random, send } = options;
  const faults = new Faults();
  const webhooks = new Webhooks(() => engine, send);
  const engine = new Engine(now, lies, (account, event) => webhooks.heard(account, event), random);
  const accounts = wanted.map((one) => new Account({ ...usual(one.id, one.isLive ?? false), ...one }, lies));
  const [first, ...others] = accounts.map((account) => controlsOf(engine, webhooks, account));
  if (first === undefined) throw new Error('the twin has no account');
  return {
    answering: { engine, accounts, faults, webhooks },
    accounts: [first, ...others],
    now: () => engine.now(),
    moveClock(ms) {
      engine.moveClock(ms);
      for (const account of accounts) expireIntents(engine, account);
      return flushed(webhooks);
    },
    fault: (match, fault) => faults.plant(match, fault),
    deliverEvents(mode) {
      webhooks.mode = mode;
    },
    deliveries: webhooks.deliveries,
    delivered: () => flushed(webhooks),
    effects: () => [...engine.effects],
    unreversed: (payment) => unreversedHolds(engine.effects.filter((one) => one.payment === payment)),
  };
}

export async function openStripeTwin({ port = 0, ...options }: StripeTwinOptions = {}): Promise<StripeTwin> {
  const { answering, ...twin } = portlessTwin(options);
  const { engine, accounts } = answering;
  const server = createServer((request, response) => {
    if (servePages(answering, request, response)) return;
    serveApi(answering, request, response).catch((error: unknown) => {
      if (!request.destroyed) console.error('The twin failed:', error);
      response.destroy();
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the twin does not listen');
  engine.url = `http://127.0.0.1:${address.port}`;
  for (const account of accounts) account.root = engine.url;
  return {
    ...twin,
    url: engine.url,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function usual(id: string, isLive: boolean): AccountOptions {
  const mode = isLive ? 'live' : 'test';
  return {
    id,
    country: 'US',
    defaultCurrency: 'usd',
    isLive,
    secretKey: `sk_${mode}_${id}`,
    publishableKey: `pk_${mode}_${id}`,
    descriptor: 'TWIN',
  };
}

async function flushed(webhooks: Webhooks): Promise<void> {
  await webhooks.flush('before');
  await webhooks.flush('after');
  await webhooks.idle();
}

function controlsOf(engine: Engine, webhooks: Webhooks, account: Account): TwinAccount {
  const call: Call = { account, requestId: undefined, key: undefined };
  /** A control, then the webhooks that it causes. */
  const act = <T>(work: () => T): T => {
    try {
      return work();
    } finally {
      void flushed(webhooks);
    }
  };
  return {
    ...account.options,
    endpoints: account.endpoints,
    events: account.events,
    addEndpoint({ url, secrets = [engine.newId('whsec')], events = ['*'] }) {
      const endpoint: Endpoint = { id: engine.newId('we'), url, secrets, events, createdAt: engine.now() };
      account.endpoints.push(endpoint);
      return endpoint;
    },
    deliver: (event, mode = {}) => webhooks.send([{ account, event }], mode),
    confirmationToken: (paymentMethod) => tokenOfName(engine, call, paymentMethod).id,
    approve: (id) => act(() => answerChallenge(engine, account, id, 'approve')),
    fail: (id) => act(() => answerChallenge(engine, account, id, 'fail')),
    confirmAgain: (id, paymentMethod) => act(() => confirmAgain(engine, account, id, paymentMethod)),
    openDispute: (id, wish = {}) =>
      act(() => {
        const { charge } = intentOf(account, id);
        if (charge === undefined) throw new Error(`${id} has no charge`);
        return openDispute(engine, call, charge, wish);
      }),
    reopenDispute: (id, status) => act(() => reopenDispute(engine, call, disputeOf(account, id), status)),
    decideDispute: (id, status) => act(() => decideDispute(engine, call, disputeOf(account, id), status)),
    completeRefund: (id) => act(() => completeRefund(engine, call, refundOf(account, id))),
    failRefund: (id, reason = 'expired_or_canceled_card') =>
      act(() => failRefund(engine, call, refundOf(account, id), reason)),
    updateMethod: (id, update) => act(() => updateMethod(engine, call, id, update)),
    endMandate: (id, type) => act(() => endMandate(engine, call, id, type)),
  };
}
