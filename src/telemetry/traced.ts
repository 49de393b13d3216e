// Everything that becomes a span, as one watcher, on @opentelemetry/api alone: which SDK records it is the operator's choice.
import { isSpanContextValid, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import type { Watcher } from './observed.ts';
import { tracedEventStore } from './traced-event-store.ts';
import { tracedProcessor } from './traced-processor.ts';
import { tracedRequests } from './traced-requests.ts';
import { tracedWork } from './traced-work.ts';

/** Undefined when no tracer provider is registered at this moment: it is asked once, at start, and nothing is spent on it later. */
export function traced(): Watcher | undefined {
  const tracer = trace.getTracer('counterfoil');
  // A span that nobody would record has no valid context; this one is never ended, so that none sees it.
  if (!isSpanContextValid(tracer.startSpan('start', {}, ROOT_CONTEXT).spanContext())) return undefined;
  return {
    events: (store) => tracedEventStore(store, tracer),
    processor: (processor) => tracedProcessor(processor, tracer),
    requests: tracedRequests(tracer),
    observer: tracedWork(tracer),
  };
}
