// A query along declared keys as MongoDB takes it: the filter, the order, and the index that it is to go along.
import type { Filter } from 'mongodb';
import type { Collection, Key, Query } from '../read-models.ts';
import { indexKeys, keyPath, type StoredKey, type StoredRow, storedKey } from './stored-row.ts';

export interface FindQuery {
  readonly filter: Filter<StoredRow>;
  readonly sort: Readonly<Record<string, 1 | -1>>;
  /** None where no declared index gives the rows in their order. */
  readonly hint: Record<string, 1> | undefined;
}

interface Range {
  readonly from?: Key;
  readonly to?: Key;
}
type Condition = StoredKey | { readonly [operator: `$${string}`]: StoredKey | readonly StoredKey[] | null };

/** Undefined: nothing can match. */
export function findQuery<Doc extends object, K extends string>(of: Collection<Doc, K>, query: Query<K>): FindQuery | undefined {
  const { where, order, after } = query;
  const conditions: Record<string, Condition>[] = [];
  for (const name in where) {
    const condition = where[name];
    if (condition === undefined) continue;
    if (isList(condition) && condition.length === 0) return undefined;
    conditions.push({ [keyPath(name)]: isList(condition) ? among(condition) : within(condition) });
  }
  const direction = order?.descending === true ? -1 : 1;
  if (order === undefined) {
    if (after !== undefined) conditions.push({ _id: { $gt: after.id } });
  } else if (after === undefined) conditions.push({ [keyPath(order.by)]: { $ne: null } });
  else return withCursor(of, query, conditions, keyPath(order.by), storedKey(after.key), after.id);
  return { filter: allOf(conditions), sort: sortOf(order?.by, direction), hint: hintFor(of, query) };
}

/** MongoDB compares no pairs: the bound on the key makes the piece of the index, and the rest passes over ties before the cursor. */
function withCursor<Doc extends object, K extends string>(
  of: Collection<Doc, K>,
  query: Query<K>,
  conditions: readonly Record<string, Condition>[],
  path: string,
  key: StoredKey,
  id: string,
): FindQuery {
  const isDescending = query.order?.descending === true;
  const bound = { [path]: isDescending ? { $lte: key } : { $gte: key } };
  const behind = [{ [path]: isDescending ? { $lt: key } : { $gt: key } }, { [path]: key, _id: isDescending ? { $lt: id } : { $gt: id } }];
  return {
    filter: { $and: [...conditions, bound, { $or: behind }] },
    sort: sortOf(query.order?.by, isDescending ? -1 : 1),
    hint: hintFor(of, query),
  };
}

const allOf = (conditions: readonly Record<string, Condition>[]): Filter<StoredRow> =>
  conditions.length === 0 ? {} : { $and: [...conditions] };

const sortOf = (by: string | undefined, direction: 1 | -1): Readonly<Record<string, 1 | -1>> =>
  by === undefined ? { _id: direction } : { [keyPath(by)]: direction, _id: direction };

function among(keys: readonly Key[]): Condition {
  const [only] = keys;
  return keys.length === 1 && only !== undefined ? storedKey(only) : { $in: keys.map(storedKey) };
}

// `$ne: null` rather than `$exists`: it passes over the documents without the key inside the index.
function within({ from, to }: Range): Condition {
  if (from === undefined && to === undefined) return { $ne: null };
  return { ...(from !== undefined && { $gte: storedKey(from) }), ...(to !== undefined && { $lte: storedKey(to) }) };
}

/** The longest declared index whose last key is the order (or any key, without an order) and whose other keys have one value each. */
function hintFor<Doc extends object, K extends string>(of: Collection<Doc, K>, { where, order }: Query<K>): Record<string, 1> | undefined {
  const isSingle = (name: K): boolean => {
    const condition = where[name];
    return condition !== undefined && isList(condition) && condition.length === 1;
  };
  const fits = (index: readonly K[]): boolean => {
    const fixed = order === undefined ? index : index.slice(0, -1);
    return fixed.every(isSingle) && (order === undefined || index.at(-1) === order.by);
  };
  const [longest] = of.indexes.filter(fits).sort((a, b) => b.length - a.length);
  return longest === undefined ? undefined : indexKeys(longest);
}

// Array.isArray does not narrow a readonly array out of a union.
const isList = (condition: readonly Key[] | Range): condition is readonly Key[] => Array.isArray(condition);
