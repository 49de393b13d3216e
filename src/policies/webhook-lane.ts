// The lane of one endpoint: goes once through what is due for it, the longest due first.
import type { Webhooks } from '../commands/webhooks/webhooks.ts';
import type { ExistingEndpoint } from '../domain/webhook-endpoint/state.ts';
import { BrokenStream } from '../journal/broken-stream.ts';
import { webhookEndpoints } from '../projections/models/webhook-endpoints.ts';
import { type WebhookQueueKey, webhookQueues } from '../projections/models/webhook-queues.ts';
import { allOf } from '../queries/pages.ts';
import type { Query, ReadModels } from '../stores/read-models.ts';
import type { PolicyNode } from './policy.ts';
import type { Pace } from './webhook-pace.ts';

/** The actor in the events that it causes. */
const NAME = 'deliver-webhooks';
const PAGE = 64;

const LONGEST_DUE_FIRST: NonNullable<Query<WebhookQueueKey>['order']> = { by: 'dueAt', descending: false };

export interface LaneNeeds extends PolicyNode, Pick<Webhooks, 'deliverWebhooks'> {}

/**
 * A queue that cannot be delivered (a broken stream) delays no other one. Ends early when the signal aborts or the endpoint is disabled;
 * waits for the calls under way. Throws StoreUnavailable.
 */
export async function runLane(
  { world, report, deliverWebhooks: deliver }: LaneNeeds,
  readModels: ReadModels,
  endpointId: string,
  pace: Pace,
  signal: AbortSignal,
): Promise<void> {
  const one = async (queueId: string, revision: number, endpoint: ExistingEndpoint): Promise<void> => {
    const begun = world.monotonic();
    try {
      const isTaken = await deliver({ queueId, revision, endpoint }, NAME, signal);
      if (isTaken !== undefined) pace.heard(isTaken, world.monotonic() - begun);
    } catch (fault) {
      pace.heard(false, world.monotonic() - begun); // a million faults cost no more than a million refusals
      if (!(fault instanceof BrokenStream) && !signal.aborted) report(fault); // a break is told once, where it is found
    }
  };
  const underWay = new Set<Promise<void>>();
  let slotFreed: (() => void) | undefined;
  const where: Query<WebhookQueueKey>['where'] = { endpointId: [endpointId], dueAt: { to: world.now() } };
  try {
    for await (const { id, revision } of allOf(readModels, webhookQueues, { where, order: LONGEST_DUE_FIRST }, PAGE)) {
      while (underWay.size >= pace.atOnce)
        await new Promise<void>((resolve) => {
          slotFreed = resolve;
        });
      if (pace.restMs > 0) await world.sleep(pace.restMs, signal).catch(() => undefined);
      if (signal.aborted) return;
      // As it is now: a disabled endpoint gets nothing more, and a rest is long.
      const endpoint = readModels.peek?.(webhookEndpoints, endpointId) ?? (await readModels.get(webhookEndpoints, [endpointId]))[0];
      if (endpoint?.doc.status !== 'enabled') return;
      const work: Promise<void> = one(id, revision, endpoint.doc).finally(() => {
        underWay.delete(work);
        slotFreed?.();
      });
      underWay.add(work);
    }
  } finally {
    await Promise.all(underWay);
  }
}
