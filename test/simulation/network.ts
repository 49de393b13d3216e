// The network between clients and nodes: requests and answers are lost, nodes are down. It also delivers the
// processor's notifications.

import type { Caller } from '../../src/commands/caller.ts';
import type { Rejection } from '../../src/domain/decider.ts';
import { SCOPES } from '../../src/domain/scopes.ts';
import type { Service } from '../../src/service.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { newId, type World } from '../../src/world.ts';
import type { Node } from './node.ts';
import { between, chance, type Random } from './random.ts';
import type { Timeline } from './timeline.ts';

/** lost: the effect is unknown. unavailable: a 503, or no node listened. */
export type Heard<T> =
  | { readonly kind: 'heard'; readonly answer: T }
  | { readonly kind: 'lost' }
  | { readonly kind: 'unavailable' };

export interface NetworkWeather {
  readonly requestLost: number;
  readonly answerLost: number;
  readonly notificationLost: number;
  readonly notificationTwice: number;
  /** The notification takes up to 30 s, so that others overtake it. */
  readonly notificationLate: number;
}
export const CALM_NETWORK: NetworkWeather = {
  requestLost: 0,
  answerLost: 0,
  notificationLost: 0,
  notificationTwice: 0,
  notificationLate: 0,
};

/** How long a client waits for an answer. */
const PATIENCE_MS = 45_000;
const LATE_MS = 30_000;

export const ACCOUNT = 'acc_simulation';
const SCOPE_SET: ReadonlySet<string> = new Set<string>(SCOPES);

export class Network {
  readonly #timeline: Timeline;
  readonly #nodes: readonly Node[];
  readonly #random: Random;
  readonly #fault: (fault: unknown) => void;
  /** Payments of which nothing but a notification reports the outcome, by the digits of their ids. */
  readonly #notLookedUp = new Set<string>();
  weather: NetworkWeather;

  constructor(
    timeline: Timeline,
    nodes: readonly Node[],
    random: Random,
    weather: NetworkWeather,
    fault: (fault: unknown) => void,
  ) {
    this.#timeline = timeline;
    this.#nodes = nodes;
    this.#random = random;
    this.#fault = fault;
    this.weather = weather;
  }

  /** One request to one node. `random` is the client's own, so that clients do not influence each other. */
  async request<T>(random: Random, nodeIndex: number, work: (service: Service) => Promise<T>): Promise<Heard<T>> {
    const { requestLost, answerLost } = this.weather;
    const draw = random();
    const latencyMs = between(random, 0, 6);
    if (draw < requestLost) {
      await this.#timeline.wait(between(random, 100, PATIENCE_MS));
      return { kind: 'lost' };
    }
    const heard = await this.#handled(latencyMs, this.#nodes[nodeIndex % this.#nodes.length], work);
    return heard.kind === 'heard' && draw < requestLost + answerLost ? { kind: 'lost' } : heard;
  }

