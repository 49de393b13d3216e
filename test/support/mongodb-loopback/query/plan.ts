// Chooses the index of a query, and reads its candidate documents in the order of the index.
import { isRecord } from '../bson/elements.ts';
import { compareValues } from '../bson/order.ts';
import type { Collection } from '../storage/collection.ts';
import { type IdKey, idKey } from '../storage/id-key.ts';
import type { Field, Index } from '../storage/index.ts';
import { type Constraint, type Constraints, constraintsOf, demandsPresence } from './constraints.ts';
import { compileFilter, type Filter, type Matches } from './filter.ts';
import { mergeSorted } from './merge-sorted.ts';
import { sorter } from './sort.ts';

export interface Candidates {
  readonly docs: Iterable<Buffer>;
  /** True if the documents come in the requested order. */
  readonly sorted: boolean;
  /** The filter, or the rest of it that these documents still have to match. */
  readonly matches: Matches;
}

const RANGES = 256;

function implies(constraints: Constraints, filter: Filter, partial: Filter): boolean {
  return Object.entries(partial).every(([path, condition]) => {
    if (isRecord(condition) && Object.keys(condition).length === 1 && condition['$exists'] === true)
      return demandsPresence(constraints.get(path));
    return compareValues(filter[path], condition) === 0;
  });
}

const covers = ({ spec }: Index, constraints: Constraints, filter: Filter): boolean =>
  (!spec.sparse || demandsPresence(constraints.get(Object.keys(spec.key)[0] ?? ''))) &&
  (spec.partialFilterExpression === undefined || implies(constraints, filter, spec.partialFilterExpression));

interface Plan {
  readonly index: Index;
  /** The values of the index's first fields, one list for each range. */
  readonly prefixes: readonly (readonly unknown[])[];
  /** The constraint on the field after the prefix. */
  readonly range: Constraint | undefined;
  readonly sorted: boolean;
  readonly backward: boolean;
  readonly worth: number;
}

const products = (prefixes: readonly (readonly unknown[])[], values: readonly unknown[]): unknown[][] =>
  prefixes.flatMap((prefix) => values.map((value) => [...prefix, value]));

/** Distinct values: a range that is read twice would answer its documents twice. */
const distinct = (values: readonly unknown[]): unknown[] => {
  const sorted = [...values].sort(compareValues);
  return sorted.filter((value, i) => i === 0 || compareValues(value, sorted[i - 1]) !== 0);
};

function planFor(index: Index, constraints: Constraints, sort: readonly Field[]): Plan {
  let prefixes: unknown[][] = [[]];
  const fixed = new Set<string>();
  let depth = 0;
  for (const { path } of index.fields) {
    const values = distinct(constraints.get(path)?.values ?? []);
    if (values.length === 0 || prefixes.length * values.length > RANGES) break;
    prefixes = products(prefixes, values);
    if (values.length === 1) fixed.add(path);
    depth += 1;
  }
  const rest = index.fields.slice(depth);
  const wanted = sort.filter(({ path }) => !fixed.has(path));
  const backward = wanted[0]?.descending !== rest[0]?.descending && wanted.length > 0;
  const sorted = wanted.every(
    ({ path, descending }, i) => rest[i]?.path === path && (rest[i]?.descending !== descending) === backward,
  );
  const range = constraints.get(rest[0]?.path ?? '');
  const worth = depth * 4 + (range === undefined ? 0 : 2) + (sorted && sort.length > 0 ? 3 : 0);
  return { index, prefixes, range, sorted, backward: sorted && backward, worth };
}

function* rangeOf({ index, range, backward }: Plan, prefix: readonly unknown[]): Generator<IdKey> {
  const field = index.fields[prefix.length];
  const [low, high] = field?.descending === true ? [range?.to, range?.from] : [range?.from, range?.to];
  const side = (key: readonly unknown[], bound: { readonly value: unknown } | undefined): number => {
    const difference = index.compare(key, prefix, prefix.length);
    if (difference !== 0 || bound === undefined) return difference;
    const behind = compareValues(key[prefix.length], bound.value);
    return field?.descending === true ? -behind : behind;
  };
  if (backward) {
    for (const { key, id } of index.entries().downFrom(({ key }) => side(key, high) > 0)) {
      if (side(key, low) < 0) return;
      yield id;
    }
  } else {
    for (const { key, id } of index.entries().upFrom(({ key }) => side(key, low) >= 0)) {
      if (side(key, high) > 0) return;
      yield id;
    }
  }
}

function* documentsOf(collection: Collection, ids: Iterable<IdKey>): Generator<Buffer> {
  for (const id of ids) {
    const doc = collection.get(id);
    if (doc !== undefined) yield doc;
  }
}

function bestPlan(
  collection: Collection,
  filter: Filter,
  constraints: Constraints,
  sort: readonly Field[],
): Plan | undefined {
  let best: Plan | undefined;
  for (const index of collection.indexes.values()) {
    if (!covers(index, constraints, filter)) continue;
    const plan = planFor(index, constraints, sort);
    if (plan.worth > (best?.worth ?? 0) && index.usable) best = plan;
  }
  return best;
}

/**
 * The candidate documents, each once; every matching document is among them. A hinted index is always used, as in a
 * real server, so that documents outside of a sparse or partial index are not found.
 */
export function candidates(collection: Collection, filter: Filter, sort: readonly Field[], hinted?: Index): Candidates {
  if (hinted !== undefined && hinted.spec.name !== '_id_' && hinted.usable)
    return along(collection, filter, sort, hinted);
  const direct = filter['_id'];
  if (typeof direct === 'string') {
    const doc = collection.get(idKey(direct));
    return { docs: doc === undefined ? [] : [doc], sorted: true, matches: compileFilter(filter, '_id') };
  }
  const matches = compileFilter(filter);
  const constraints = constraintsOf(filter);
  const ids = constraints.get('_id')?.values;
  if (ids !== undefined) {
    return {
      docs: documentsOf(collection, new Set(ids.map(idKey))),
      sorted: sort.length === 0 || ids.length <= 1,
      matches,
    };
  }
  const plan = bestPlan(collection, filter, constraints, sort);
  return plan === undefined
    ? { docs: collection.all(), sorted: sort.length === 0, matches }
    : planned(collection, plan, sort, matches);
}

const along = (collection: Collection, filter: Filter, sort: readonly Field[], index: Index): Candidates =>
  planned(collection, planFor(index, constraintsOf(filter), sort), sort, compileFilter(filter));

function planned(collection: Collection, plan: Plan, sort: readonly Field[], matches: Matches): Candidates {
  const ranges = plan.prefixes.map((prefix) => documentsOf(collection, rangeOf(plan, prefix)));
  return {
    docs: mergeSorted(ranges, plan.sorted && sort.length > 0 ? sorter(sort) : undefined),
    sorted: plan.sorted,
    matches,
  };
}
