// The strings, keys and numbers of a JSON body with where they are; for rules that hold wherever a text stands.

/** From the body's root: names and indexes. */
export type Path = readonly (string | number)[];

export interface TextFault {
  readonly path: Path;
  readonly description: string;
}

/** Nothing that a schema lets through is nested this deep, so what is deeper is refused without a look at it. */
const MAX_DEPTH = 24;

/** Calls `visit` for every key (`isKey`), string and number in the order of the body. A key's path ends in the key. */
export function visitTexts(body: unknown, visit: (text: string | number, path: Path, isKey: boolean) => void, path: Path = []): void {
  if (typeof body === 'string' || typeof body === 'number') visit(body, path, false);
  if (typeof body !== 'object' || body === null || path.length >= MAX_DEPTH) return;
  const list = Array.isArray(body);
  for (const [name, value] of Object.entries(body)) {
    const at = [...path, list ? Number(name) : name];
    if (!list) visit(name, at, true);
    visitTexts(value, visit, at);
  }
}
