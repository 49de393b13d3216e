// The work of commands and projections, counted, timed and traced.
import { categoryOf } from '../stores/stream-name.ts';
import type { Observer } from './observer.ts';
import { inSpan, type Sinks } from './sinks.ts';

const NOTHING_MORE = (): void => undefined;

export const observedWork = ({ meters, spans, world }: Sinks): Observer => ({
  transact(stream, work) {
    if (spans === undefined) return work();
    const start = { name: `transact ${categoryOf(stream)}`, kind: 'internal', attributes: { 'counterfoil.stream': stream } } as const;
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
  async project(projection, events, work) {
    const begin = world.monotonic();
    const attributes = { 'counterfoil.projection': projection, 'counterfoil.events': events };
    if (spans === undefined) await work();
    else await inSpan(spans, { name: `project ${projection}`, kind: 'internal', attributes }, work, NOTHING_MORE);
    meters?.projected(projection, events, world.monotonic() - begin);
  },
});
