// The merchant's receivers of webhooks: up, down, slow, or gone; their endpoints are added, rotated and disabled amid
// the run.
import type { Post, Posted } from '../../src/commands/webhooks/post.ts';
import type { Decision } from '../../src/domain/decider.ts';
import type { PaymentMessageType } from '../../src/domain/payment/message.ts';
import {
  addEndpoint,
  disableEndpoint,
  rotateSecret,
  type WebhookEndpoint,
  type WebhookEndpointEvent,
} from '../../src/domain/webhook-endpoint.ts';
import { operatorContext } from '../../src/journal/contexts.ts';
import { transact } from '../../src/journal/transact.ts';
import type { Told } from '../webhooks/chain.ts';
import { toldIn } from '../webhooks/told-node.ts';
import { forever } from './link.ts';
import { ACCOUNT } from './network.ts';
import type { Node } from './node.ts';
import { between, chance, type Random, randomOf } from './random.ts';
import type { Owner, Timeline } from './timeline.ts';

/** How one receiver behaves until the calm at the end. */
export interface ReceiverPlan {
  readonly number: number;
  readonly addedAtMs: number;
  /** Undefined: all. */
  readonly events?: readonly PaymentMessageType[];
  /** The probability that a call is lost, refused with a 500, answered to nobody, or answered late. */
  readonly badness: number;
  readonly outages: readonly { readonly atMs: number; readonly forMs: number }[];
  readonly rotatedAtMs?: number;
  /** Nothing is sent to it any more: an operator disabled it, or it answers 410. */
  readonly ends?: { readonly atMs: number; readonly how: 'disabled' | 'gone' };
}

/** In half of the worlds nobody listens. */
export function receiversOf(seed: string, spreadMs: number): readonly ReceiverPlan[] {
  const random = randomOf(seed, 'receivers');
  if (chance(random, 0.5)) return [];
  return Array.from({ length: between(random, 1, 2) }, (_, number) => {
    const moment = (): number => between(random, 0, spreadMs + 20_000);
    const narrow = chance(random, 0.3) ? { events: ['PAYMENT.STATUS', 'PAYMENT.REFUND'] as const } : {};
    const ends = chance(random, 0.2)
      ? { ends: { atMs: moment(), how: chance(random, 0.5) ? ('gone' as const) : ('disabled' as const) } }
      : {};
    return {
      number,
      addedAtMs: number === 0 ? 0 : moment(),
      ...narrow,
      badness: chance(random, 0.3) ? 0 : between(random, 1, 10) / 100,
      outages: Array.from({ length: between(random, 0, 2) }, () => ({
        atMs: moment(),
        forMs: between(random, 1_000, 120_000),
      })),
      ...(chance(random, 0.3) && { rotatedAtMs: moment() }),
      ...ends,
    };
  });
}

/** The longest way of a call, or of its answer, ms. */
const WAY_MS = 20;
const SLOW_MS = 9_000;
/** How long an operator waits for a node, and before the next try, ms. */
const PATIENCE_MS = 45_000;
const AGAIN_MS = 1_000;

/** One receiver, and all that it has taken. */
export class Receiver {
  readonly plan: ReceiverPlan;
  readonly endpointId: string;
  readonly url: string;
  readonly received: Told[] = [];
  #isCalm = false;

  constructor(plan: ReceiverPlan) {
    this.plan = plan;
    this.endpointId = `we_${String(plan.number).padStart(32, '0')}`;
    this.url = `http://receiver-${plan.number}.example/`;
  }

  calm(): void {
    this.#isCalm = true;
  }

