// Writes webhook endpoints and messages that wait for them into a log, as the fan-out would have queued them.
import { queueIdOf } from '../../src/commands/webhooks/queue-messages.ts';
import type { Category, DomainEvent } from '../../src/domain/category.ts';
import { webhookEndpointCategory } from '../../src/domain/webhook-endpoint.ts';
import { type MessageQueued, webhookQueueCategory } from '../../src/domain/webhook-queue/events.ts';
import type { Context } from '../../src/journal/context.ts';
import { beforeFirst, seal } from '../../src/journal/envelope.ts';
import type { EventStore } from '../../src/stores/event-store.ts';
import { liveWorld, newId, newUuid } from '../../src/world.ts';

const AT_ONCE = 500;

export interface WaitingMessages {
  readonly accountId: string;
  /** A URL for each endpoint. */
  readonly urls: readonly string[];
  readonly paymentIds: readonly string[];
  /** The revisions of each payment that messages report, ascending. */
  readonly sequences: readonly number[];
  /** How long after now they fall due, ms. */
  readonly dueInMs?: number;
}

export async function writeWaiting(
  events: EventStore,
  { accountId, urls, paymentIds, sequences, dueInMs = 0 }: WaitingMessages,
): Promise<void> {
  for (const url of urls) {
    const endpointId = newId(liveWorld, 'we');
    const addedAt = liveWorld.now();
    await append(events, webhookEndpointCategory, endpointId, accountId, [
      { type: 'WebhookEndpointAdded', data: { accountId, url, addedAt } },
    ]);
    for (let from = 0; from < paymentIds.length; from += AT_ONCE)
      await Promise.all(
        paymentIds.slice(from, from + AT_ONCE).map((paymentId) => {
          const messages = sequences.map((sequence, at): MessageQueued => {
            const previous = sequences[at - 1];
            const told = {
              eventId: newUuid(liveWorld),
              eventType: 'PAYMENT.STATUS' as const,
              sequence,
              queuedAt: liveWorld.now() + dueInMs,
            };
            return {
              accountId,
              endpointId,
              paymentId,
              ...told,
              ...(previous !== undefined && { previousSequence: previous }),
            };
          });
          const queued = messages.map((data) => ({ type: 'MessageQueued' as const, data }));
          return append(events, webhookQueueCategory, queueIdOf(endpointId, paymentId), accountId, queued);
        }),
      );
  }
}

async function append<Event extends DomainEvent>(
  events: EventStore,
  category: Category<Event>,
  id: string,
  accountId: string,
  list: readonly Event[],
): Promise<void> {
  const operationId = newId(liveWorld, 'op');
  const context: Context = {
    accountId,
    actor: { kind: 'policy', id: 'queue-webhooks' },
    at: liveWorld.now(),
    correlationId: operationId,
    operationId,
  };
  const sealed = seal(category, list, context, beforeFirst, liveWorld);
  const written = await events.append(
    `${category.name}-${id}`,
    -1,
    sealed.map(({ stored }) => stored),
  );
  if (written === 'conflict') throw new Error(`${id} already exists`);
}
