// Business time in the browser: the service sends its own with every response, because its clock may have been moved.
import { useSyncExternalStore } from 'react';

const TIME = 'X-Business-Time';
const AHEAD = 'X-Clock-Ahead';
/** Two clocks that are read one after the other are never quite equal. */
const LEAST_AHEAD_MS = 1_000;

let offsetMs = 0;
let aheadMs = 0;
const listeners = new Set<() => void>();

/** Takes over the times of a response that has just arrived. A response without them changes nothing. */
export function hearBusinessTime({ headers }: Response): void {
  const ms = Date.parse(headers.get(TIME) ?? '');
  if (!Number.isNaN(ms)) offsetMs = ms - Date.now();
  const ahead = Number.parseInt(headers.get(AHEAD) ?? '', 10);
  // The differences of a millisecond between two responses would render every mark again.
  if (Number.isNaN(ahead) || Math.abs(ahead - aheadMs) < LEAST_AHEAD_MS) return;
  aheadMs = ahead;
  for (const tell of listeners) tell();
}

/** Business time, in ms, as of the last response. Durations on this machine need `Date.now()`. */
export const businessNow = (): number => Date.now() + offsetMs;

const subscribe = (tell: () => void): (() => void) => {
  listeners.add(tell);
  return () => listeners.delete(tell);
};

/** How far the business clock was moved ahead of the clock of the service's machine, in ms; 0 if it was not. */
export const useClockAhead = (): number => useSyncExternalStore(subscribe, () => aheadMs);
