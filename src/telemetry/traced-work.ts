// Spans around what commands and projections do.
import { type Tracer, trace } from '@opentelemetry/api';
import type { Observer } from '../observer.ts';
import { categoryOf } from '../stores/check-append.ts';
import { inSpan } from './span.ts';

export const tracedWork = (tracer: Tracer): Observer => ({
  transact: (stream, work) =>
    inSpan(tracer, `transact ${categoryOf(stream)}`, { attributes: { 'counterfoil.stream': stream } }, async (span) => {
      const done = await work();
      span.setAttribute('counterfoil.result', done.kind);
      return done;
    }),
  decidesAgain: () => void trace.getActiveSpan()?.addEvent('decides again'),
  givesUp: () => void trace.getActiveSpan()?.addEvent('gives up'),
  circuit: (processor, isOpen) =>
    void trace.getActiveSpan()?.addEvent('circuit', { 'counterfoil.processor': processor, 'counterfoil.open': isOpen }),
  limited: (limit) => void trace.getActiveSpan()?.addEvent('limited', { 'counterfoil.limit': limit }),
  project: (projection, events, work) =>
    inSpan(tracer, `project ${projection}`, { attributes: { 'counterfoil.projection': projection, 'counterfoil.events': events } }, work),
});
