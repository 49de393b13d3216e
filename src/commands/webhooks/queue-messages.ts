// Queues the messages about one payment for one endpoint. Nothing but an append: the call of the receiver falls due.

import type { TellableMessage } from '../../domain/payment/message.ts';
import { CHECKPOINT_TYPE } from '../../domain/webhook-endpoint.ts';
import {
  queueCheckpoint as decideCheckpoint,
  queueMessages as decideQueueing,
} from '../../domain/webhook-queue/decide.ts';
import type { MessageQueued } from '../../domain/webhook-queue/events.ts';
import { policyContext } from '../../journal/contexts.ts';
import { transact } from '../../journal/transact.ts';
import type { WebhookNeeds } from './needs.ts';

/** The stream of an endpoint's messages about a payment; both ids are unguessable. */
export const queueIdOf = (endpointId: string, paymentId: string): string => `${endpointId}.${paymentId}`;

export interface Queueing {
  readonly accountId: string;
  readonly endpointId: string;
  readonly paymentId: string;
  /** In the order of their sequence. `correlationId`: what began the payment's event. */
  readonly messages: readonly (Pick<TellableMessage, 'eventId' | 'eventType' | 'sequence'> & {
    readonly correlationId: string;
  })[];
}

/**
 * Each once, whatever the number of calls. `policy`: the actor of the events. Throws StoreUnavailable, and after many
 * lost races.
 */
export async function queueMessages(
  needs: WebhookNeeds,
  { accountId, endpointId, paymentId, messages }: Queueing,
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
    ({ eventId, eventType, sequence }): Omit<MessageQueued, 'previousSequence'> => ({
      accountId,
      endpointId,
      paymentId,
      eventId,
      eventType,
      sequence,
      queuedAt,
    }),
  );
  await needs.mayWrite();
  const done = await transact(needs.webhookQueues, queueIdOf(endpointId, paymentId), context, decideQueueing(queued), {
    start: 'guess',
  });
  // the walk must not go past it
  if (done.kind === 'rejected') throw new Error(`${queueIdOf(endpointId, paymentId)}: ${done.description}`);
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
