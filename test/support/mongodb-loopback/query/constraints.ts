// The constraints of a filter on single fields, so that an index can answer instead of a scan.
import { isRecord } from '../bson/elements.ts';
import { compareValues, rankOf } from '../bson/order.ts';
import { type Filter, isOperators } from './filter.ts';

/** Bounds are inclusive and may be too wide: the filter still checks every document. */
export interface Constraint {
  readonly values?: readonly unknown[];
  readonly from?: { readonly value: unknown };
  readonly to?: { readonly value: unknown };
}

export type Constraints = Map<string, Constraint>;

const isPlain = (value: unknown): boolean => !Array.isArray(value) && !(value instanceof RegExp);

/** Sorts after a missing value and before every other. */
const LOWEST_NUMBER = { value: Number.NaN };
const LOWEST_STRING = { value: '' };
const LOWEST_OBJECT = { value: {} };

/** A range stays within the type of its bound. */
function bracket(bound: unknown): Constraint {
  if (rankOf(bound) === 2) return { from: LOWEST_NUMBER, to: LOWEST_STRING };
  return rankOf(bound) === 3 ? { from: LOWEST_STRING, to: LOWEST_OBJECT } : {};
}

function fieldConstraint(condition: unknown): Constraint | undefined {
  if (!isOperators(condition)) return isPlain(condition) ? { values: [condition] } : undefined;
  let constraint: Constraint | undefined;
  for (const [operator, operand] of Object.entries(condition)) {
    let next: Constraint | undefined;
    if (operator === '$in' && Array.isArray(operand) && operand.every(isPlain)) next = { values: operand };
    else if (!isPlain(operand)) continue;
    else if (operator === '$eq') next = { values: [operand] };
    else if (operator === '$gt' || operator === '$gte') next = { ...bracket(operand), from: { value: operand } };
    else if (operator === '$lt' || operator === '$lte') next = { ...bracket(operand), to: { value: operand } };
    else if (operator === '$ne' && operand === null) next = { from: LOWEST_NUMBER };
    if (next !== undefined) constraint = both(constraint, next);
  }
  return constraint;
}

function both(one: Constraint | undefined, other: Constraint): Constraint {
  if (one === undefined || one.values !== undefined) return one ?? other;
  if (other.values !== undefined) return other;
  const from = higher(one.from, other.from);
  const to = lower(one.to, other.to);
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}

type Bound = { readonly value: unknown } | undefined;
const higher = (a: Bound, b: Bound): Bound =>
  a === undefined || (b !== undefined && compareValues(b.value, a.value) > 0) ? b : a;
const lower = (a: Bound, b: Bound): Bound =>
  a === undefined || (b !== undefined && compareValues(b.value, a.value) < 0) ? b : a;

const least = (values: readonly unknown[]): Bound =>
  values.reduce<Bound>((bound, value) => lower(bound, { value }), undefined);
const greatest = (values: readonly unknown[]): Bound =>
  values.reduce<Bound>((bound, value) => higher(bound, { value }), undefined);

/** The constraints that hold in every branch. */
function either(branches: readonly Constraints[]): Constraints {
  const [first, ...others] = branches;
  const found: Constraints = new Map();
  for (const [path, constraint] of first ?? []) {
    const all = [constraint, ...others.map((other) => other.get(path))];
    if (all.some((one) => one === undefined)) continue;
    const froms = all.map((one) => one?.from ?? (one?.values === undefined ? undefined : least(one.values)));
    const tos = all.map((one) => one?.to ?? (one?.values === undefined ? undefined : greatest(one.values)));
    const from = froms.includes(undefined) ? undefined : least(froms.map((bound) => bound?.value));
    const to = tos.includes(undefined) ? undefined : greatest(tos.map((bound) => bound?.value));
    if (from !== undefined || to !== undefined)
      found.set(path, { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) });
  }
  return found;
}

/** The constraints by path. */
export function constraintsOf(filter: Filter): Constraints {
  const found: Constraints = new Map();
  const add = (path: string, constraint: Constraint | undefined): void => {
    if (constraint !== undefined) found.set(path, both(found.get(path), constraint));
  };
  for (const [name, condition] of Object.entries(filter)) {
    if (name === '$and' && Array.isArray(condition)) {
      for (const part of condition.filter(isRecord))
        for (const [path, constraint] of constraintsOf(part)) add(path, constraint);
    } else if (name === '$or' && Array.isArray(condition)) {
      for (const [path, constraint] of either(condition.filter(isRecord).map(constraintsOf))) add(path, constraint);
    } else if (!name.startsWith('$')) add(name, fieldConstraint(condition));
  }
  return found;
}

/** True if the filter excludes documents without the field. */
export const demandsPresence = (constraint: Constraint | undefined): boolean =>
  constraint !== undefined &&
  (constraint.values?.every((value) => rankOf(value) !== 1) ??
    [constraint.from, constraint.to].some((bound) => bound !== undefined && rankOf(bound.value) !== 1));
