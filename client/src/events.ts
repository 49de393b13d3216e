// Events: what webhooks tell, read from the API, for a receiver that has missed something (contract §8). Needs
// transactions:retrieve.
import type { Caller, CallOptions } from './call.ts';
import { List } from './list.ts';
import type { EventFilter, EventMessage } from './types.ts';

export interface Events {
  /**
   * The messages of the account in the order in which they were recorded, the oldest first; after one of them with
   * `after`, an eventId. Each has the payment, or the agreement, as it was at that moment. Keep the eventId of the last
   * one that you have taken **from this list**: webhooks come in any order, so the newest of them does not say that you
   * have all before it.
   */
  list(filter?: EventFilter, options?: CallOptions): List<EventMessage>;
}

export const eventsOf = (caller: Caller): Events => ({
  list: (filter = {}, options = {}) =>
    new List((cursor) =>
      caller.read('GET /events', { query: { ...filter, ...(cursor !== undefined && { cursor }) } }, options),
    ),
});
