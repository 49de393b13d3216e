// A shop at the Stripe twin: the adapter, its connection, requests for it, and a server in between that writes down
// every call.
import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { Outcome } from '../../../src/domain/payment/outcome.ts';
import type {
  AuthorizationRequest,
  Call,
  Connection,
  Known,
  OperationRequest,
} from '../../../src/processors/processor.ts';
import { openStripe, type Stripe } from '../../../src/processors/stripe/stripe.ts';
import { liveWorld } from '../../../src/world.ts';
import { openStripeTwin, type StripeTwin, type StripeTwinOptions } from '../../support/stripe-twin/stripe-twin.ts';

export const WEBHOOK_SECRET = 'whsec_of_this_test';

/** A call as it came: method, path without the query, and the idempotency key if it has one. */
export interface Heard {
  readonly line: string;
  readonly body: string;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
}

export interface ProxyAnswer {
  readonly status: number;
  readonly body: string;
}

export interface TwinShop {
  readonly twin: StripeTwin;
  readonly stripe: Stripe;
  readonly connection: Connection;
  readonly heard: readonly Heard[];
  /** What a proxy in between answers to the next call, which goes no further. */
  answerNext(answer: ProxyAnswer): void;
  /** The caller of the next call to such a path loses its connection, and the call goes on to the twin. */
  dropNext(path: RegExp): void;
  /** The calls since the last time, one a line; ids of objects are written as their kind. */
  lines(): readonly string[];
  call(ms?: number): Call;
  /** A new request for 10.00 EUR of a payment of its own. */
  authorization(more?: Partial<AuthorizationRequest>): AuthorizationRequest;
  /** Preparation: with its name on record. */
  prepared(more?: Partial<AuthorizationRequest>): Promise<AuthorizationRequest>;
  /** Confirmed, and held. */
  authorized(more?: Partial<AuthorizationRequest>): Promise<AuthorizationRequest>;
  captured(more?: Partial<AuthorizationRequest>): Promise<AuthorizationRequest>;
  /** A capture, refund, cancellation or adjustment of it. */
  follow(authorization: OperationRequest, operation: FollowUp, more?: { readonly amount?: number }): OperationRequest;
  close(): Promise<void>;
}
export type FollowUp = 'capture' | 'refund' | 'cancellation' | 'adjustment';

const FORTY = 40;
let made = 0;
/** As long as the service's own references. */
export const newReference = (): string => {
  made += 1;
  return `r${made}`.padEnd(FORTY, 'x');
};

/** Stripe's name of what an outcome, or a request, is about. */
export function nameOf(about: object): string {
  if ('processorTransactionId' in about && typeof about.processorTransactionId === 'string')
    return about.processorTransactionId;
  throw new Error(`it has no name: ${JSON.stringify(about)}`);
}

export async function openTwinShop(options: StripeTwinOptions = {}): Promise<TwinShop> {
  const twin = await openStripeTwin(options);
  const heard: Heard[] = [];
  const instead: (ProxyAnswer | RegExp)[] = [];
  const relay = await openRelay(twin.url, heard, instead);
  const stripe = openStripe({ world: liveWorld });
  const connection: Connection = {
    connectionId: 'stripe',
    processor: 'stripe',
    secrets: { secretKey: twin.accounts[0].secretKey, webhookSecret: WEBHOOK_SECRET },
    apiUrl: relay.url,
    burnProven: true,
  };
  let told = 0;
  const call = (ms = 5_000): Call => ({ connection, signal: AbortSignal.timeout(ms) });
  const shop: TwinShop = {
    twin,
    stripe,
    connection,
    heard,
    answerNext(answer) {
      instead.push(answer);
    },
    dropNext(path) {
      instead.push(path);
    },
    lines() {
      const since = heard.slice(told).map(({ line }) => line);
      told = heard.length;
      return since;
    },
    call,
    authorization(more = {}) {
      const reference = newReference();
      return {
        operation: 'authorization',
        reference,
        accountId: 'acc_1',
        paymentId: `pay_${reference.replaceAll('x', '')}`,
        amount: 1_000,
        currencyCode: 'EUR',
        requestedAt: 0,
        processorToken: 'pm_card_visa',
        returnUrl: 'https://shop.example/back',
        ...more,
      };
    },
    async prepared(more) {
      const request = shop.authorization(more);
      const prepared = await stripe.prepare?.(request, call());
      if (prepared?.kind !== 'prepared') throw new Error(`not prepared: ${JSON.stringify(prepared)}`);
      return { ...request, processorTransactionId: prepared.processorTransactionId };
    },
    async authorized(more) {
      const request = await shop.prepared(more);
      succeededOr(await stripe.perform(request, call()));
      return request;
    },
    async captured(more) {
      const request = await shop.authorized(more);
      succeededOr(await stripe.perform(shop.follow(request, 'capture'), call()));
      return request;
    },
    follow(of, operation, more = {}) {
      const authorization: Known = { processorTransactionId: of.processorTransactionId ?? '' };
      const { accountId, paymentId, currencyCode, requestedAt } = of;
      const amount = more.amount ?? (operation === 'cancellation' ? 0 : operation === 'adjustment' ? 1_500 : of.amount);
      const about = {
        reference: newReference(),
        accountId,
        paymentId,
        currencyCode,
        requestedAt,
        amount,
        authorization,
      };
      if (operation === 'capture') return { ...about, operation, final: true };
      return operation === 'refund' ? { ...about, operation, captures: [] } : { ...about, operation };
    },
    async close() {
      stripe.close();
      await relay.close();
      await twin.close();
    },
  };
  return shop;
}

function succeededOr(outcome: Outcome): void {
  if (outcome.kind !== 'succeeded') throw new Error(`not succeeded: ${JSON.stringify(outcome)}`);
}

/** Passes every call on, and its answer back, byte for byte. */
async function openRelay(
  target: string,
  heard: Heard[],
  instead: (ProxyAnswer | RegExp)[],
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((incoming, response) => {
    const { method = 'GET', url = '/', headers } = incoming;
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      heard.push({ line: lineOf(method, url, headers['idempotency-key']), body, headers });
      const place = instead.findIndex((one) => !(one instanceof RegExp) || one.test(url));
      const [own] = place < 0 ? [] : instead.splice(place, 1);
      if (own !== undefined && !(own instanceof RegExp)) {
        response.writeHead(own.status, { 'Content-Type': 'text/html' }).end(own.body);
        return;
      }
      const onward = httpRequest(`${target}${url}`, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.on('error', () => response.socket?.resetAndDestroy());
        answer.pipe(response);
      });
      onward.on('error', () => response.socket?.resetAndDestroy());
      onward.end(body);
      if (own === undefined) response.on('close', () => onward.destroy());
      else response.socket?.resetAndDestroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the relay does not listen');
  return {
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function lineOf(method: string, url: string, key: string | string[] | undefined): string {
  const path = url.replace(/\?.*$/, '').replace(/(pi|re|dp|ctoken)_[0-9a-f]{24}/, '{$1}');
  if (typeof key !== 'string') return `${method} ${path}`;
  return `${method} ${path} ${key.length > FORTY ? `R${key.slice(FORTY)}` : 'R'}`;
}
