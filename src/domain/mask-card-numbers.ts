// Masks card numbers in text that is kept although nobody here wrote it: a processor's notification (contract §8).
import { isCardNumber } from './card-number.ts';
import { findCardNumbers } from './card-number-search.ts';

const FIRST = 6;
const LAST = 4;

/** Strings, numbers, and nothing else: between them JSON has no digits. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
/** Numbers under these names are amounts, whatever their digits. */
const AMOUNTS = new Set(['"amount"']);

/** A text with the digits of its card numbers made 0, except the first six and the last four; the very same when there are none. */
export function maskedText(text: string): string {
  const spans = findCardNumbers(text);
  if (spans.length === 0) return text;
  const units = text.split('');
  for (const { from, to } of spans) {
    const digits = [...text.slice(from, to).matchAll(/\p{N}/gu)];
    for (const { 0: digit, index } of digits.slice(FIRST, -LAST)) {
      units[from + index] = '0';
      if (digit.length > 1) units[from + index + 1] = '';
    }
  }
  return units.join('');
}

/** A number is read as JSON.parse reads it, and as it is spelled: a card's nineteen digits are more than a double holds. */
function maskedNumber(token: string): string {
  const value = Math.abs(Number(token));
  const digits = Number.isSafeInteger(value) ? String(value) : (/^-?(\d+)/.exec(token)?.[1] ?? '');
  return isCardNumber(digits) ? `${token.startsWith('-') ? '-' : ''}${maskedText(digits)}` : token;
}

function maskedString(token: string): string {
  const text: unknown = JSON.parse(token);
  if (typeof text !== 'string') return token;
  const masked = maskedText(text);
  return masked === text ? token : JSON.stringify(masked);
}

/**
 * JSON text with the card numbers in its keys, strings and numbers masked; every other character stays as it is. Numbers called
 * `amount` are no card numbers. Throws SyntaxError for what is no JSON.
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
