// The adapters of a service, with all that somebody wants to see of them: appends, calls of processors, and work.
import type { Processor } from '../processors/processor.ts';
import type { EventStore } from '../stores/event-store.ts';
import { observedEventStore } from './observed-event-store.ts';
import { observedProcessor } from './observed-processor.ts';
import { observedWork } from './observed-work.ts';
import type { Observer } from './observer.ts';
import type { Sinks } from './sinks.ts';

interface Observable {
  readonly events: EventStore;
  readonly processors: ReadonlyMap<string, Processor>;
}

/** The same adapters, told to the sinks; their observer tells of the work inside. */
export function observed<Adapters extends Observable>(
  adapters: Adapters,
  sinks: Sinks,
): Adapters & Observable & { readonly observer: Observer } {
  const processors = new Map([...adapters.processors].map(([name, one]) => [name, observedProcessor(one, sinks)]));
  return { ...adapters, events: observedEventStore(adapters.events, sinks), processors, observer: observedWork(sinks) };
}
