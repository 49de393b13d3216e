// Spans as the parts that are observed know them; opentelemetry.ts makes them.
import { AppError } from '../app-error.ts';

export type Attributes = { readonly [name: string]: string | number | boolean };

export interface SpanStart {
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
