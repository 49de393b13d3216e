// A processor whose calls are spans, up to their deadline. Nothing of a card is in them, nor any amount.
import { context, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import type { Processor } from '../processors/processor.ts';
import { outcomeOf } from './processor-outcome.ts';
import { CLIENT } from './span.ts';
import { watchedProcessor } from './watched-processor.ts';

const ERRORS: ReadonlySet<string> = new Set(['unknown', 'unreachable', 'failed']);

export const tracedProcessor = (processor: Processor, tracer: Tracer): Processor =>
  watchedProcessor(processor, ({ verb, operation, signal, reference, paymentId }, work) => {
    const span = tracer.startSpan(`${operation} ${processor.name}`, {
      ...CLIENT,
      attributes: {
        'counterfoil.processor': processor.name,
        'counterfoil.operation': operation,
        ...(reference !== undefined && { 'counterfoil.reference': reference }),
        ...(paymentId !== undefined && { 'counterfoil.payment': paymentId }),
      },
    });
    const called = context.with(trace.setSpan(context.active(), span), work);
    void outcomeOf(verb, called, signal).then((outcome) => {
      span.setAttribute('counterfoil.outcome', outcome);
      if (ERRORS.has(outcome)) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    });
    return called;
  });
