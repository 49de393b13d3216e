// All documents of a query, page by page.
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
