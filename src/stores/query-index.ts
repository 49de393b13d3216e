// Which declared index a query goes along (src/projections/models/ declares them): stores are told it, because without statistics they would sort a million rows for one page.
import type { Collection, Key, Query } from './read-models.ts';

export interface KeyRange {
  readonly from?: Key;
  readonly to?: Key;
}

// Array.isArray does not narrow a readonly array out of a union.
export const isList = (condition: readonly Key[] | KeyRange): condition is readonly Key[] => Array.isArray(condition);

/**
 * The longest declared index whose last key is the order (or any key, without an order) and whose other keys have one value each;
 * of several the first declared one.
 */
export function indexFor<Doc extends object, K extends string>(
  of: Collection<Doc, K>,
  { where, order }: Query<K>,
): readonly K[] | undefined {
  const isSingle = (name: K): boolean => {
    const condition = where[name];
    return condition !== undefined && isList(condition) && condition.length === 1;
  };
  const fits = (index: readonly K[]): boolean => {
    const fixed = order === undefined ? index : index.slice(0, -1);
    return fixed.every(isSingle) && (order === undefined || index.at(-1) === order.by);
  };
  return of.indexes.filter(fits).sort((a, b) => b.length - a.length)[0];
}
