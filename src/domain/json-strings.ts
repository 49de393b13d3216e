// The strings, keys and numbers of a JSON body with where they are, for rules that hold wherever a text is; and the
// rule on text that no store should have to carry (contract §1).
/** From the body's root: names and indexes. */
export type Path = readonly (string | number)[];
/** In dots, with `*` for any place in a list. */
export const placeOf = (path: Path): string => path.map((step) => (typeof step === 'number' ? '*' : step)).join('.');

export interface TextFault {
  readonly path: Path;
  readonly description: string;
}

/**
 * The fault of a key (`isKey`), string or number; undefined if there is none. A key's path ends in the key. The path
 * is one array that the walk goes on changing: it is to be read, not kept.
 */
export type TextCheck = (text: string | number, path: Path, isKey: boolean) => string | undefined;

/** No schema allows nesting this deep, so deeper values are refused without a look at them. */
export const MAX_DEPTH = 24;
/**
 * Keys and values together. The largest body that a schema lets through has some 35,000: 500 line items with every
 * member, and metadata and options of 16 KiB each.
 */
export const MAX_TEXTS = 40_000;
/** Faults of one check; an answer lists a tenth of them. */
export const MAX_FAULTS = 1_000;

const isObject = (value: object): value is { readonly [name: string]: unknown } => !Array.isArray(value);

class TextWalk {
  /** One list a check. */
  readonly faults: readonly TextFault[][];
  readonly #checks: readonly TextCheck[];
  /** Copied only where something is wrong: a copy for each value is what made large bodies slow. */
  readonly #path: (string | number)[] = [];
  #left = MAX_TEXTS;

  constructor(checks: readonly TextCheck[]) {
    this.#checks = checks;
    this.faults = checks.map(() => []);
  }

  get isOver(): boolean {
    return this.#left < 0;
  }

  value(value: unknown): void {
    this.#left -= 1;
    if (typeof value === 'string' || typeof value === 'number') this.#check(value, false);
    else if (typeof value === 'object' && value !== null && this.#path.length < MAX_DEPTH) this.#members(value);
  }

  #members(value: object): void {
    const path = this.#path;
    const depth = path.length;
    if (isObject(value)) {
      for (const name of Object.keys(value)) {
        if (this.isOver) break;
        path[depth] = name;
        this.#left -= 1;
        this.#check(name, true);
        this.value(value[name]);
      }
    } else if (Array.isArray(value)) {
      for (let index = 0; index < value.length && !this.isOver; index += 1) {
        path[depth] = index;
        this.value(value[index]);
      }
    }
    path.length = depth;
  }

  #check(text: string | number, isKey: boolean): void {
    for (let index = 0; index < this.#checks.length; index += 1) {
      const found = this.faults[index];
      if (found === undefined || found.length >= MAX_FAULTS) continue;
      const description = this.#checks[index]?.(text, this.#path, isKey);
      if (description !== undefined) found.push({ path: [...this.#path], description });
    }
  }
}

/**
 * Asks the checks of every key, string and number in one walk, in the order of the body. Answers a list of faults for
 * each check, at most `MAX_FAULTS` long; `isTooLarge` when there are more than `MAX_TEXTS` keys and values, of which
 * the rest was not looked at: such a body has to be refused.
 */
export function textFaults(
  body: unknown,
  checks: readonly TextCheck[],
): { readonly faults: readonly (readonly TextFault[])[]; readonly isTooLarge: boolean } {
  const walk = new TextWalk(checks);
  walk.value(body);
  return { faults: walk.faults, isTooLarge: walk.isOver };
}

/** A surrogate that is half of no pair; such a string has no UTF-8. */
const LONE_SURROGATE = /\p{Surrogate}/u;

const faultOf: TextCheck = (text, _path, isKey) => {
  if (typeof text === 'number') return undefined;
  if (isKey && text === '__proto__') return 'Must not be called __proto__.';
  if (text.includes('\u0000')) return 'Must not hold the character U+0000.';
  return LONE_SURROGATE.test(text) ? 'Must not hold half of a surrogate pair.' : undefined;
};

/**
 * The check for lone surrogates, U+0000 and `__proto__` members, anywhere in a body, metadata included.
 * `raw` is the body's text; undefined if a search of it shows that there is none: a lone surrogate and U+0000 can only
 * come in as an escape.
 */
export const unsafeTextCheck = (raw: string): TextCheck | undefined =>
  raw.includes('\\u') || raw.includes('__proto__') ? faultOf : undefined;
