// Null members of a POST's body: they count as absent, but not in metadata, nor as items of a list (contract §1).

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
