// Checks an append before any event store is touched: refuses appends that no caller should have made.
import { toUSVString } from 'node:util';
import type { Append, NewEvent } from './event-store.ts';

/** The most bytes of one append: EventStoreDB accepts no more, and a log that fits one store must fit the other. */
export const MAX_APPEND_BYTES = 1024 * 1024;
/** The most events of one append: many small events take far more room in transit than their texts. */
const MAX_APPEND_EVENTS = 10_000;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Throws TypeError for a stream that is not `<category>-<id>`, an impossible revision, an empty list, a non-UUID or
 * doubled id, an empty type, text with lone surrogates (UTF-8 cannot hold them, so the hash chain would break), more
 * than 10,000 events and more than 1 MiB in one append. Answers the size of all texts in UTF-16 units.
 */
export function checkAppend(stream: string, after: number, events: readonly NewEvent[]): number {
  if (stream.indexOf('-') < 1) throw new TypeError(`${JSON.stringify(stream)} is not <category>-<id>`);
  if (!Number.isSafeInteger(after) || after < -1) throw new TypeError(`${after} is not a revision to append after`);
  if (events.length === 0) throw new TypeError('an append of no events');
  if (events.length > MAX_APPEND_EVENTS)
    throw new TypeError(`an append has at most ${MAX_APPEND_EVENTS} events, and this one has ${events.length}`);
  let units = 0;
  for (const { id, type, data, metadata } of events) {
    if (!uuid.test(id)) throw new TypeError(`${JSON.stringify(id)} is not a UUID`);
    if (type === '') throw new TypeError('an event without a type');
    if (toUSVString(data) !== data || toUSVString(metadata) !== metadata || toUSVString(type) !== type)
      throw new TypeError(`the text of event ${id} holds a lone surrogate`);
    units += type.length + data.length + metadata.length;
  }
  if (events.length > 1 && new Set(events.map(({ id }) => id)).size < events.length)
    throw new TypeError('an append of the same id twice');
  // a UTF-16 unit takes at most three bytes, so most appends need no counting
  if (units * 3 > MAX_APPEND_BYTES) checkBytes(events);
  return units;
}

/** Checks each append, and throws TypeError for a repeated stream. Returns the size of all texts. */
export function checkAppends(appends: readonly Append[]): number {
  if (appends.length === 0) throw new TypeError('an append to no stream');
  if (appends.length > 1 && new Set(appends.map(({ stream }) => stream)).size < appends.length)
    throw new TypeError('an append to the same stream twice');
  let units = 0;
  for (const { stream, after, events } of appends) units += checkAppend(stream, after, events);
  return units;
}

/** As EventStoreDB counts after 23.10, which counts the data alone: two bytes for each UTF-16 unit of a type. */
function checkBytes(events: readonly NewEvent[]): void {
  const bytes = events.reduce(
    (sum, { type, data, metadata }) => sum + 2 * type.length + Buffer.byteLength(data) + Buffer.byteLength(metadata),
    0,
  );
  if (bytes > MAX_APPEND_BYTES)
    throw new TypeError(`an append of ${bytes} bytes; at most ${MAX_APPEND_BYTES} are taken`);
}
