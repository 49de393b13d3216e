// Parts of a request before their schema is asked: the query, and the null members of a body (contract §1).
import type { z } from 'zod';

const NONE: { readonly [name: string]: string | readonly string[] } = {};

/** Decodes text as forms encode it: `+` is a space, and text that is not percent-encoded UTF-8 is accepted too. */
const decoded = (text: string): string => (/[%+]/.test(text) ? (new URLSearchParams(`=${text}`).get('') ?? '') : text);

/**
 * `lists`: parameters that are always a list. Commas separate their values; a percent-encoded comma belongs to its
 * value, as OpenAPI's form style has it. Null prototype, so that a parameter may have any name.
 */
export function parseQuery(
  querystring: string,
  lists: ReadonlySet<string>,
): { readonly [name: string]: string | readonly string[] } {
  if (querystring === '') return NONE;
  const query: { [name: string]: string | string[] } = Object.create(null);
  for (const pair of querystring.split('&').filter((part) => part !== '')) {
    const [encodedName = '', ...rest] = pair.split('=');
    const name = decoded(encodedName);
    const value = rest.join('=');
    const values = lists.has(name) ? value.split(',').map(decoded) : [decoded(value)];
    const before = query[name];
    if (Array.isArray(before)) before.push(...values);
    else if (before !== undefined) query[name] = [before, ...values];
    else query[name] = lists.has(name) ? values : decoded(value);
  }
  return query;
}

/** U+0000 is refused wherever it stands (contract §1); in a query it can only come percent-encoded. */
export function queryFaults(querystring: string): readonly z.core.$ZodIssue[] {
  if (!querystring.includes('%00')) return [];
  const names = new Set(
    [...new URLSearchParams(querystring)].filter((pair) => pair.join('').includes('\u0000')).map(([name]) => name),
  );
  return [...names].map((name) => ({
    code: 'custom',
    input: undefined,
    path: ['query', name],
    message: 'Must not hold the character U+0000.',
  }));
}

/** No schema has deeper members. */
const MAX_DEPTH = 24;
/** Free JSON, in which a null is a value. */
const METADATA = 'metadata';

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * A copy in which null members are left out, or are there with the value undefined: with that a closed schema still
 * sees a member that it does not know, and a required one is missing either way.
 */
export function nullMembers(body: unknown, become: 'absent' | 'undefined'): unknown {
  const copied = (value: unknown, depth: number): unknown => {
    if (depth > MAX_DEPTH) return value;
    if (Array.isArray(value)) return value.map((item) => copied(item, depth + 1));
    if (!isObject(value)) return value;
    const members: [string, unknown][] = [];
    for (const [name, member] of Object.entries(value)) {
      if (member !== null) members.push([name, depth === 0 && name === METADATA ? member : copied(member, depth + 1)]);
      else if (become === 'undefined') members.push([name, undefined]);
    }
    return Object.fromEntries(members);
  };
  return copied(body, 0);
}
