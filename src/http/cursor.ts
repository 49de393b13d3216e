// Cursors: opaque to callers, and good only for the list and the filters that they came from (contract §4).
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type Refusal, refuse } from './errors.ts';

const MAX_CHARACTERS = 1_024;

/** The pattern of a cursor's parameter. */
export const CursorText = z.string().min(1).max(MAX_CHARACTERS);

const invalidCursor = (): Refusal =>
  refuse('InvalidCursor', 'The cursor does not belong to this list with these filters.');

/** Names a list, its owner and its filters. The order of the filters does not matter. */
export function bindingOf(list: string, accountId: string, filters: { readonly [name: string]: unknown }): string {
  const sorted = Object.entries(filters)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([list, accountId, sorted]))
    .digest('base64url')
    .slice(0, 16);
}

export const writeCursor = (binding: string, place: object): string =>
  Buffer.from(JSON.stringify({ binding, place })).toString('base64url');

/** The position at which the previous page ended; 400 for a text that is not a cursor, or a cursor of another list. */
export function readCursor<Place>(
  text: string,
  binding: string,
  place: z.ZodType<Place>,
): { readonly place: Place } | Refusal {
  const parsed = z
    .strictObject({ binding: z.literal(binding), place })
    .safeParse(jsonOf(Buffer.from(text, 'base64url').toString('utf8')));
  return parsed.success ? { place: parsed.data.place } : invalidCursor();
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // no cursor of ours
  }
}
