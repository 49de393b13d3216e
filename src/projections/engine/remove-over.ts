// Removes the documents of a read model that have been over since a time, in pages.
import type { Collection, Query, ReadModels } from '../../stores/read-models.ts';

const PAGE = 100;

/**
 * Removes the documents whose key `by` (StreamProjection.overSince) is at most `before`, ms; answers how many. A
 * document that changes at the same moment stays. `rest` comes between two pages, and its rejection ends the work.
 * `also`: further conditions. Rejects with StoreUnavailable.
 */
export async function removeOver<Doc extends object, K extends string>(
  readModels: Pick<ReadModels, 'find' | 'remove'>,
  of: Collection<Doc, K>,
  by: NoInfer<K> | undefined,
  before: number,
  rest: () => Promise<void>,
  also: Query<K>['where'] = {},
): Promise<number> {
  if (by === undefined) return 0;
  const where = { ...also, [by]: { to: before } };
  let removed = 0;
  for (let after: Query<K>['after']; ; await rest()) {
    const rows = await readModels.find(of, {
      where,
      order: { by, descending: false },
      limit: PAGE,
      isDueWork: true,
      ...(after && { after }),
    });
    removed += await readModels.remove(of, rows);
    const last = rows.at(-1);
    const key = last && of.keys[by](last.doc);
    if (last === undefined || key === undefined || rows.length < PAGE) return removed;
    after = { key, id: last.id };
  }
}
