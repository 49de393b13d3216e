// Members that are repeated within one object: JSON.parse keeps the last one and says nothing of the others (contract §1).
import { MAX_DEPTH, MAX_FAULTS, type TextFault } from './json-strings.ts';
import { walkTokens } from './json-tokens.ts';

const DESCRIPTION = 'Must not be repeated within one object.';
const QUOTE = 34;
const SPACE = 32;
const TAB = 9;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const NONE: readonly TextFault[] = [];

/** Where `json` repeats a member; `value` is what JSON.parse makes of it. The number of names settles it for nearly every body. */
export function repeatedMembers(json: string, value: unknown): readonly TextFault[] {
  if (nameEndsIn(json) === membersIn(value)) return NONE;
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

/** A text may hold the end of a name as well, which makes the count too large, and never too small. */
function nameEndsIn(json: string): number {
  let count = 0;
  for (let colon = json.indexOf(':'); colon >= 0; colon = json.indexOf(':', colon + 1)) {
    let end = colon - 1;
    while (isBlank(json.charCodeAt(end))) end -= 1;
    if (json.charCodeAt(end) === QUOTE) count += 1;
  }
  return count;
}

const isBlank = (code: number): boolean => code === SPACE || code === TAB || code === LINE_FEED || code === CARRIAGE_RETURN;

/** Down to the depth that a schema allows: below it the count is too small, and the text is walked. */
function membersIn(value: unknown, depth = 0): number {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return 0;
  const members: readonly unknown[] = Object.values(value);
  let count = Array.isArray(value) ? 0 : members.length;
  for (const member of members) if (typeof member === 'object') count += membersIn(member, depth + 1);
  return count;
}
