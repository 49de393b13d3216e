// An event store whose appends are counted and timed.
import { categoryOf } from '../stores/check-append.ts';
import type { Appended, EventStore } from '../stores/event-store.ts';
import { StoreUnavailable } from '../stores/store-unavailable.ts';
import type { World } from '../world.ts';
import type { AppendResult, Meters } from './meters.ts';

export function meteredEventStore(store: EventStore, meters: Pick<Meters, 'appended'>, world: Pick<World, 'monotonic'>): EventStore {
  return {
    async append(stream, after, events): Promise<Appended> {
      const start = world.monotonic();
      try {
        const result = await store.append(stream, after, events);
        meters.appended(categoryOf(stream), result, world.monotonic() - start);
        return result;
      } catch (fault) {
        meters.appended(categoryOf(stream), resultOf(fault), world.monotonic() - start);
        throw fault;
      }
    },
    read: (stream, after) => store.read(stream, after),
    follow: (after, categories, signal) => store.follow(after, categories, signal),
    head: () => store.head(),
    close: () => store.close(),
  };
}

/** How an append ended that threw. */
const resultOf = (fault: unknown): AppendResult =>
  fault instanceof StoreUnavailable ? (fault.outcomeUnknown ? 'unknown' : 'unavailable') : 'failed';
