// Resends the messages of an endpoint that it has not taken since a time, in batches (contract §8, "resend").
import pLimit from 'p-limit';
import { requestAct } from '../../domain/act.ts';
import type { Rejection } from '../../domain/decider.ts';
import { resendUntaken as decideResending } from '../../domain/webhook-queue/decide.ts';
import { operatorContext } from '../../journal/contexts.ts';
import { transact } from '../../journal/transact.ts';
import type { Caller } from '../caller.ts';
import { missingEndpoint } from './manage-endpoints.ts';
import type { WebhookNeeds } from './needs.ts';
import { unlessEnabled } from './resend-message.ts';

interface ResendingUntaken {
  readonly endpointId: string;
  /** The queues of this batch; those of other endpoints are left out. */
  readonly queueIds: readonly string[];
  /** Messages that were queued then or later; ms. */
  readonly since: number;
  /** When the user saw how many messages there are; ms. It names the request: all its batches have the same. */
  readonly asOf: number;
}

/** The account of an endpoint that takes messages. Rejections as of `resendUntaken`. */
export async function receivingEndpoint(
  needs: Pick<WebhookNeeds, 'webhookEndpoints'>,
  endpointId: string,
  by?: Caller,
): Promise<{ readonly kind: 'receiving'; readonly accountId: string } | Rejection> {
  const { state } = await needs.webhookEndpoints.current(endpointId);
  if (state.status === 'absent' || (by !== undefined && by.accountId !== state.accountId))
    return missingEndpoint(endpointId);
  return (await unlessEnabled(needs, endpointId)) ?? { kind: 'receiving', accountId: state.accountId };
}

/** Appends under way at a time. */
const AT_ONCE = 16;

/**
 * Resends a batch, and resolves to the number of messages. The request is on record before its first batch. A batch
 * that is repeated resends nothing twice, so a run that ended half-way begins again with the same request or a new one.
 * `by`: a user of the dashboard. NotFound for an unknown endpoint; Conflict if it is disabled. Throws StoreUnavailable.
 */
export async function resendUntaken(
  needs: WebhookNeeds,
  { endpointId, queueIds, since, asOf }: ResendingUntaken,
  by?: Caller,
): Promise<{ readonly kind: 'resent'; readonly messages: number } | Rejection> {
  const { acts, webhookQueues, world, mayWrite } = needs;
  const receiving = await receivingEndpoint(needs, endpointId, by);
  if (receiving.kind === 'rejected') return receiving;
  await mayWrite();
  const context = () => operatorContext(world, receiving.accountId, by);
  await transact(
    acts,
    `resend-${endpointId}-${since}-${asOf}`,
    context(),
    requestAct({ type: 'WebhookResendRequested', data: { endpointId, since, asOf } }),
    { start: 'guess' },
  );
  const limited = pLimit(AT_ONCE);
  const counts = await Promise.all(
    queueIds
      .filter((queueId) => queueId.startsWith(`${endpointId}.`))
      .map((queueId) =>
        limited(async () => {
          const decide = decideResending({ since, asOf }, world.now());
          const done = await transact(webhookQueues, queueId, context(), decide);
          return done.kind === 'written' ? done.events.length : 0;
        }),
      ),
  );
  return { kind: 'resent', messages: counts.reduce((sum, count) => sum + count, 0) };
}
