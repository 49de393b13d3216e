// Which period of an agreement is tried next.
import type { Agreement, Period } from './agreement-types.ts';

/** The period that is tried next, and when; undefined while none waits for a try, or none may be made. */
export function nextTryOf({ status, periods = [] }: Agreement): Period | undefined {
  if (status !== 'ACTIVE' && status !== 'PAUSED') return undefined;
  const waiting = periods.filter(
    ({ outcome, retryAt, notBefore }) =>
      outcome !== undefined && outcome !== 'SUCCEEDED' && (retryAt ?? notBefore) !== undefined,
  );
  const [next] = waiting.toSorted((a, b) => timeOf(a) - timeOf(b));
  return next;
}

const timeOf = ({ retryAt, notBefore }: Period): number => Date.parse(retryAt ?? notBefore ?? '');
