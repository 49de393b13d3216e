// The lane of one endpoint: delivers what is due for it, the longest due first, and as many calls at a time as its pace
// allows: many while it takes them, few and far between while it does not.
import type { Webhooks } from '../commands/webhooks/webhooks.ts';
import type { WebhookEndpoint } from '../domain/webhook-endpoint.ts';
import { webhookEndpoints } from '../projections/models/webhook-endpoints.ts';
import { type WebhookQueueKey, webhookQueues } from '../projections/models/webhook-queues.ts';
import { allOf } from '../queries/pages.ts';
import { BrokenStream } from '../stores/broken-stream.ts';
import type { Query, ReadModels, Stored } from '../stores/read-models.ts';
import { Alarm, type World } from '../world.ts';
import type { PolicyNode } from './policy.ts';

/** The actor in the events that it causes. */
const NAME = 'deliver-webhooks';
const PAGE = 64;

export const LONGEST_DUE_FIRST: NonNullable<Query<WebhookQueueKey>['order']> = { by: 'dueAt', descending: false };

export interface LaneNeeds extends PolicyNode, Pick<Webhooks, 'deliverWebhooks'> {}

/**
 * A queue has one call under way at a time: messages of a payment keep their order. One that cannot be delivered (a
 * broken stream), or whose call hangs, delays no other one.
 */
export class Lane {
  readonly #needs: LaneNeeds;
  readonly #readModels: ReadModels;
  readonly #endpointId: string;
  readonly #signal: AbortSignal;
  readonly #pace: Pace;
  /** By queue. */
  readonly #underWay = new Map<string, Promise<void>>();
  /** Queues that a look met while their call was under way: they may have got another message since it began. */
  readonly #again = new Set<string>();
  #isWanted = false;
  #isAtWork = false;
  #work: Promise<void> = Promise.resolve();
  #changed: () => void = () => undefined;
  readonly #changes = new Alarm();

  /** After the signal's abort no call begins. */
  constructor(needs: LaneNeeds, readModels: ReadModels, endpointId: string, signal: AbortSignal) {
    this.#needs = needs;
    this.#readModels = readModels;
    this.#endpointId = endpointId;
    this.#signal = signal;
    this.#pace = new Pace(needs.world);
  }

  /** Looks for due messages at once, even while calls are in progress. A store that is unavailable ends the look. */
  want(): void {
    this.#isWanted = true;
    if (this.#isAtWork) {
      this.#tellChange();
      return;
    }
    this.#isAtWork = true;
    this.#work = this.#run();
  }

  /** Resolves when it is not at work. */
  over(): Promise<void> {
    return this.#work;
  }

  async #run(): Promise<void> {
    try {
      while (this.#isDue || this.#underWay.size > 0) {
        if (this.#isDue) await this.#look();
        else await this.#change();
      }
    } catch (fault) {
      this.#needs.report(fault);
      await Promise.all(this.#underWay.values());
    }
    this.#isAtWork = false; // with nothing awaited since it was seen that there is no more to do
  }

  get #isDue(): boolean {
    return this.#isWanted && !this.#signal.aborted;
  }

