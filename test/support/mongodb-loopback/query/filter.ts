// Filters over documents as bytes: common conditions on plain values here, everything else by mingo.
import { Query } from 'mingo';
import { decode, findElement, isRecord, nameBytes, readValue, TYPE } from '../bson/elements.ts';
import { compareValues, rankOf } from '../bson/order.ts';

export type Matches = (doc: Buffer) => boolean;
export type Filter = Readonly<Record<string, unknown>>;

/** Marks a path that leads through an array: the elements match too, so mingo decides. */
export const ARRAY: unique symbol = Symbol('array');

type Reader = (doc: Buffer) => unknown;
const READERS = new Map<string, Reader>();
const READERS_KEPT = 1000;

/** Reads the value at a dotted path; undefined if there is none. */
export function pathReader(path: string): Reader {
  const known = READERS.get(path);
  if (known !== undefined) return known;
  if (READERS.size >= READERS_KEPT) READERS.clear();
  const reader = makeReader(path);
  READERS.set(path, reader);
  return reader;
}

function makeReader(path: string): Reader {
  const names = path.split('.').map(nameBytes);
  return (whole) => {
    let doc = whole;
    for (let i = 0; ; i += 1) {
      const element = findElement(doc, names[i] ?? '');
      if (element === undefined) return undefined;
      if (element.type === TYPE.array) return ARRAY;
      if (i === names.length - 1) return readValue(doc, element);
      if (element.type !== TYPE.object) return undefined;
      doc = doc.subarray(element.value, element.end);
    }
  };
}

type Test = (value: unknown) => boolean;

const ordered = (bound: unknown, holds: (difference: number) => boolean): Test => {
  const rank = rankOf(bound);
  return (value) =>
    rankOf(value) === rank && (value !== undefined || bound === null) && holds(compareValues(value, bound));
};
const equal = (wanted: unknown): Test =>
  typeof wanted === 'string' ? (value) => value === wanted : (value) => compareValues(value, wanted) === 0;
const oneOf = (wanted: readonly unknown[]): Test => {
  const strings = new Set(wanted.filter((one) => typeof one === 'string'));
  const others = wanted.filter((one) => typeof one !== 'string').map(equal);
  return (value) => (typeof value === 'string' ? strings.has(value) : others.some((test) => test(value)));
};

const not =
  (test: Test): Test =>
  (value) =>
    !test(value);

/** Undefined if mingo has to decide. */
function testOf(operator: string, operand: unknown): Test | undefined {
  if (Array.isArray(operand)) {
    if (operand.some((one) => Array.isArray(one) || one instanceof RegExp)) return undefined;
    if (operator === '$in') return oneOf(operand);
    return operator === '$nin' ? not(oneOf(operand)) : undefined;
  }
  if (operand instanceof RegExp) return undefined;
  switch (operator) {
    case '$eq':
      return equal(operand);
    case '$ne':
      return not(equal(operand));
    case '$lt':
      return ordered(operand, (difference) => difference < 0);
    case '$lte':
      return ordered(operand, (difference) => difference <= 0);
    case '$gt':
      return ordered(operand, (difference) => difference > 0);
    case '$gte':
      return ordered(operand, (difference) => difference >= 0);
    case '$exists':
      return (value) => (value !== undefined) === Boolean(operand);
    default:
      return undefined;
  }
}

export const isOperators = (condition: unknown): condition is Readonly<Record<string, unknown>> =>
  isRecord(condition) && Object.keys(condition).some((name) => name.startsWith('$'));

/** The error for a filter that mingo refuses. */
export class FilterRefused extends Error {}

/** A condition that mingo decides. It is compiled at first use, because most are never used. */
const byMingo = (filter: Filter): Matches => {
  let query: Query | undefined;
  return (doc) => {
    try {
      query ??= new Query(filter);
      return query.test(decode(doc));
    } catch (error) {
      throw new FilterRefused(error instanceof Error ? error.message : String(error));
    }
  };
};

function fieldMatches(path: string, condition: unknown): Matches {
  const fallback = byMingo({ [path]: condition });
  const operators = isOperators(condition) ? Object.entries(condition) : [['$eq', condition] as const];
  const tests: Test[] = [];
  for (const [operator, operand] of operators) {
    const test = testOf(operator, operand);
    if (test === undefined) return fallback;
    tests.push(test);
  }
  const read = pathReader(path);
  const [only] = tests;
  if (tests.length === 1 && only !== undefined) {
    return (doc) => {
      const value = read(doc);
      return value === ARRAY ? fallback(doc) : only(value);
    };
  }
  return (doc) => {
    const value = read(doc);
    return value === ARRAY ? fallback(doc) : tests.every((test) => test(value));
  };
}

const filtersIn = (operand: unknown): Filter[] => (Array.isArray(operand) ? operand.filter(isRecord) : []);

function conditionMatches(name: string, condition: unknown): Matches {
  if (name === '$and') return allOf(filtersIn(condition).map((part) => compileFilter(part)));
  if (name === '$or') {
    const branches = filtersIn(condition).map((part) => compileFilter(part));
    return (doc) => branches.some((matches) => matches(doc));
  }
  if (name === '$comment') return everything;
  return name.startsWith('$') ? byMingo({ [name]: condition }) : fieldMatches(name, condition);
}

const everything: Matches = () => true;

function allOf(conditions: readonly Matches[]): Matches {
  const [first = everything, second] = conditions;
  return second === undefined ? first : (doc) => conditions.every((matches) => matches(doc));
}

/** Compiles a filter, except its condition on `without`. An empty filter matches every document. */
export function compileFilter(filter: Filter, without?: string): Matches {
  const conditions: Matches[] = [];
  for (const name of Object.keys(filter)) if (name !== without) conditions.push(conditionMatches(name, filter[name]));
  return allOf(conditions);
}

/** The equality conditions of a filter, which an upsert copies into its new document. */
export function equalities(filter: Filter): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const [name, condition] of Object.entries(filter)) {
    if (name === '$and') {
      for (const part of filtersIn(condition)) for (const [path, value] of equalities(part)) found.set(path, value);
    } else if (!name.startsWith('$')) {
      if (!isOperators(condition)) found.set(name, condition);
      else if ('$eq' in condition) found.set(name, condition['$eq']);
    }
  }
  return found;
}
