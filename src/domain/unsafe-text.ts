// Text that JSON allows and no store should have to carry (contract §1).
import type { TextCheck } from './json-strings.ts';

/** A surrogate that is half of no pair; such a string has no UTF-8. */
const LONE_SURROGATE = /\p{Surrogate}/u;

// All that this looks for is visible in the raw text: a lone surrogate and U+0000 can only come in as an escape.
const isSuspect = (raw: string): boolean => raw.includes('\\u') || raw.includes('__proto__');

const faultOf: TextCheck = (text, _path, isKey) => {
  if (typeof text === 'number') return undefined;
  if (isKey && text === '__proto__') return 'Must not be called __proto__.';
  if (text.includes('\u0000')) return 'Must not hold the character U+0000.';
  return LONE_SURROGATE.test(text) ? 'Must not hold half of a surrogate pair.' : undefined;
};

/**
 * The check for lone surrogates, U+0000 and `__proto__` members, anywhere in a body, metadata included.
 * `raw` is the body's text; undefined when a search of it shows that there is none.
 */
export const unsafeTextCheck = (raw: string): TextCheck | undefined => (isSuspect(raw) ? faultOf : undefined);