  /** A call has ended, or the lane is wanted. */
  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#changed = resolve;
    });
  }

  #tellChange(): void {
    this.#changed();
    this.#changes.ring();
  }

  get #isFull(): boolean {
    return this.#underWay.size >= this.#pace.atOnce;
  }

  get #rests(): boolean {
    return this.#pace.restMs > 0 && !this.#signal.aborted;
  }

  /** To its end, or to a change: the business clock may have been moved, which ends the rest. */
  #rest(): Promise<void> {
    return this.#changes.sleep(this.#needs.world, this.#pace.restMs, this.#signal, this.#changes.rung);
  }

  /**
   * Goes once through what is due; does not wait for the last calls. Ends early when the endpoint is disabled. Throws
   * StoreUnavailable.
   */
  async #look(): Promise<void> {
    this.#isWanted = false;
    const { world } = this.#needs;
    const where: Query<WebhookQueueKey>['where'] = { endpointId: [this.#endpointId], dueAt: { to: world.now() } };
    let endpoint: Stored<WebhookEndpoint> | undefined;
    for await (const { id, revision } of allOf(
      this.#readModels,
      webhookQueues,
      { where, order: LONGEST_DUE_FIRST, isDueWork: true },
      PAGE,
    )) {
      while (this.#isFull || this.#rests) {
        endpoint = undefined; // it may have been disabled meanwhile
        await (this.#isFull ? this.#change() : this.#rest());
      }
      if (this.#signal.aborted) return;
      if (this.#underWay.has(id)) {
        this.#again.add(id);
        continue;
      }
      endpoint ??= await this.#enabledEndpoint();
      if (endpoint === undefined) return;
      this.#underWay.set(id, this.#deliver(id, revision, endpoint.revision));
    }
  }

  /** As it is now: a disabled endpoint gets nothing more, and a rest is long. */
  async #enabledEndpoint(): Promise<Stored<WebhookEndpoint> | undefined> {
    const peeked = this.#readModels.peek?.(webhookEndpoints, this.#endpointId);
    const row = peeked ?? (await this.#readModels.get(webhookEndpoints, [this.#endpointId]))[0];
    return row?.doc.status === 'enabled' ? row : undefined;
  }

  async #deliver(queueId: string, revision: number, endpointRevision: number): Promise<void> {
    const { world, report, deliverWebhooks } = this.#needs;
    const begun = world.monotonic();
    let isTaken: boolean | undefined = false; // a million faults cost no more than a million refusals
    try {
      isTaken = await deliverWebhooks({ queueId, revision, endpointRevision }, NAME, this.#signal);
    } catch (fault) {
      // a break is reported once, where it is found
      if (!(fault instanceof BrokenStream) && !this.#signal.aborted) report(fault);
    }
    if (isTaken !== undefined) this.#pace.heard(isTaken, world.monotonic() - begun);
    this.#underWay.delete(queueId);
    if (this.#again.delete(queueId)) this.#isWanted = true;
    this.#tellChange();
  }
}

/**
 * Calls at a time after the first that the receiver took; each that it takes quickly raises it by one, each that it
 * does not take halves it.
 */
const AT_ONCE = 16;
const MOST_AT_ONCE = 64;
/** A receiver that takes longer gets no more at a time, ms: its calls would hold connections, and hurry nothing. */
const QUICK_MS = 1_000;
/** After so many calls in a row that were not taken it gets one at a time, and a rest before each. */
const FAILURES = 3;
/**
 * The rest doubles up to the longest: the waiting messages of a dead endpoint, a million of them, must cost no more
 * than its place in a list.
 */
const SHORTEST_REST_MS = 50;
const LONGEST_REST_MS = 5_000;

export class Pace {
  readonly #world: Pick<World, 'now'>;
  /** False before its first success: a node that starts with dead endpoints has better things to do. */
  #hasTaken = false;
  #atOnce = AT_ONCE;
  #failures = 0;
  #restMs = 0;
  /** By the business clock: a clock that is moved ends a rest. */
  #restsUntil = 0;

  constructor(world: Pick<World, 'now'>) {
    this.#world = world;
  }

  get atOnce(): number {
    return this.#hasTaken && this.#failures < FAILURES ? this.#atOnce : 1;
  }

  /** How long the next call waits, ms. */
  get restMs(): number {
    return Math.max(0, this.#restsUntil - this.#world.now());
  }

  /** A call ended after `tookMs`. */
  heard(isTaken: boolean, tookMs: number): void {
    this.#hasTaken ||= isTaken;
    if (!isTaken) this.#atOnce = Math.max(1, this.#atOnce >> 1);
    else if (tookMs <= QUICK_MS) this.#atOnce = Math.min(this.#atOnce + 1, MOST_AT_ONCE);
    this.#failures = isTaken ? 0 : this.#failures + 1;
    if (this.#failures < FAILURES) {
      this.#restMs = 0;
      this.#restsUntil = 0;
    } else if (this.restMs === 0) {
      this.#restMs = Math.min(Math.max(SHORTEST_REST_MS, 2 * this.#restMs), LONGEST_REST_MS);
      this.#restsUntil = this.#world.now() + this.#restMs;
    }
  }
}
