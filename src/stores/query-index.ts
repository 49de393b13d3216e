// The declared index that a query uses (src/projections/models/ declares them): stores are given it, because without
// statistics they would sort a million rows for one page.
import type { Collection, Key, Query } from './read-models.ts';

export interface KeyRange {
  readonly from?: Key;
  readonly to?: Key;
}

// Array.isArray does not narrow a readonly array out of a union.
export const isList = (condition: readonly Key[] | KeyRange): condition is readonly Key[] => Array.isArray(condition);

/**
 * Several values of a key are several pieces of an index, which a store merges. MongoDB sorts all documents of more
 * pieces than 200.
 */
const MOST_PIECES = 200;

/**
 * The longest declared index whose last key is the order (or any key, without an order) and whose other keys have
 * listed values; of several the first declared one.
 */
export function indexFor<Doc extends object, K extends string>(
  of: Collection<Doc, K>,
  { where, order }: Pick<Query<K>, 'where' | 'order'>,
): readonly K[] | undefined {
  const values = (name: K): number => {
    const condition = where[name];
    return condition !== undefined && isList(condition) ? new Set(condition).size : 0;
  };
  const fits = (index: readonly K[]): boolean => {
    const fixed = order === undefined ? index : index.slice(0, -1);
    const pieces = fixed.reduce((product, name) => product * values(name), 1);
    return pieces > 0 && pieces <= MOST_PIECES && (order === undefined || index.at(-1) === order.by);
  };
  return of.indexes.filter(fits).sort((a, b) => b.length - a.length)[0];
}
