// The query of a request: each parameter a string, or a list of strings when it was sent more than once.
import type { z } from 'zod';

const NONE: { readonly [name: string]: string | string[] } = {};

/** Null prototype, so that a parameter may have any name. */
export function parseQuery(querystring: string): { readonly [name: string]: string | string[] } {
  if (querystring === '') return NONE;
  const query: { [name: string]: string | string[] } = Object.create(null);
  for (const [name, value] of new URLSearchParams(querystring)) {
    const before = query[name];
    if (before === undefined) query[name] = value;
    else if (typeof before === 'string') query[name] = [before, value];
    else before.push(value);
  }
  return query;
}

/** U+0000 is refused wherever it stands (contract §1); in a query it can only come percent-encoded. */
export function queryFaults(querystring: string): readonly z.core.$ZodIssue[] {
  if (!querystring.includes('%00')) return [];
  const names = new Set([...new URLSearchParams(querystring)].filter((pair) => pair.join('').includes('\u0000')).map(([name]) => name));
  return [...names].map((name) => ({
    code: 'custom',
    input: undefined,
    path: ['query', name],
    message: 'Must not hold the character U+0000.',
  }));
}