  /** Undefined: it does not answer. */
  take(body: string, now: number, random: Random): { readonly answer?: Posted; readonly afterMs: number } {
    const { ends, outages, badness } = this.plan;
    const afterMs = between(random, 0, WAY_MS);
    const draw = random();
    if (ends?.how === 'gone' && now >= ends.atMs) return { answer: { status: 410, body: '' }, afterMs };
    if (this.#isCalm) return this.#taken(body, afterMs);
    if (outages.some(({ atMs, forMs }) => now >= atMs && now < atMs + forMs))
      return { answer: { fault: 'connection refused' }, afterMs };
    if (draw < badness) return { afterMs };
    if (draw < 2 * badness) return { answer: { status: 500, body: '' }, afterMs };
    const { answer } = this.#taken(body, afterMs);
    if (draw < 3 * badness) return { answer: { fault: 'connection reset' }, afterMs };
    return { answer, afterMs: draw < 4 * badness ? between(random, WAY_MS, SLOW_MS) : afterMs };
  }

  #taken(body: string, afterMs: number): { readonly answer: Posted; readonly afterMs: number } {
    this.received.push(toldIn(body));
    return { answer: { status: 200, body: '' }, afterMs };
  }
}

export interface ReceiversParts {
  readonly timeline: Timeline;
  readonly nodes: readonly Node[];
  readonly tell: (line: () => string) => void;
}

export class Receivers {
  readonly all: readonly Receiver[];
  readonly #parts: ReceiversParts;
  readonly #random: Random;
  #calledAt = 0;

  constructor(seed: string, plans: readonly ReceiverPlan[], parts: ReceiversParts) {
    this.all = plans.map((plan) => new Receiver(plan));
    this.#parts = parts;
    this.#random = randomOf(seed, 'operator of receivers');
  }

  /** Adds, rotates and disables the endpoints, each at its time. */
  begin(): void {
    for (const { plan, endpointId, url } of this.all) {
      const { events } = plan;
      this.#change(plan.addedAtMs, endpointId, (at) =>
        addEndpoint({ accountId: ACCOUNT, url, addedAt: at, ...(events && { events: [...events] }) }),
      );
      if (plan.rotatedAtMs !== undefined)
        this.#change(plan.rotatedAtMs, endpointId, (at) => rotateSecret(0, at + 60_000));
      if (plan.ends?.how === 'disabled') this.#change(plan.ends.atMs, endpointId, () => disableEndpoint('asked'));
    }
  }

  /** From now on every receiver that is not gone takes everything at once. */
  calm(): void {
    for (const receiver of this.all) receiver.calm();
  }

  /** True if nobody was called for a while. */
  get isQuiet(): boolean {
    return this.#parts.timeline.now - this.#calledAt > 5_000;
  }

  /** The calls of one incarnation of a node: a sent message arrives, even if its caller crashed. */
  postOf(owner: Owner, random: Random): Post {
    const { timeline, tell } = this.#parts;
    return ({ url, body }) => {
      const receiver = this.all.find((one) => one.url === url);
      if (owner.isDead || receiver === undefined) return forever();
      this.#calledAt = timeline.now;
      return new Promise((resolve) => {
        timeline.after(between(random, 0, WAY_MS), undefined, () => {
          const { answer, afterMs } = receiver.take(body, timeline.now, random);
          tell(() => `${url} is told ${body.slice(0, 120)}: ${JSON.stringify(answer)}`);
          if (answer !== undefined) timeline.after(afterMs, owner, () => resolve(answer));
        });
      });
    };
  }

  /** Changes the endpoint by some node that answers, again and again until it is done. */
  #change(
    atMs: number,
    endpointId: string,
    decide: (at: number) => (endpoint: WebhookEndpoint) => Decision<WebhookEndpointEvent>,
  ): void {
    const { timeline, nodes } = this.#parts;
    const attempt = async (): Promise<boolean> => {
      const service = nodes[between(this.#random, 0, nodes.length - 1)]?.service;
      if (service === undefined) return false;
      const context = operatorContext(service.world, ACCOUNT);
      const done = await transact(service.streams.webhookEndpoints, endpointId, context, decide(context.at));
      return done.kind !== 'rejected' || done.errorId !== 'NotFound'; // not added yet
    };
    const insist = async (): Promise<void> => {
      for (;;) {
        const patience = timeline.wait(PATIENCE_MS).then(() => false);
        if (await Promise.race([attempt().catch(() => false), patience])) return;
        await timeline.wait(AGAIN_MS);
      }
    };
    timeline.after(atMs, undefined, () => void insist());
  }
}
