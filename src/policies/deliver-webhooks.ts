// Delivers what is queued and due: a lane for each endpoint, so that a dead or slow one delays nobody (contract §8).
import pLimit from 'p-limit';
import type { Webhooks } from '../commands/webhooks/webhooks.ts';
import { BrokenStream } from '../journal/broken-stream.ts';
import { webhookEndpoints } from '../projections/models/webhook-endpoints.ts';
import { type WebhookQueueKey, webhookQueues } from '../projections/models/webhook-queues.ts';
import { allOf } from '../queries/pages.ts';
import type { Query, ReadModels } from '../stores/read-models.ts';
import { type DueParts, inRounds, type PolicyNode } from './policy.ts';

/** The actor in the events that it causes. */
const NAME = 'deliver-webhooks';
const EVERY_MS = 1_000;
const PAGE = 64;
/** Calls of one endpoint at a time while it takes them; while it does not, one. */
const AT_ONCE = 16;

const LONGEST_DUE_FIRST: NonNullable<Query<WebhookQueueKey>['order']> = { by: 'dueAt', descending: false };

export interface DeliveringNeeds extends PolicyNode, Pick<Webhooks, 'deliverWebhooks'> {}

interface Lane {
  /** Due work was seen while the lane was at work: it looks once more before it ends. */
  isWanted: boolean;
  readonly work: Promise<void>;
}

/** On the node that does due work, until the signal aborts; then it waits for the calls under way. `parts.alarm`: something was queued. */
export async function deliverWebhooks(needs: DeliveringNeeds, parts: DueParts, signal: AbortSignal): Promise<void> {
  const lanes = new Lanes(needs, parts.readModels, signal);
  const isBuilt = (): boolean => [webhookQueues, webhookEndpoints].every(({ name }) => parts.isBuilt(name));
  const every = { of: webhookQueues, everyMs: EVERY_MS, elsewhereMs: 30_000 };
  await inRounds(every, (waitMs) => lanes.open(waitMs), { ...parts, isBuilt }, needs, signal);
  await lanes.over();
}

export class Lanes {
  readonly #needs: DeliveringNeeds;
  readonly #readModels: ReadModels;
  readonly #signal: AbortSignal;
  readonly #lanes = new Map<string, Lane>();
  /** Endpoints whose last call was not taken. */
  readonly #failing = new Set<string>();

  constructor(needs: DeliveringNeeds, readModels: ReadModels, signal: AbortSignal) {
    this.#needs = needs;
    this.#readModels = readModels;
    this.#signal = signal;
  }

  /** Opens the lane of every enabled endpoint, for work that has been due for `waitMs`; does not wait for them. Throws StoreUnavailable. */
  async open(waitMs: number): Promise<void> {
    for await (const { id } of allOf(this.#readModels, webhookEndpoints, { where: { enabled: [true] } })) {
      const lane = this.#lanes.get(id);
      if (lane !== undefined) lane.isWanted = true;
      else this.#begin(id, waitMs);
    }
  }

  /** Resolves when no lane is at work. */
  async over(): Promise<void> {
    await Promise.all([...this.#lanes.values()].map(({ work }) => work));
  }

  #begin(endpointId: string, waitMs: number): void {
    const work = Promise.resolve()
      .then(() => this.#run(endpointId, waitMs))
      .catch(this.#needs.report)
      .finally(() => this.#lanes.delete(endpointId));
    this.#lanes.set(endpointId, { isWanted: true, work });
  }

  async #run(endpointId: string, waitMs: number): Promise<void> {
    const lane = this.#lanes.get(endpointId);
    while (lane?.isWanted === true && !this.#signal.aborted) {
      lane.isWanted = false;
      while (!this.#signal.aborted && (await this.#page(endpointId, waitMs)));
    }
  }

  /** A page of due queues; whether there may be more of them. */
  async #page(endpointId: string, waitMs: number): Promise<boolean> {
    const { world, report, deliverWebhooks: deliver } = this.#needs;
    const where: Query<WebhookQueueKey>['where'] = { endpointId: [endpointId], dueAt: { to: world.now() - waitMs } };
    const rows = await this.#readModels.find(webhookQueues, { where, order: LONGEST_DUE_FIRST, limit: PAGE });
    let done = 0;
    const one = async (queueId: string): Promise<void> => {
      if (this.#signal.aborted) return;
      // Both as they are now: a page of a failing endpoint takes minutes, and a disabled one gets nothing more.
      const [[endpoint], [row]] = await Promise.all([
        this.#readModels.get(webhookEndpoints, [endpointId]),
        this.#readModels.get(webhookQueues, [queueId]),
      ]);
      if (endpoint?.doc.status !== 'enabled' || row === undefined || row.doc.status === 'absent') return;
      const delivered = await deliver({ queueId, queue: row.doc, endpoint: endpoint.doc }, NAME);
      if (delivered === 'taken') this.#failing.delete(endpointId);
      else this.#failing.add(endpointId);
      done += 1;
    };
    const limited = pLimit(this.#failing.has(endpointId) ? 1 : AT_ONCE);
    await Promise.all(
      rows.map(({ id }) =>
        limited(() => one(id)).catch((fault: unknown) => {
          if (!(fault instanceof BrokenStream)) report(fault); // a break is told once, where it is found
        }),
      ),
    );
    return rows.length === PAGE && done > 0;
  }
}
