// Business time in the browser: the service sends its own with every response, because its clock may have been moved.
const HEADER = 'X-Business-Time';

let offsetMs = 0;

/** Takes over the time of a response that has just arrived. A response without it changes nothing. */
export function hearBusinessTime({ headers }: Response): void {
  const ms = Date.parse(headers.get(HEADER) ?? '');
  if (!Number.isNaN(ms)) offsetMs = ms - Date.now();
}

/** Business time, in ms, as of the last response. Durations on this machine need `Date.now()`. */
export const businessNow = (): number => Date.now() + offsetMs;
