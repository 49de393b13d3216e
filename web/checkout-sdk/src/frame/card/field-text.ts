// The text of the form's fields: a card number in groups, with the caret kept where the shopper's eye is, and an expiry
// as `MM / YY`.

/** What a field holds, and the caret in it. */
export interface Typed {
  readonly text: string;
  readonly caret: number;
}

const digitsIn = (text: string): string => text.replaceAll(/\D/g, '');

/** Digits with a blank before each place of `gaps`: 4, 8 and 12 for most cards. */
export function grouped(digits: string, gaps: readonly number[]): string {
  return [...digits].map((digit, at) => (gaps.includes(at) ? ` ${digit}` : digit)).join('');
}

/**
 * The field after the shopper changed it. `before`: its digits before the change. `deleting`: whether a key took
 * something away, and in which direction; a key that took a blank away means the digit beside it.
 */
export function retyped(
  before: string,
  typed: Typed,
  format: (digits: string) => string,
  deleting?: 'back' | 'forward',
): Typed {
  const digits = digitsIn(typed.text);
  const ahead = digitsIn(typed.text.slice(0, typed.caret)).length;
  if (deleting !== undefined && digits === before) {
    const gone = deleting === 'back' ? ahead - 1 : ahead;
    return gone < 0
      ? placed(digits, ahead, format, deleting)
      : placed(digits.slice(0, gone) + digits.slice(gone + 1), gone, format, deleting);
  }
  return placed(digits, ahead, format, deleting);
}

/**
 * The caret stands after `ahead` digits; at a blank it stands after the blank, ready for the next digit, unless
 * something was deleted.
 */
function placed(
  digits: string,
  ahead: number,
  format: (digits: string) => string,
  deleting?: 'back' | 'forward',
): Typed {
  const text = format(digits);
  const shown = digitsIn(text).length;
  let caret = 0;
  for (let seen = 0; seen < Math.min(ahead, shown); caret += 1) if (/\d/.test(text[caret] ?? '')) seen += 1;
  if (deleting === undefined) while (caret < text.length && !/\d/.test(text[caret] ?? '')) caret += 1;
  return { text, caret };
}

const SEPARATOR = ' / ';

/** `MM / YY` of what was typed or pasted: 1230, 12/2030, 2030-12 and `1/30` alike. A part stays a part. */
export function formatExpiry(text: string): string {
  const [, isoYear, isoMonth] = /^\s*20(\d\d)\s*[-/.]\s*(\d\d)\s*$/.exec(text) ?? [];
  if (isoYear !== undefined && isoMonth !== undefined) return isoMonth + SEPARATOR + isoYear;
  const [, month, rest] = /^\s*(\d{1,2})\s*[-/.]\s*(\d*)/.exec(text) ?? [];
  if (month !== undefined && rest !== undefined && Number(month) > 0)
    return month.padStart(2, '0') + SEPARATOR + yearOf(rest);
  const digits = text.replaceAll(/\D/g, '');
  const padded = /^[2-9]/.test(digits) || /^1[3-9]/.test(digits) ? `0${digits}` : digits;
  return padded.length < 2
    ? padded
    : padded.slice(0, 2) + (padded.length > 2 ? SEPARATOR + yearOf(padded.slice(2)) : '');
}

/** Two digits of a year that may have four. */
const yearOf = (digits: string): string =>
  digits.length > 2 && digits.startsWith('20') ? digits.slice(2, 4) : digits.slice(0, 2);
