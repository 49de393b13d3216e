// Masks card numbers in kept text of foreign origin: a processor's notification (contract §8).
import { isCardNumber } from './card-number.ts';
import { findCardNumbers } from './search.ts';

const FIRST = 6;
const LAST = 4;

/** Strings, numbers, and nothing else: between them JSON has no digits. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
/** Numbers under these names are amounts, even if they look like card numbers. */
const AMOUNTS = new Set(['"amount"']);

/**
 * A text with the digits of its card numbers made 0, except the first six and the last four; the very same when there
 * are none.
 */
export function maskedText(text: string): string {
  const spans = findCardNumbers(text);
  if (spans.length === 0) return text;
  const units = text.split('');
  const digits = [...text.matchAll(/\p{N}/gu)];
  // One that begins later may end earlier; the digits of each are looked for from where the one before began.
  let start = 0;
  for (const { from, to } of [...spans].sort((one, other) => one.from - other.from)) {
    while (start < digits.length && (digits[start]?.index ?? 0) < from) start += 1;
    let behind = start;
    while (behind < digits.length && (digits[behind]?.index ?? 0) < to) behind += 1;
    for (const { 0: digit, index } of digits.slice(start + FIRST, behind - LAST)) {
      units[index] = '0';
      if (digit.length > 1) units[index + 1] = '';
    }
  }
  return units.join('');
}

/**
 * A number is read as JSON.parse reads it, and as it is spelled: a card's nineteen digits are more than a double holds.
 */
function maskedNumber(token: string): string {
  const value = Math.abs(Number(token));
  const digits = Number.isSafeInteger(value) ? String(value) : (/^-?(\d+)/.exec(token)?.[1] ?? '');
  return isCardNumber(digits) ? `${token.startsWith('-') ? '-' : ''}${maskedText(digits)}` : token;
}

function maskedString(token: string): string {
  const text: unknown = token.includes('\\') ? JSON.parse(token) : token.slice(1, -1);
  if (typeof text !== 'string') return token;
  const masked = maskedText(text);
  return masked === text ? token : JSON.stringify(masked);
}

/**
 * Masks the card numbers in the keys, strings and numbers of a JSON text; every other character stays unchanged.
 * Numbers called `amount` are not card numbers. Throws SyntaxError if the text is not JSON.
 */
export function maskCardNumbers(json: string): string {
  let name = '';
  let behindName = 0;
  return json.replaceAll(TOKEN, (token, at: number) => {
    if (token.startsWith('"')) {
      name = token;
      behindName = at + token.length;
      return maskedString(token);
    }
    const isNamed = json.slice(behindName, at).trim() === ':';
    return isNamed && AMOUNTS.has(name) ? token : maskedNumber(token);
  });
}
