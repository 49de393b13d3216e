// Where everything that is observed goes: metrics, spans, or both; and how a piece of work is told to them.

import { AppError } from '../app-error.ts';
import type { World } from '../world.ts';
import type { Meters } from './meters.ts';

export interface Sinks {
  /** Undefined: nothing is counted. */
  readonly meters: Meters | undefined;
  /** Undefined: nothing is traced. */
  readonly spans: Spans | undefined;
  readonly world: Pick<World, 'monotonic'>;
}

/** Runs work, inside the span where there is one; answers and throws as the work does. */
export const within = <T>(span: Span | undefined, work: () => Promise<T>): Promise<T> =>
  span === undefined ? work() : span.within(work);

/**
 * Work inside a span: ended with it, and marked when the work fails. `told` gets the answer of the work, to describe
 * the span.
 */
export async function inSpan<T>(
  spans: Spans,
  start: SpanStart,
  work: () => Promise<T>,
  told: (span: Span, answer: T) => void,
): Promise<T> {
  const span = spans.start(start);
  try {
    const answer = await span.within(work);
    told(span, answer);
    return answer;
  } catch (fault) {
    span.fail(faultType(fault));
    throw fault;
  } finally {
    span.end();
  }
}

export type Attributes = { readonly [name: string]: string | number | boolean };

interface SpanStart {
  readonly name: string;
  /** client: something outside this process is called. */
  readonly kind: 'internal' | 'client';
  readonly attributes: Attributes;
}

/** A started span, below the active one. */
export interface Span {
  /** Runs work with this span as the active one; answers and throws as the work does. */
  within<T>(work: () => Promise<T>): Promise<T>;
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** Marks it as failed; `type`: in a word, without the fault's message, which may hold anything. */
  fail(type?: string): void;
  end(): void;
}

export interface Spans {
  start(span: SpanStart): Span;
  /** A request of somebody else, below the caller's own span where `headers` name one. */
  startServer(span: Omit<SpanStart, 'kind'>, headers: { readonly [name: string]: string | string[] | undefined }): Span;
  /** Something that happens while the active span runs. */
  event(name: string, attributes?: Attributes): void;
}

/** A fault in a word. */
export const faultType = (fault: unknown): string =>
  fault instanceof AppError ? fault.code : fault instanceof Error ? fault.name : 'unknown';
