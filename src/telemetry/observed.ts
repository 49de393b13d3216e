// The adapters of a service, with all that somebody wants to see of them: appends, calls of processors, and the work of
// commands and projections.
import type { Processor } from '../processors/processor.ts';
import type { EventStore } from '../stores/event-store.ts';
import { categoryOf } from '../stores/stream-name.ts';
import { observedEventStore } from './observed-event-store.ts';
import { observedProcessor } from './observed-processor.ts';
import type { Observer } from './observer.ts';
import { inSpan, type Sinks } from './sinks.ts';

interface Observable {
  readonly events: EventStore;
  readonly processors: ReadonlyMap<string, Processor>;
  readonly openable?: ReadonlyMap<string, () => Promise<Processor>>;
}

/** Wraps the adapters so that they report to the sinks; their observer reports the work inside. */
export function observed<Adapters extends Observable>(
  adapters: Adapters,
  sinks: Sinks,
): Adapters & Observable & { readonly observer: Observer } {
  const processors = new Map([...adapters.processors].map(([name, one]) => [name, observedProcessor(one, sinks)]));
  const openable = new Map(
    [...(adapters.openable ?? [])].map(([name, open]) => [name, async () => observedProcessor(await open(), sinks)]),
  );
  return {
    ...adapters,
    events: observedEventStore(adapters.events, sinks),
    processors,
    openable,
    observer: observedWork(sinks),
  };
}

const NOTHING_MORE = (): void => undefined;

const observedWork = ({ meters, spans, world }: Sinks): Observer => ({
  transact(stream, work) {
    if (spans === undefined) return work();
    const start = {
      name: `transact ${categoryOf(stream)}`,
      kind: 'internal',
      attributes: { 'counterfoil.stream': stream },
    } as const;
    return inSpan(spans, start, work, (span, { kind }) => span.set({ 'counterfoil.result': kind }));
  },
  decidesAgain(category) {
    meters?.decidedAgain(category);
    spans?.event('decides again');
  },
  givesUp(category) {
    meters?.gaveUp(category);
    spans?.event('gives up');
  },
  circuit(processor, isOpen) {
    meters?.circuit(processor, isOpen);
    spans?.event('circuit', { 'counterfoil.processor': processor, 'counterfoil.open': isOpen });
  },
  limited(limit) {
    meters?.limited(limit);
    spans?.event('limited', { 'counterfoil.limit': limit });
  },
  left(kind, count) {
    meters?.left(kind, count);
  },
  async project(projection, events, work) {
    const begin = world.monotonic();
    const attributes = { 'counterfoil.projection': projection, 'counterfoil.events': events };
    if (spans === undefined) await work();
    else await inSpan(spans, { name: `project ${projection}`, kind: 'internal', attributes }, work, NOTHING_MORE);
    meters?.projected(projection, events, world.monotonic() - begin);
  },
});
