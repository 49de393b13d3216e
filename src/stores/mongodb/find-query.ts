// A query along declared keys as MongoDB takes it: the filter, the order, and the index that it is to go along.
import type { Filter } from 'mongodb';
import { indexFor, isList, type KeyRange } from '../query-index.ts';
import type { Collection, Key, Place, Query } from '../read-models.ts';
import { indexKeys, keyPath, type StoredKey, type StoredRow, storedKey } from './stored-row.ts';

export interface FindQuery {
  readonly filter: Filter<StoredRow>;
  readonly sort: Readonly<Record<string, 1 | -1>>;
  /** None where no declared index gives the rows in their order. */
  readonly hint: Record<string, 1> | undefined;
}

type Condition = StoredKey | { readonly [operator: `$${string}`]: StoredKey | readonly StoredKey[] | null };

/** Undefined: nothing can match. */
export function findQuery<Doc extends object, K extends string>(
  of: Collection<Doc, K>,
  query: Omit<Query<K>, 'limit'>,
): FindQuery | undefined {
  const { where, order, after, upTo } = query;
  const conditions: Filter<StoredRow>[] = [];
  for (const name in where) {
    const condition = where[name];
    if (condition === undefined) continue;
    if (isList(condition) && condition.length === 0) return undefined;
    conditions.push({ [keyPath(name)]: isList(condition) ? among(condition) : within(condition) });
  }
  const direction = order?.descending === true ? -1 : 1;
  if (order === undefined) {
    if (after !== undefined) conditions.push({ _id: { $gt: after.id } });
  } else {
    const path = keyPath(order.by);
    if (after !== undefined) conditions.push(...beyond(path, after, order.descending ? '$lt' : '$gt', false));
    if (upTo !== undefined) conditions.push(...beyond(path, upTo, order.descending ? '$gt' : '$lt', true));
    if (after === undefined && upTo === undefined) conditions.push({ [path]: { $ne: null } });
  }
  return { filter: allOf(conditions), sort: sortOf(order?.by, direction), hint: hintFor(of, query) };
}

/**
 * MongoDB compares no pairs: the bound on the key makes the piece of the index, and the rest passes over ties beyond
 * the place.
 */
function beyond(
  path: string,
  { key, id }: Place,
  side: '$lt' | '$gt',
  isIncluded: boolean,
): readonly Filter<StoredRow>[] {
  const stored = storedKey(key);
  const tie = { [path]: stored, _id: { [isIncluded ? `${side}e` : side]: id } };
  return [{ [path]: { [`${side}e`]: stored } }, { $or: [{ [path]: { [side]: stored } }, tie] }];
}

const allOf = (conditions: readonly Filter<StoredRow>[]): Filter<StoredRow> =>
  conditions.length === 0 ? {} : { $and: [...conditions] };

const sortOf = (by: string | undefined, direction: 1 | -1): Readonly<Record<string, 1 | -1>> =>
  by === undefined ? { _id: direction } : { [keyPath(by)]: direction, _id: direction };

function among(keys: readonly Key[]): Condition {
  const [only] = keys;
  return keys.length === 1 && only !== undefined ? storedKey(only) : { $in: keys.map(storedKey) };
}

// `$ne: null` rather than `$exists`: it passes over the documents without the key inside the index.
function within({ from, to }: KeyRange): Condition {
  if (from === undefined && to === undefined) return { $ne: null };
  return { ...(from !== undefined && { $gte: storedKey(from) }), ...(to !== undefined && { $lte: storedKey(to) }) };
}

function hintFor<Doc extends object, K extends string>(
  of: Collection<Doc, K>,
  query: Pick<Query<K>, 'where' | 'order'>,
): Record<string, 1> | undefined {
  const index = indexFor(of, query);
  return index === undefined ? undefined : indexKeys(index);
}
