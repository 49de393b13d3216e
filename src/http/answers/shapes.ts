// Shapes that many answers have.
import { z } from 'zod';
import { KnownCurrencyCode } from '../../commands/fields/currency.ts';
import { formatTime } from '../../world.ts';

/** A time: RFC 3339 in UTC, to the millisecond. */
export const Instant = z.iso.datetime({ precision: 3 });

/** Of ms; absent where there is no such moment. */
export function instantOf(ms: number): string;
export function instantOf(ms: number | undefined): string | undefined;
export function instantOf(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : formatTime(ms);
}

/** A sum of amounts in minor units: a number, or beyond 2^53 - 1 a string of its digits (contract §1). */
export const SumAnswer = z.union([z.int(), z.string().regex(/^-?\d{16,}$/)]);

/** The number of rows of a list that match, and the sum of their amounts in each currency. */
export const TotalsAnswer = z
  .strictObject({
    count: z.int(),
    /** True if there may be more: a total looks at a bounded number of rows. */
    isMore: z.boolean(),
    currencies: z.array(z.strictObject({ currencyCode: KnownCurrencyCode, count: z.int(), amount: SumAnswer })),
  })
  .meta({ id: 'Totals' });

/** A page of a list, empty or not. Without `nextCursor` there are no more. */
export const pageOf = <Item extends z.ZodType>(id: string, item: Item) =>
  z.strictObject({ data: z.array(item), nextCursor: z.string().optional() }).meta({ id });

/**
 * For `.meta`: the meaning of each value of an enumeration, under the name that API references read; the contract's
 * tables have it too.
 */
export const valuesIn = (words: { readonly [value: string]: string }): { readonly 'x-enumDescriptions': object } => ({
  'x-enumDescriptions': words,
});
