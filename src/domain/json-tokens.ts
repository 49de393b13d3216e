// Walks the text of JSON token by token, for rules on what JSON.parse leaves out: the digits of a number, a member that is repeated.
import type { Path } from './json-strings.ts';

/** Strings, numbers and what structures them; the rest of JSON has neither digits nor quotes. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|[{}[\],]/g;

/** `path` is one array that the walk goes on changing: it is to be read, not kept. A name's path ends in the name. */
export interface JsonTokens {
  /** An object or a list begins; `depth` is 1 for that of the whole text. */
  open?(depth: number): void;
  number?(text: string, path: Path): void;
  name?(name: string, path: Path): void;
}

/** `json` is a text that JSON.parse takes. */
export function walkTokens(json: string, { open, number, name }: JsonTokens): void {
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
