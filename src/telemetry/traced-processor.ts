// A processor whose calls are spans, up to their deadline. Nothing of a card is in them, nor any amount.
import { type Attributes, context, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import type { LookUp, Outcome, Processor, Tokenized } from '../processors/processor.ts';
import { outcomeOf } from './processor-outcome.ts';
import { CLIENT } from './span.ts';

export function tracedProcessor(processor: Processor, tracer: Tracer): Processor {
  const { name, consistencyWindowMs } = processor;
  const call = <T extends Outcome | LookUp | Tokenized>(
    verb: 'perform' | 'lookUp' | 'tokenize',
    operation: string,
    attributes: Attributes,
    work: () => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> => {
    const span = tracer.startSpan(`${operation} ${name}`, {
      ...CLIENT,
      attributes: { 'counterfoil.processor': name, 'counterfoil.operation': operation, ...attributes },
    });
    const called = context.with(trace.setSpan(context.active(), span), work);
    void outcomeOf(verb, called, signal).then((outcome) => {
      span.setAttribute('counterfoil.outcome', outcome);
      if (outcome === 'unknown' || outcome === 'unreachable' || outcome === 'failed') span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    });
    return called;
  };
  return {
    name,
    consistencyWindowMs,
    perform: (request, signal) => {
      const attributes = { 'counterfoil.reference': request.reference, 'counterfoil.payment': request.paymentId };
      return call('perform', request.operation, attributes, () => processor.perform(request, signal), signal);
    },
    lookUp: (reference, signal) =>
      call('lookUp', 'look_up', { 'counterfoil.reference': reference }, () => processor.lookUp(reference, signal), signal),
    tokenize: (request, signal) => call('tokenize', 'tokenization', {}, () => processor.tokenize(request, signal), signal),
    readNotification: (raw, headers, now) => processor.readNotification(raw, headers, now),
    rereadNotification: (raw) => processor.rereadNotification(raw),
  };
}
