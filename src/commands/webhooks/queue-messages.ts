// Queues the messages about one payment or agreement for one endpoint. Nothing but an append: the call of the receiver
// falls due.

import type { TellableMessage } from '../../domain/message.ts';
import { CHECKPOINT_TYPE } from '../../domain/webhook-endpoint.ts';
import {
  queueCheckpoint as decideCheckpoint,
  queueMessages as decideQueueing,
  type QueueableMessage,
} from '../../domain/webhook-queue/decide.ts';
import { policyContext } from '../../journal/contexts.ts';
import { transact } from '../../journal/transact.ts';
import type { WebhookNeeds } from './needs.ts';

/** The stream of an endpoint's messages about a payment or an agreement; both ids are unguessable. */
export const queueIdOf = (endpointId: string, subjectId: string): string => `${endpointId}.${subjectId}`;

export interface Queueing {
  readonly accountId: string;
  readonly endpointId: string;
  /** The payment or the agreement that all of them are about. */
  readonly subjectId: string;
  /** In the order of their sequence. `correlationId`: what began the event. */
  readonly messages: readonly (TellableMessage & { readonly correlationId: string })[];
}

/**
 * Each once, whatever the number of calls. `policy`: the actor of the events. Throws StoreUnavailable, and after many
 * lost races.
 */
export async function queueMessages(
  needs: WebhookNeeds,
  { accountId, endpointId, subjectId, messages }: Queueing,
  policy: string,
): Promise<void> {
  const cause = messages.at(-1);
  if (cause === undefined) return;
  const context = policyContext(needs.world, policy, accountId, {
    correlationId: cause.correlationId,
    causationId: cause.eventId,
  });
  const queuedAt = context.at;
  const queued = messages.map(
    ({ correlationId: _began, ...message }): QueueableMessage => ({ accountId, endpointId, ...message, queuedAt }),
  );
  await needs.mayWrite();
  const queueId = queueIdOf(endpointId, subjectId);
  const done = await transact(needs.webhookQueues, queueId, context, decideQueueing(queued), { start: 'guess' });
  // the walk must not go past it
  if (done.kind === 'rejected') throw new Error(`${queueId}: ${done.description}`);
}

interface QueueingCheckpoint {
  readonly accountId: string;
  readonly endpointId: string;
  /** The event of the checkpoint, and its revision in its stream. */
  readonly eventId: string;
  readonly sequence: number;
  readonly correlationId: string;
}

/** The stream of an endpoint's message about a checkpoint. */
export const checkpointQueueIdOf = (endpointId: string, sequence: number): string =>
  `${endpointId}.checkpoint_${sequence}`;

/** Once, whatever the number of calls. `policy`: as of queueMessages. Throws as it does. */
export async function queueCheckpoint(
  needs: WebhookNeeds,
  { accountId, endpointId, eventId, sequence, correlationId }: QueueingCheckpoint,
  policy: string,
): Promise<void> {
  const context = policyContext(needs.world, policy, accountId, { correlationId, causationId: eventId });
  const queueId = checkpointQueueIdOf(endpointId, sequence);
  const message = {
    accountId,
    endpointId,
    eventId,
    eventType: CHECKPOINT_TYPE,
    sequence,
    queuedAt: context.at,
  } as const;
  await needs.mayWrite();
  const done = await transact(needs.webhookQueues, queueId, context, decideCheckpoint(message), { start: 'guess' });
  if (done.kind === 'rejected') throw new Error(`${queueId}: ${done.description}`);
}
