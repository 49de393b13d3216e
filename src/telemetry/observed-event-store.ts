// An event store whose appends are counted, timed and traced.

import type { Append, Appended, EventStore } from '../stores/event-store.ts';
import { StoreUnavailable } from '../stores/store-unavailable.ts';
import { categoryOf } from '../stores/stream-name.ts';
import type { AppendResult } from './meters.ts';
import { type Sinks, within } from './sinks.ts';
import { faultType } from './spans.ts';

export function observedEventStore(store: EventStore, { meters, spans, world }: Sinks): EventStore {
  /** Counted for the category of each stream, as an append of its own; the span is of all. */
  const observed = async (appends: readonly Append[], append: () => Promise<Appended>): Promise<Appended> => {
    const categories = appends.map(({ stream }) => categoryOf(stream));
    const attributes = {
      'counterfoil.stream': appends.map(({ stream }) => stream).join(' '),
      'counterfoil.events': appends.reduce((sum, { events }) => sum + events.length, 0),
    };
    const span = spans?.start({ name: `append ${categories.join(' ')}`, kind: 'client', attributes });
    const start = world.monotonic();
    const ended = (result: AppendResult): void => {
      for (const category of categories) meters?.appended(category, result, world.monotonic() - start);
    };
    try {
      const result = await within(span, append);
      ended(result);
      span?.set({ 'counterfoil.result': result });
      return result;
    } catch (fault) {
      ended(resultOf(fault));
      span?.fail(faultType(fault));
      throw fault;
    } finally {
      span?.end();
    }
  };
  const { appendAll } = store;
  return {
    append: (stream, after, events) => observed([{ stream, after, events }], () => store.append(stream, after, events)),
    ...(appendAll !== undefined && { appendAll: (appends) => observed(appends, () => appendAll.call(store, appends)) }),
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
