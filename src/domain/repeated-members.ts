// Members that are repeated within one object: JSON.parse keeps the last one and says nothing of the others (contract §1).
import { MAX_DEPTH, MAX_FAULTS, type TextFault } from './json-strings.ts';
import { walkTokens } from './json-tokens.ts';

const DESCRIPTION = 'Must not be repeated within one object.';
/** The end of a name. A text may hold the same, which makes the count too large, and never too small. */
const NAME_END = /"\s*:/g;

/** Where `json` repeats a member; `value` is what JSON.parse makes of it. The number of names settles it for nearly every body. */
export function repeatedMembers(json: string, value: unknown): readonly TextFault[] {
  if ((json.match(NAME_END)?.length ?? 0) === membersIn(value)) return [];
  const faults: TextFault[] = [];
  const names: Set<string>[] = [];
  walkTokens(json, {
    open: (depth) => {
      names[depth] = new Set();
    },
    name: (name, path) => {
      const known = names[path.length];
      if (known?.has(name) && path.length <= MAX_DEPTH && faults.length < MAX_FAULTS)
        faults.push({ path: [...path], description: DESCRIPTION });
      known?.add(name);
    },
  });
  return faults;
}

/** Down to the depth that a schema allows: below it the count is too small, and the text is walked. */
function membersIn(value: unknown, depth = 0): number {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return 0;
  const members: readonly unknown[] = Object.values(value);
  let count = Array.isArray(value) ? 0 : members.length;
  for (const member of members) count += membersIn(member, depth + 1);
  return count;
}
