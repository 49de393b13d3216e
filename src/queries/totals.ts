// How many rows of a list match, and the sum of their amounts in each currency, over a bounded number of rows.
import { plus, type Sum } from '../domain/money.ts';

export interface Totals {
  readonly count: number;
  /** True if there may be more: a total looks at the first rows of the list alone. */
  readonly isMore: boolean;
  /**
   * Amounts in minor units, the currency of most rows first. Rows without an amount are in `count` only.
   */
  readonly currencies: { readonly currencyCode: string; readonly count: number; readonly amount: Sum }[];
}

interface CountedRow {
  readonly currencyCode?: string | undefined;
  /** Minor units. */
  readonly amount?: number | undefined;
}

interface CountedPage<Cursor> {
  readonly rows: readonly CountedRow[];
  readonly next?: Cursor;
}

const MOST_PAGES = 10;

/** Reads ten pages at most. */
export async function totalsOf<Cursor>(pageAfter: (after?: Cursor) => Promise<CountedPage<Cursor>>): Promise<Totals> {
  const sums = new Map<string, { count: number; amount: Sum }>();
  let found = 0;
  let pages = 0;
  let after: Cursor | undefined;
  do {
    const { rows, next } = await pageAfter(after);
    found += rows.length;
    for (const { currencyCode, amount } of rows) {
      if (currencyCode === undefined || amount === undefined) continue;
      const sum = sums.get(currencyCode) ?? { count: 0, amount: 0 };
      sums.set(currencyCode, { count: sum.count + 1, amount: plus(sum.amount, amount) });
    }
    after = next;
    pages += 1;
  } while (after !== undefined && pages < MOST_PAGES);
  const currencies = [...sums].map(([currencyCode, sum]) => ({ currencyCode, ...sum }));
  return { count: found, isMore: after !== undefined, currencies: currencies.sort((a, b) => b.count - a.count) };
}
