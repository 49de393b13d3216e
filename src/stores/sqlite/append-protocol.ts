// The messages to the thread that writes events: flat arrays of text, because cloning an object costs more than its
// content.
import type { Append } from '../event-store.ts';

/**
 * For each stream: its name, the revision to append after, then id, type, data and metadata of each event. Without one
 * it is PROBE.
 */
export type AppendRequest = readonly (readonly (string | number)[])[];
type StreamAppend = readonly [stream: string, after: number, ...events: readonly string[]];

/** The position of the first event written (all others follow it), or one of the two below. */
export type AppendReply = number;
export const CONFLICT = -1;
/** The ids already exist: nothing was written. */
export const REPEATED = -2;

/** A write that changes nothing, and shows whether the log takes writes. */
export const PROBE: AppendRequest = [];

export const isAppendReply = (reply: unknown): reply is AppendReply => typeof reply === 'number';

export const encodeAppends = (appends: readonly Append[]): AppendRequest =>
  appends.map(({ stream, after, events }) => {
    const flat: (string | number)[] = [stream, after];
    for (const { id, type, data, metadata } of events) flat.push(id, type, data, metadata);
    return flat;
  });

// Only encodeAppends creates these, in the other thread; a full check of every event would cost as much as its insert.
export const isAppendRequest = (request: unknown): request is readonly StreamAppend[] =>
  Array.isArray(request) && request.every(isStreamAppend);

const isStreamAppend = (append: unknown): append is StreamAppend =>
  Array.isArray(append) && typeof append[0] === 'string' && typeof append[1] === 'number' && append.length % 4 === 2;
