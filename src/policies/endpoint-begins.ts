// Where in the log endpoints of webhooks begin: each is read once.
import { LRUCache } from 'lru-cache';
import { webhookEndpointCategory } from '../domain/webhook-endpoint/events.ts';
import { BrokenStream } from '../stores/broken-stream.ts';
import type { EventStore } from '../stores/event-store.ts';
import { streamOf } from '../stores/stream-name.ts';

const REMEMBERED = 10_000;

/**
 * The position of an endpoint's first event; -1 if its stream cannot be read, and Infinity for an endpoint that the log
 * does not have. Throws StoreUnavailable.
 */
export function endpointBegins(events: Pick<EventStore, 'read'>): (endpointId: string) => Promise<number> {
  const known = new LRUCache<string, number>({ max: REMEMBERED });
  return async (endpointId) => {
    const found = known.get(endpointId);
    if (found !== undefined) return found;
    try {
      for await (const { position } of events.read(streamOf(webhookEndpointCategory.name, endpointId), -1, 1)) {
        known.set(endpointId, Number(position));
        return Number(position);
      }
    } catch (fault) {
      if (!(fault instanceof BrokenStream)) throw fault;
      return -1;
    }
    return Number.POSITIVE_INFINITY;
  };
}
