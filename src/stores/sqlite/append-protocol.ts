// The messages to the thread that writes events: flat arrays of text, because cloning an object costs more than its content.
import type { NewEvent } from '../event-store.ts';

/** Stream, the revision to append after, then id, type, data and metadata of each event. */
export type AppendRequest = readonly (string | number)[];

/** The position of the first event written (the others follow it), or one of the two below. */
export type AppendReply = number;
export const CONFLICT = -1;
/** The same ids are there already: nothing was written. */
export const REPEATED = -2;

export const isAppendReply = (reply: unknown): reply is AppendReply => typeof reply === 'number';

export function encodeAppend(stream: string, after: number, events: readonly NewEvent[]): AppendRequest {
  const request: (string | number)[] = [stream, after];
  for (const { id, type, data, metadata } of events) request.push(id, type, data, metadata);
  return request;
}

// Only encodeAppend makes these, in the thread beside; a full check of every event would cost as much as its insert.
export const isAppendRequest = (request: unknown): request is readonly [stream: string, after: number, ...events: readonly string[]] =>
  Array.isArray(request) && typeof request[0] === 'string' && typeof request[1] === 'number' && request.length % 4 === 2;
