// An event store whose appends are spans.
import type { Tracer } from '@opentelemetry/api';
import { categoryOf } from '../stores/check-append.ts';
import type { EventStore } from '../stores/event-store.ts';
import { CLIENT, inSpan } from './span.ts';

export const tracedEventStore = (store: EventStore, tracer: Tracer): EventStore => ({
  append: (stream, after, events) => {
    const attributes = { 'counterfoil.stream': stream, 'counterfoil.events': events.length };
    return inSpan(tracer, `append ${categoryOf(stream)}`, { ...CLIENT, attributes }, async (span) => {
      const result = await store.append(stream, after, events);
      span.setAttribute('counterfoil.result', result);
      return result;
    });
  },
  read: (stream, after) => store.read(stream, after),
  follow: (after, categories, signal) => store.follow(after, categories, signal),
  head: () => store.head(),
  close: () => store.close(),
});
