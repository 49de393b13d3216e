// The changes of an event: the members that differ between two states, by path.

export interface DocumentChange {
  /** As in `$.attempts[0].state`. */
  readonly path: string;
  /** Absent: the member was not there. */
  readonly before?: unknown;
  /** Absent: the member is gone. */
  readonly after?: unknown;
}

/** In the order of the members, new members last. Objects and arrays are compared member by member. */
export function changesBetween(before: unknown, after: unknown, path = '$'): readonly DocumentChange[] {
  if (Object.is(before, after)) return [];
  if (!isBranch(before) || !isBranch(after) || Array.isArray(before) !== Array.isArray(after)) {
    return [{ path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) }];
  }
  const was = new Map(Object.entries(before));
  const is = new Map(Object.entries(after));
  const names = [...was.keys(), ...[...is.keys()].filter((name) => !was.has(name))];
  const step = (name: string): string => (Array.isArray(after) ? `${path}[${name}]` : `${path}.${name}`);
  return names.flatMap((name) => changesBetween(was.get(name), is.get(name), step(name)));
}

const isBranch = (value: unknown): value is object => typeof value === 'object' && value !== null;
