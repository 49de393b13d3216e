// The meaning of a character to the reader of a number: a digit of any script, a gap between groups of digits, or
// neither.

/** 0 to 9: the digit. */
export type Sign = number;
/** Ends a number. */
export const OTHER: Sign = 10;
/** Spaces, hyphens and dashes, `_`, middle dots. */
export const GAP: Sign = 11;
/** `.` and `/`, which also stand in dates, versions, coordinates and paths. */
export const POINT: Sign = 12;
export const COMMA: Sign = 13;
/** Zero-width characters, marks on the character before, and all other invisible characters. */
export const UNSEEN: Sign = 14;

const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{M}]/u;
const LETTER = /\p{L}/u;
const DECIMAL = /\p{Nd}/u;
const GAPS = /[\s\p{Pd}_·・−]/u;

const ASCII: readonly Sign[] = Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/\d/.test(character)) return Number(character);
  if (character === '.' || character === '/') return POINT;
  if (character === ',') return COMMA;
  return GAPS.test(character) ? GAP : OTHER;
});

/**
 * Digits of a script follow each other from 0 to 9 (Unicode's stability policy), so the first of them determines the
 * values.
 */
function decimalOf(code: number): number {
  let first = code;
  while (DECIMAL.test(String.fromCodePoint(first - 1))) first -= 1;
  return (code - first) % 10;
}

function signBeyondAscii(code: number): Sign {
  const character = String.fromCodePoint(code);
  if (INVISIBLE.test(character)) return UNSEEN;
  if (LETTER.test(character)) return OTHER;
  // One character at a time: normalising a long text of combining marks takes quadratic time.
  const compatible = character.normalize('NFKC');
  if (compatible.length === 1 && compatible.charCodeAt(0) < 128) return ASCII[compatible.charCodeAt(0)] ?? OTHER;
  if (DECIMAL.test(character)) return decimalOf(code);
  return GAPS.test(compatible) && compatible.length === 1 ? GAP : OTHER;
}

/** Signs of the two planes that nearly all text is in, plus one, as they are first asked for. */
const KNOWN = new Uint8Array(0x2_0000);

/** `code`: a code point. */
export function signOf(code: number): Sign {
  if (code < 128) return ASCII[code] ?? OTHER;
  const known = KNOWN[code] ?? 0;
  if (known > 0) return known - 1;
  const sign = signBeyondAscii(code);
  if (code < KNOWN.length) KNOWN[code] = sign + 1;
  return sign;
}
