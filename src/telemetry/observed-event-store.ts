// An event store whose appends are counted, timed and traced.

import type { Appended, EventStore } from '../stores/event-store.ts';
import { StoreUnavailable } from '../stores/store-unavailable.ts';
import { categoryOf } from '../stores/stream-name.ts';
import type { AppendResult } from './meters.ts';
import { type Sinks, within } from './sinks.ts';
import { faultType } from './spans.ts';

export function observedEventStore(store: EventStore, { meters, spans, world }: Sinks): EventStore {
  return {
    async append(stream, after, events): Promise<Appended> {
      const category = categoryOf(stream);
      const attributes = { 'counterfoil.stream': stream, 'counterfoil.events': events.length };
      const span = spans?.start({ name: `append ${category}`, kind: 'client', attributes });
      const start = world.monotonic();
      try {
        const result = await within(span, () => store.append(stream, after, events));
        meters?.appended(category, result, world.monotonic() - start);
        span?.set({ 'counterfoil.result': result });
        return result;
      } catch (fault) {
        meters?.appended(category, resultOf(fault), world.monotonic() - start);
        span?.fail(faultType(fault));
        throw fault;
      } finally {
        span?.end();
      }
    },
    read: (stream, after, most) => store.read(stream, after, most),
    follow: (after, categories, signal) => store.follow(after, categories, signal),
    ...(store.newest !== undefined && { newest: store.newest.bind(store) }),
    ...(store.spread !== undefined && { spread: store.spread.bind(store) }),
    head: () => store.head(),
    close: () => store.close(),
  };
}

/** How an append ended that threw. */
const resultOf = (fault: unknown): AppendResult =>
  fault instanceof StoreUnavailable ? (fault.outcomeUnknown ? 'unknown' : 'unavailable') : 'failed';
