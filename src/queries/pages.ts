// All documents of a query, page by page.

import { plus, type Sum } from '../domain/money.ts';
import type { Collection, Finds, Query, ReadModels, Stored } from '../stores/read-models.ts';

const PAGE = 1_000;

/** For queries that find several times: all of it within one deadline. */
export const ofOneRequest = (readModels: Pick<ReadModels, 'find' | 'place' | 'ofOneRequest'>): Finds =>
  readModels.ofOneRequest?.() ?? readModels;

/**
 * By id, or in an order; each page is read when it is wanted, so memory stays flat however many there are. `page`: 1 to
 * 1000.
 */
export async function* allOf<Doc extends object, K extends string>(
  readModels: Pick<Finds, 'find'>,
  of: Collection<Doc, K>,
  query: Pick<Query<K>, 'where' | 'order' | 'after' | 'isDueWork'>,
  page: number = PAGE,
): AsyncIterable<Stored<Doc>> {
  let { after } = query;
  for (;;) {
    const rows = await readModels.find(of, { ...query, limit: page, ...(after !== undefined && { after }) });
    yield* rows;
    const last = rows.at(-1);
    if (rows.length < page || last === undefined) return;
    const key = query.order === undefined ? '' : of.keys[query.order.by](last.doc);
    after = { key: key ?? '', id: last.id };
  }
}

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

/** Where a page ended: when its last row was made (ms), and the row's id. */
export interface NewestCursor {
  readonly createdAt: number;
  readonly id: string;
}
export interface NewestPage<Doc> {
  readonly rows: readonly Stored<Doc>[];
  readonly next?: NewestCursor;
}

interface NewestQuery<K extends string> {
  readonly where: Query<K>['where'];
  readonly limit: number;
  readonly after: NewestCursor | undefined;
  /** The key that has the time of creation; left out: `createdAt`. */
  readonly by?: K;
  readonly isOldestFirst?: boolean;
}

/** Documents with the key `createdAt` exist; `isMade` proves that to the compiler. */
export async function newest<Doc extends object, Made extends Doc & { readonly createdAt: number }, K extends string>(
  readModels: Pick<ReadModels, 'find'>,
  of: Collection<Doc, K | 'createdAt'>,
  { where, limit, after, by = 'createdAt', isOldestFirst = false }: NewestQuery<NoInfer<K> | 'createdAt'>,
  isMade: (doc: Doc) => doc is Made,
): Promise<NewestPage<Made>> {
  const found = await readModels.find(of, {
    where,
    order: { by, descending: !isOldestFirst },
    ...(after !== undefined && { after: { key: after.createdAt, id: after.id } }),
    limit: limit + 1, // one more shows whether there is a next page
  });
  const rows = found.slice(0, limit).flatMap((row) => (isMade(row.doc) ? [{ ...row, doc: row.doc }] : []));
  const last = rows.at(-1);
  return {
    rows,
    ...(found.length > limit && last !== undefined && { next: { createdAt: last.doc.createdAt, id: last.id } }),
  };
}
