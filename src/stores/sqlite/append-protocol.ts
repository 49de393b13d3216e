// The messages to the thread that writes events: each append is one text, because cloning many short ones costs more
// than their content.
import type { Append } from '../event-store.ts';

/**
 * Appends as one text: their parts between NULs, which neither JSON nor a name holds. Without an append it is PROBE.
 */
export type AppendRequest = string;
const BETWEEN = '\0';

/** The position of the first event written (all others follow it), or one of the two below. */
export type AppendReply = number;
export const CONFLICT = -1;
/** The ids already exist: nothing was written. */
export const REPEATED = -2;

/** A write that changes nothing, and shows whether the log takes writes. */
export const PROBE: AppendRequest = '';

export const isAppendReply = (reply: unknown): reply is AppendReply => typeof reply === 'number';

/** The stream of each append, the revision to append after, and how many events there are; then their four texts. */
export function encodeAppends(appends: readonly Append[]): AppendRequest {
  const parts: (string | number)[] = [];
  for (const { stream, after, events } of appends) {
    parts.push(stream, after, events.length);
    for (const { id, type, data, metadata } of events) parts.push(id, type, data, metadata);
  }
  return parts.join(BETWEEN);
}

/** Throws TypeError for what `encodeAppends` does not make, as when a text has a NUL. */
export function decodeAppends(request: unknown): readonly Append[] {
  if (typeof request !== 'string') throw new TypeError(NO_REQUEST);
  const parts = request === PROBE ? [] : request.split(BETWEEN);
  const appends: Append[] = [];
  for (let at = 0; at < parts.length; ) {
    const [stream = '', after, count] = parts.slice(at, at + 3);
    const from = at + 3;
    at = from + 4 * Number(count ?? Number.NaN);
    if (!(at > from && at <= parts.length)) throw new TypeError(NO_REQUEST);
    const events = [];
    for (let one = from; one < at; one += 4) {
      const [id = '', type = '', data = '', metadata = ''] = parts.slice(one, one + 4);
      events.push({ id, type, data, metadata });
    }
    appends.push({ stream, after: Number(after), events });
  }
  return appends;
}
const NO_REQUEST = 'not a request to append';
