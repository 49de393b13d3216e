// Lists by pages: their size, their order's cursors, and the page that goes out. A cursor holds the position at
// which its page ended, opaque, and bound to its list, account and filters.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { moment } from '../commands/fields/moment.ts';
import { parseTime } from '../world.ts';
import { page } from './answer-size.ts';
import { type Refusal, refuse } from './errors.ts';
import { found, type Reply } from './route.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

const WHOLE_NUMBER = /^\d{1,16}$/;
/** A number in a query. */
export const asNumber = <Schema extends z.ZodType>(number: Schema) =>
  z.preprocess((sent) => (typeof sent === 'string' && WHOLE_NUMBER.test(sent) ? Number(sent) : sent), number);

/** How many items a page has, at most `most`. */
export const pageSizeUpTo = (most: number) => {
  const error = `Must be a whole number from 1 to ${most}.`;
  return asNumber(z.int({ error }).min(1, { error }).max(most, { error })).optional();
};

/**
 * A time in a query. A `+` that is not percent-encoded is a space there, which has no other meaning before an offset.
 */
export const Time = moment((text) => parseTime(text.replace(/ (?=\d\d:\d\d$)/, '+')));

/** The pattern of a cursor's parameter. */
export const CursorText = z.string().min(1).max(1_024);

/** The parameters of a list with pages. */
export const paging = { limit: pageSizeUpTo(MAX_LIMIT), cursor: CursorText.optional() };
export const Paging = z.strictObject(paging);

const invalidCursor = (): Refusal =>
  refuse('InvalidCursor', 'The cursor does not belong to this list with these filters.');

interface BoundList {
  /** The name of the list. */
  readonly list: string;
  readonly accountId: string;
  /** The order of the filters does not matter. */
  readonly filters: object;
}

function bindingOf({ list, accountId, filters }: BoundList): string {
  const sorted = Object.entries(filters)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([list, accountId, sorted]))
    .digest('base64url')
    .slice(0, 16);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // no cursor of ours
  }
}

/** The cursors of a list: written, and read back as the position at which the previous page ended. */
export function cursorsOf<Place extends object>(bound: BoundList, place: z.ZodType<Place>) {
  const binding = bindingOf(bound);
  const Cursor = z.strictObject({ binding: z.literal(binding), place });
  return {
    /** Undefined without a cursor; 400 for a text that is not a cursor, or a cursor of another list. */
    after(text: string | undefined): { readonly place?: Place } | Refusal {
      if (text === undefined) return {};
      const parsed = Cursor.safeParse(jsonOf(Buffer.from(text, 'base64url').toString('utf8')));
      return parsed.success ? { place: parsed.data.place } : invalidCursor();
    },
    /** The members of a page after which the list goes on there; none at its end. */
    next: (at: Place | undefined): { readonly nextCursor?: string } =>
      at === undefined ? {} : { nextCursor: Buffer.from(JSON.stringify({ binding, place: at })).toString('base64url') },
  };
}

interface List<Place extends object, Row, Item> extends BoundList {
  readonly place: z.ZodType<Place>;
  /** The rows of a page, and the place of the next one. */
  readonly read: (
    limit: number,
    after?: Place,
  ) => Promise<{ readonly rows: readonly Row[]; readonly next?: Place | undefined } | Refusal>;
  readonly itemsOf: (rows: readonly Row[]) => readonly Item[] | Promise<readonly Item[]>;
  /**
   * Of a row where the page ends early, because no more has room in one answer; left out where all that is read has
   * room.
   */
  readonly placeOf?: (row: Row) => Place;
}

/** A page of a list. */
export async function listed<Place extends object, Row, Item>(
  { limit = DEFAULT_LIMIT, cursor }: { readonly limit?: number | undefined; readonly cursor?: string | undefined },
  { place, read, itemsOf, placeOf, ...bound }: List<Place, Row, Item>,
): Promise<Reply<{ readonly data: Item[]; readonly nextCursor?: string }> | Refusal> {
  const cursors = cursorsOf(bound, place);
  const after = cursors.after(cursor);
  if ('kind' in after) return after;
  const stored = await read(limit, after.place);
  if ('kind' in stored) return stored;
  const { rows, next } = stored;
  const items = await itemsOf(rows);
  if (placeOf === undefined) return found({ data: [...items], ...cursors.next(next) });
  return page(
    items,
    (item) => item,
    (shown) => {
      const last = shown < rows.length ? rows[shown - 1] : undefined;
      return cursors.next(last === undefined ? next : placeOf(last));
    },
  );
}
