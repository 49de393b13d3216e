// Form-encoded bodies and queries as Stripe reads them: `a[b][]=c`, `a[b][0]=c`.
export type FormValue = string | Form | readonly FormValue[];
export interface Form {
  readonly [name: string]: FormValue;
}

interface Branch extends Map<string, string | Branch> {}

/** The nested values of an encoded body. A member whose names are all numbers or empty is a list. */
export function decodeForm(encoded: string): Form {
  const root: Branch = new Map();
  for (const [name, value] of new URLSearchParams(encoded)) {
    const path = [...name.matchAll(/^[^[]+|\[([^\]]*)\]/g)].map(([whole, inner]) => inner ?? whole);
    plant(root, path, value);
  }
  return Object.fromEntries([...root].map(([name, value]) => [name, plain(value)]));
}

function plant(branch: Branch, path: readonly string[], value: string): void {
  const [name = '', ...rest] = path;
  const key = name === '' ? String(branch.size) : name;
  if (rest.length === 0) {
    branch.set(key, value);
    return;
  }
  const known = branch.get(key);
  const inner: Branch = known instanceof Map ? known : new Map();
  branch.set(key, inner);
  plant(inner, rest, value);
}

function plain(value: string | Branch): FormValue {
  if (typeof value === 'string') return value;
  const isList = [...value.keys()].every((name) => /^\d+$/.test(name));
  if (isList) return [...value.values()].map(plain);
  return Object.fromEntries([...value].map(([name, inner]) => [name, plain(inner)]));
}

/** The same text for the same values, whatever their order. */
export function canonical(value: FormValue): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join()}}`;
}
