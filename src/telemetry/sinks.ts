// Where everything that is observed goes: metrics, spans, or both; and how a piece of work is told to them.
import type { World } from '../world.ts';
import type { Meters } from './meters.ts';
import type { SpanStart, Spans } from './spans.ts';
import { faultType, type Span } from './spans.ts';

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
