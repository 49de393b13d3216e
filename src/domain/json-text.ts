// Rules on what JSON.parse leaves out of a text (contract §1): the digits that a double cannot hold, and all but the
// last of repeated members.
import { MAX_DEPTH, MAX_FAULTS, type Path, type TextFault } from './json-strings.ts';

/** Strings, numbers and what structures them; the rest of JSON has neither digits nor quotes. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|[{}[\],]/g;

/** `path` is one array that the walk goes on changing: it is to be read, not kept. A name's path ends in the name. */
interface JsonTokens {
  /** An object or a list begins; `depth` is 1 for that of the whole text. */
  open?(depth: number): void;
  number?(text: string, path: Path): void;
  name?(name: string, path: Path): void;
}

/** Walks a text that JSON.parse takes, token by token. */
function walkTokens(json: string, { open, number, name }: JsonTokens): void {
  const path: (string | number)[] = [];
  let isKey = false;
  for (const [token] of json.matchAll(TOKEN)) {
    const last = path.length - 1;
    const step = path[last];
    if (token === '{' || token === '[') {
      path.push(token === '{' ? '' : 0);
      open?.(path.length);
      isKey = token === '{';
    } else if (token === '}' || token === ']') path.pop();
    else if (token === ',') {
      if (typeof step === 'number') path[last] = step + 1;
      isKey = typeof step === 'string';
    } else if (token.startsWith('"')) {
      if (isKey) {
        const read = nameOf(token);
        path[last] = read;
        name?.(read, path);
      }
      isKey = false;
    } else number?.(token, path);
  }
}

const nameOf = (token: string): string => (token.includes('\\') ? String(JSON.parse(token)) : token.slice(1, -1));

/**
 * The pattern of a number of more than fifteen digits, or with an exponent of three; a string may look like it as well.
 */
const PERHAPS_INEXACT = /(?:^|[\s:,[])-?\d(?:[\d.]{15}|[\d.]*[eE][+-]?\d{3})/;

const INEXACT = 'Must be a number that a double represents exactly. Send a number with more digits as a string.';

/** The canonical spelling of a decimal number. Uses loops: an expression for trailing zeros takes quadratic time. */
function canonical(number: string): string {
  const [mantissa = '', exponent = '0'] = number.split(/[eE]/);
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = whole + fraction;
  let first = 0;
  let behind = digits.length;
  while (digits[first] === '0') first += 1;
  while (behind > first && digits[behind - 1] === '0') behind -= 1;
  if (first === behind) return '0';
  return `${number.startsWith('-') ? '-' : ''}${digits.slice(first, behind)}e${Number(exponent) - fraction.length + digits.length - behind}`;
}

/**
 * Whether what JSON.parse makes of a number is written with the same digits: 0.1, 1e3 and 10.0 are, 0.1 with thirty
 * digits is not.
 */
const isExact = (number: string): boolean => canonical(number) === canonical(String(Number(number)));

/** Where the numbers are that a double cannot hold, in a text that JSON.parse takes. */
export function inexactNumbers(json: string): readonly TextFault[] {
  if (!PERHAPS_INEXACT.test(json)) return [];
  const faults: TextFault[] = [];
  walkTokens(json, {
    number: (number, path) => {
      if (path.length <= MAX_DEPTH && faults.length < MAX_FAULTS && !isExact(number)) faults.push(faultAt(path));
    },
  });
  return faults;
}

const faultAt = (path: Path): TextFault => ({ path: [...path], description: INEXACT });

const REPEATED = 'Must not be repeated within one object.';
const QUOTE = 34;
const SPACE = 32;
const TAB = 9;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const NONE: readonly TextFault[] = [];

/**
 * Where `json` repeats a member; `value` is what JSON.parse makes of it. The number of names settles it for nearly
 * every body.
 */
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
        faults.push({ path: [...path], description: REPEATED });
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

const isBlank = (code: number): boolean =>
  code === SPACE || code === TAB || code === LINE_FEED || code === CARRIAGE_RETURN;

/** Down to the depth that a schema allows: below it the count is too small, and the text is walked. */
function membersIn(value: unknown, depth = 0): number {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return 0;
  const members: readonly unknown[] = Object.values(value);
  let count = Array.isArray(value) ? 0 : members.length;
  for (const member of members) if (typeof member === 'object') count += membersIn(member, depth + 1);
  return count;
}
