// The query of a request: each parameter a string, or a list of strings when it was sent more than once.
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
