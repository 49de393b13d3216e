// The query of a request: each parameter a string, or a list of strings when it is a list or was sent more than once.
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