  #handled<T>(latencyMs: number, node: Node | undefined, work: (service: Service) => Promise<T>): Promise<Heard<T>> {
    const service = node?.service;
    if (node === undefined || service === undefined)
      return this.#timeline.wait(latencyMs).then(() => ({ kind: 'unavailable' }));
    return new Promise((resolve) => {
      const giveUp = this.#timeline.after(PATIENCE_MS, undefined, () => resolve({ kind: 'lost' }));
      const end = (heard: Heard<T>): void => {
        giveUp();
        resolve(heard);
      };
      this.#timeline.after(latencyMs, node.owner, () => {
        work(service).then(
          (answer) => end({ kind: 'heard', answer }),
          (fault: unknown) => {
            if (!(fault instanceof StoreUnavailable)) this.#fault(fault);
            end({ kind: 'unavailable' });
          },
        );
      });
    });
  }

  /** Nothing looks the outcome of this payment up again, so no notification of it is lost. */
  keepNotifications(paymentId: string): void {
    this.#notLookedUp.add(paymentId.replace('pay_', ''));
  }

  /**
   * The processors' `fetch`: each POST reaches the webhook of some node at once, late, twice, or never although it was
   * acknowledged.
   */
  readonly fetch: World['fetch'] = async (url, { body, headers }) => {
    const random = this.#random;
    const { notificationLost, notificationTwice, notificationLate } = this.weather;
    const raw = String(body);
    const deliver = () => this.#notify(url, raw, headersOf(headers), between(random, 0, this.#nodes.length - 1));
    const isKept = this.#notLookedUp.has(/"reference":"([0-9a-f]{32})/.exec(raw)?.[1] ?? '');
    if (chance(random, notificationLost) && !isKept && !IS_ONLY_WORD.test(raw)) return answered(202);
    if (chance(random, notificationTwice))
      this.#timeline.after(between(random, 0, LATE_MS), undefined, () => void deliver());
    // acknowledged before it is delivered, so it is lost if no node runs by then
    if (chance(random, notificationLate) && !isKept) {
      this.#timeline.after(between(random, 1_000, LATE_MS), undefined, () => void deliver());
      return answered(202);
    }
    return answered(await deliver());
  };

  async #notify(
    url: string,
    raw: string,
    headers: { readonly [name: string]: string },
    nodeIndex: number,
  ): Promise<number> {
    const [, processor = 'sandbox', id = 'key_simulation'] = /\/webhooks\/(\w+)\/(\w+)$/.exec(url) ?? [];
    const heard = await this.#handled(between(this.#random, 0, 6), this.#nodes[nodeIndex], (service) => {
      const caller: Caller = { ...merchant(service.world), actor: { kind: 'apiKey', id } };
      return service.notifications.receiveNotification({ processor, raw, headers }, caller);
    });
    if (heard.kind !== 'heard') return 503;
    return statusOf(heard.answer.kind);
  }
}

/** The URL of a connection's webhook, by the id of its key. */
export const webhookUrl = (processor: string, keyId: string): string => `http://node/webhooks/${processor}/${keyId}`;

const STATUS: { readonly [kind: string]: number } = {
  received: 202,
  bad_signature: 401,
  unparsable: 400,
  unknown_processor: 404,
};
const statusOf = (kind: string): number => STATUS[kind] ?? 409;

/** Names in lower case, as a server has them. */
function headersOf(headers: RequestInit['headers']): { readonly [name: string]: string } {
  const lower: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(headers ?? {})) lower[name.toLowerCase()] = String(value);
  return lower;
}

/** No look-up tells that a dispute was opened, nor what the issuer decided. */
const IS_ONLY_WORD = /"dispute":\{.*"status":"(OPEN|WON|LOST)"/;

const answered = (status: number): Response => new Response(null, { status });

/** The merchant's backend; `key`: of idempotency, `request`: what it stands for. */
export const merchant = (world: World, key?: string, request = ''): Caller => ({
  accountId: ACCOUNT,
  actor: { kind: 'apiKey', id: 'key_simulation' },
  at: world.now(),
  requestId: newId(world, 'req'),
  scopes: SCOPE_SET,
  address: '127.0.0.1',
  ...(key !== undefined && { idempotency: { key, request } }),
});

/** A customer's browser in its session. */
export const customer = (world: World, sessionId: string, key: string): Caller => ({
  accountId: ACCOUNT,
  sessionId,
  actor: { kind: 'checkout', id: sessionId },
  at: world.now(),
  requestId: newId(world, 'req'),
  scopes: new Set(),
  address: '127.0.0.1',
  idempotency: { key, request: key },
});

const AGAIN: ReadonlySet<string> = new Set([
  'IdempotencyKeyInProgress',
  'PaymentOperationInProgress',
  'Conflict',
  'ServiceUnavailable',
  'TooManyRequests',
]);

/** True if a client repeats its request after this refusal. */
export const isToBeRepeated = ({ errorId }: Rejection): boolean => AGAIN.has(errorId);
