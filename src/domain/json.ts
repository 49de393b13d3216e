// JSON values as such: equality, and the form without what answers leave out (contract §1).

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** True if two JSON values say the same: the order of keys is irrelevant, and a member that is undefined is absent. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one)) {
    return (
      Array.isArray(other) && one.length === other.length && one.every((item, index) => sameJson(item, other[index]))
    );
  }
  if (!isObject(one) || !isObject(other)) return false;
  let members = 0;
  for (const name of Object.keys(one)) {
    if (one[name] === undefined) continue;
    members += 1;
    if (!Object.hasOwn(other, name) || !sameJson(one[name], other[name])) return false;
  }
  for (const name of Object.keys(other)) if (other[name] !== undefined) members -= 1;
  return members === 0;
}

/**
 * The value without null, {} and [] at any depth; undefined if nothing is left. 0, false and "" stay.
 * Items of arrays keep their places. Answers the very same value where there is nothing to leave out.
 */
export function withoutEmpty(value: unknown): unknown {
  if (value === null) return undefined;
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.length === 0 ? undefined : itemsWithoutEmpty(value);
  return isObject(value) ? membersWithoutEmpty(value) : undefined;
}

function itemsWithoutEmpty(items: readonly unknown[]): readonly unknown[] {
  let kept: unknown[] | undefined;
  items.forEach((item, index) => {
    const rest = isObject(item) ? (membersWithoutEmpty(item) ?? {}) : item;
    if (rest === item) return;
    kept ??= [...items];
    kept[index] = rest;
  });
  return kept ?? items;
}

function membersWithoutEmpty(members: { readonly [name: string]: unknown }): object | undefined {
  const names = Object.keys(members);
  const kept: Record<string, unknown> = {};
  let count = 0;
  let changed = false;
  for (const name of names) {
    const rest = withoutEmpty(members[name]);
    changed ||= rest !== members[name];
    if (rest === undefined) continue;
    kept[name] = rest;
    count += 1;
  }
  if (count === 0) return undefined;
  return changed || count < names.length ? kept : members;
}
