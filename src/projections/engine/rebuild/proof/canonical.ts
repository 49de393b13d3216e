// JSON text for comparing documents: the order of an object's members does not matter.

/** JSON text with the members of every object in one order: two texts of the same document become the same. */
export const canonical = (text: string): string => JSON.stringify(sorted(JSON.parse(text)));

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}
