// Work inside a span: active while it runs, ended with it, marked when it fails.
import { context, type Span, SpanKind, type SpanOptions, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { AppError } from '../app-error.ts';

/** Answers and throws what `work` does; its parent is the active span. A fault is named, and its message, which may hold anything, is left out. */
export async function inSpan<T>(tracer: Tracer, name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  const span = tracer.startSpan(name, options);
  try {
    return await context.with(trace.setSpan(context.active(), span), work, undefined, span);
  } catch (fault) {
    fail(span, errorType(fault));
    throw fault;
  } finally {
    span.end();
  }
}

export function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

const errorType = (fault: unknown): string => (fault instanceof AppError ? fault.code : fault instanceof Error ? fault.name : 'unknown');

/** Something outside this process is called. */
export const CLIENT = { kind: SpanKind.CLIENT } as const;
