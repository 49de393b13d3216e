// Finds events of requests that were answered with an error.
import { EventMetadata } from '../../src/journal/envelope.ts';
import type { EventStore, StoredEvent } from '../../src/stores/event-store.ts';

/**
 * Claims of an idempotency key, a session or a token come before an effect. They are released, or taken over under the
 * same key. A request whose later append was refused may have left them.
 */
const CLAIMS = new Set([
  'IdempotencyClaimed',
  'IdempotencyReleased',
  'ClientSessionClaimed',
  'ClientSessionReleased',
  'InstrumentClaimed',
  'InstrumentReleased',
]);

/** The events of these requests, except claims. */
export async function effectsOf(events: EventStore, requestIds: ReadonlySet<string>): Promise<readonly StoredEvent[]> {
  const found: StoredEvent[] = [];
  const enough = new AbortController();
  for await (const batch of events.follow(-1n, [], enough.signal)) {
    for (const stored of batch.events) {
      const { $correlationId: requestId } = EventMetadata.parse(JSON.parse(stored.metadata));
      if (requestIds.has(requestId) && !CLAIMS.has(stored.type)) found.push(stored);
    }
    if (batch.caughtUp) enough.abort();
  }
  return found;
}
