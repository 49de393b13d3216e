// All documents of a query, page by page.
import type { Collection, Query, ReadModels, Stored } from '../stores/read-models.ts';

const PAGE = 1_000;

/** By id, or in an order; each page is read when it is wanted, so memory stays flat however many there are. `page`: 1 to 1000. */
export async function* allOf<Doc extends object, K extends string>(
  readModels: Pick<ReadModels, 'find'>,
  of: Collection<Doc, K>,
  query: Pick<Query<K>, 'where' | 'order' | 'after'>,
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
