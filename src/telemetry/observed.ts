// What goes around the adapters, the requests and the work of a service when somebody wants metrics, traces, or both.
import type { Adapters } from '../adapters.ts';
import type { Around } from '../http/app.ts';
import type { Observer } from '../observer.ts';
import type { Processor } from '../processors/processor.ts';
import type { EventStore } from '../stores/event-store.ts';

/** One of them. */
export interface Watcher {
  readonly events: (store: EventStore) => EventStore;
  readonly processor: (processor: Processor) => Processor;
  readonly requests: Around;
  readonly observer: Observer;
}

/** The adapters with all watchers around them, the first innermost; the same ones when there are none. */
export function observed(adapters: Adapters, watchers: readonly Watcher[]): Adapters {
  let inner = adapters;
  for (const { events, processor, observer } of watchers) {
    const processors = new Map([...inner.processors].map(([name, one]) => [name, processor(one)]));
    inner = { ...inner, events: events(inner.events), processors, observer: both(inner.observer, observer) };
  }
  return inner;
}

/** What goes around requests, outermost first. */
export const aroundRequests = (watchers: readonly Watcher[]): readonly Around[] => watchers.map(({ requests }) => requests).toReversed();

const both = (inner: Observer | undefined, outer: Observer): Observer =>
  inner === undefined
    ? outer
    : {
        transact: (stream, work) => outer.transact(stream, () => inner.transact(stream, work)),
        decidesAgain(category) {
          inner.decidesAgain(category);
          outer.decidesAgain(category);
        },
        givesUp(category) {
          inner.givesUp(category);
          outer.givesUp(category);
        },
        circuit(processor, isOpen) {
          inner.circuit(processor, isOpen);
          outer.circuit(processor, isOpen);
        },
        limited(limit) {
          inner.limited(limit);
          outer.limited(limit);
        },
        project: (projection, events, work) => outer.project(projection, events, () => inner.project(projection, events, work)),
      };
