// Spans on @opentelemetry/api alone: which SDK records them is the operator's choice.
import {
  type Span as ApiSpan,
  type Context,
  context,
  isSpanContextValid,
  ProxyTracerProvider,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { Attributes, Span, Spans } from './sinks.ts';

const KINDS = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT } as const;

/**
 * Undefined if no tracer provider is registered at this moment: it is asked once, at start, and nothing is spent on
 * it later.
 */
export function openSpans(): Spans | undefined {
  const tracer = trace.getTracer('counterfoil');
  // A span that is not recorded has no valid context; this one is never ended, so that no exporter sees it.
  if (!isSpanContextValid(tracer.startSpan('start', {}, ROOT_CONTEXT).spanContext())) return undefined;
  return {
    start({ name, kind, attributes }) {
      const parent = context.active();
      return new Started(tracer.startSpan(name, { kind: KINDS[kind], attributes }, parent), parent);
    },
    startServer({ name, attributes }, headers) {
      const parent = parentOf(headers);
      return new Started(tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent), parent);
    },
    event: (name, attributes) => void trace.getActiveSpan()?.addEvent(name, attributes),
  };
}

/**
 * Exports the spans that the provider still keeps, as SDKs do in batches. The API has no call for it, and a provider
 * need not have one.
 */
export async function flushSpans(): Promise<void> {
  const provider = trace.getTracerProvider();
  const registered: object = provider instanceof ProxyTracerProvider ? provider.getDelegate() : provider;
  if ('forceFlush' in registered && typeof registered.forceFlush === 'function') await registered.forceFlush();
}

/**
 * W3C trace context, by whatever propagator is registered. Where Node's own server is instrumented as well, its span is
 * the parent.
 */
function parentOf(headers: object): Context {
  const active = context.active();
  return trace.getSpan(active) === undefined ? propagation.extract(active, headers) : active;
}

class Started implements Span {
  readonly #span: ApiSpan;
  readonly #parent: Context;

  constructor(span: ApiSpan, parent: Context) {
    this.#span = span;
    this.#parent = parent;
  }

  within<T>(work: () => Promise<T>): Promise<T> {
    return context.with(trace.setSpan(this.#parent, this.#span), work);
  }

  rename(name: string): void {
    this.#span.updateName(name);
  }

  set(attributes: Attributes): void {
    this.#span.setAttributes(attributes);
  }

  fail(type?: string): void {
    if (type !== undefined) this.#span.setAttribute('error.type', type);
    this.#span.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(): void {
    this.#span.end();
  }
}
