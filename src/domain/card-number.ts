// Card numbers in free strings: known issuer range, right length, Luhn (contract §7, CardNumberNotAllowed).
import { type Path, type TextFault, visitTexts } from './json-strings.ts';

/** First and last prefix of an issuer's range (same number of digits), and the lengths of its numbers. */
type IssuerRange = readonly [from: number, to: number, lengths: readonly number[]];

// Published ranges (ISO/IEC 7812 issuer identification numbers). 13-digit Visa numbers are long gone, and EAN codes look like them.
const ISSUER_RANGES: readonly IssuerRange[] = [
  [4, 4, [16, 18, 19]], // Visa
  [51, 55, [16]], // Mastercard
  [2221, 2720, [16]],
  [34, 34, [15]], // American Express
  [37, 37, [15]],
  [6011, 6011, [16, 19]], // Discover
  [644, 649, [16, 19]],
  [65, 65, [16, 18, 19]], // Discover, Elo, RuPay, Verve
  [300, 305, [14, 16, 19]], // Diners Club
  [36, 36, [14, 16, 19]],
  [38, 39, [14, 16, 19]],
  [3528, 3589, [16, 17, 18, 19]], // JCB
  [62, 62, [16, 17, 18, 19]], // UnionPay
  [81, 82, [16, 17, 18, 19]], // UnionPay, RuPay
  [5018, 5018, [12, 13, 14, 15, 16, 17, 18, 19]], // Maestro
  [5020, 5020, [12, 13, 14, 15, 16, 17, 18, 19]],
  [5038, 5038, [12, 13, 14, 15, 16, 17, 18, 19]],
  [5893, 5893, [12, 13, 14, 15, 16, 17, 18, 19]],
  [6304, 6304, [12, 13, 14, 15, 16, 17, 18, 19]],
  [6759, 6763, [12, 13, 14, 15, 16, 17, 18, 19]],
  [560, 589, [16, 18, 19]],
  [2200, 2205, [16, 17, 18, 19]], // Mir
  [506, 509, [16, 18, 19]], // Elo, Verve, RuPay
  [60, 60, [16]], // RuPay, Hipercard
  [6277, 6277, [16]], // Elo
  [6362, 6363, [16]],
  [637, 637, [16]], // Hiper
  [9792, 9792, [16]], // Troy
];
const SHORTEST = 12;
const LONGEST = 19;

// By first digit, because most digits that anybody checks begin like no card at all.
const RANGES_BY_DIGIT: readonly (readonly IssuerRange[])[] = Array.from({ length: 10 }, (_, digit) =>
  ISSUER_RANGES.filter(([from, to]) => Number(String(from)[0]) <= digit && digit <= Number(String(to)[0])),
);

const ZERO = '0'.charCodeAt(0);

function passesLuhn(digits: string): boolean {
  let sum = 0;
  let doubles = false;
  for (let index = digits.length - 1; index >= 0; index -= 1) {
    const digit = digits.charCodeAt(index) - ZERO;
    const counted = doubles ? 2 * digit : digit;
    sum += counted > 9 ? counted - 9 : counted;
    doubles = !doubles;
  }
  return sum % 10 === 0;
}

function isOfIssuer(digits: string): boolean {
  const ranges = RANGES_BY_DIGIT[digits.charCodeAt(0) - ZERO] ?? [];
  return ranges.some(([from, to, lengths]) => {
    if (!lengths.includes(digits.length)) return false;
    const prefix = Number(digits.slice(0, String(from).length));
    return prefix >= from && prefix <= to;
  });
}

/** Whether these digits, and nothing but digits, are a card number. */
export const isCardNumber = (digits: string): boolean => passesLuhn(digits) && isOfIssuer(digits);

/** Groups of digits with what people put between the groups of a number: up to three spaces, dashes and the like. */
const GROUPED = /\d+(?:[\s.\-_·‐-―−]{1,3}\d+)*/gu;
/** Nineteen digits in pairs; nobody writes a number digit by digit. */
const MOST_GROUPS = 10;
/** Digits of the longest international phone number (E.164). */
const LONGEST_PHONE = 15;

/** Whether one or more whole groups in a row are a card number; what begins the run is none when it is a phone number. */
function groupsHoldCardNumber(run: string, afterPlus: boolean): boolean {
  const groups = run.match(/\d+/g) ?? [];
  const digits = groups.join('');
  let from = 0;
  for (let start = 0; start < groups.length; start += 1) {
    let to = from;
    for (let end = start; end < Math.min(groups.length, start + MOST_GROUPS) && to - from < LONGEST; end += 1) {
      to += groups[end]?.length ?? 0;
      const length = to - from;
      const isPhone = afterPlus && start === 0 && length <= LONGEST_PHONE;
      if (length >= SHORTEST && length <= LONGEST && !isPhone && isCardNumber(digits.slice(from, to))) return true;
    }
    from += groups[start]?.length ?? 0;
  }
  return false;
}

/**
 * Whether a text holds a card number, in one run of digits or in groups with spaces, dashes and the like between them. Only whole
 * groups count: a part of a longer run of digits is no card number. Neither is what follows a `+`, as in phone numbers.
 */
export function holdsCardNumber(text: string): boolean {
  for (const { 0: run, index } of text.matchAll(GROUPED)) {
    if (run.length >= SHORTEST && groupsHoldCardNumber(run, text[index - 1] === '+')) return true;
  }
  return false;
}

/** May hold digits of any kind (contract §7), or is a text that this service made itself. */
const EXEMPT = new Set<string | number>([
  'orderId',
  'itemId',
  'sku',
  'globalTradeItemNumber',
  'manufacturerPartNumber',
  'clientToken',
  'paymentMethodToken',
  'resumeToken',
  'transactionEventId',
]);
/** Any JSON may stand in these: names in them mean nothing, and numbers in them are no amounts. */
const isFreeJson = (path: Path): boolean => path[0] === 'metadata' || (path[0] === 'paymentMethod' && path[1] === 'options');

/** No schema lets a longer string through (metadata is the largest), so none is searched. */
const LONGEST_TEXT = 16_384;

function isChecked(text: string | number, path: Path, isKey: boolean): boolean {
  if (typeof text === 'string' && text.length > LONGEST_TEXT) return false;
  if (isFreeJson(path)) return true;
  return !isKey && typeof text === 'string' && !EXEMPT.has(path.at(-1) ?? '');
}

/** Twelve digits with at most three other characters between one and the next, or an escape that may stand for either. */
const PERHAPS_CARD = /\d(?:[^\dA-Za-z"]{0,3}\d){11}|\\[^"\\/]/;

/**
 * The free strings of a body that hold a card number, metadata and its keys and numbers included; orderId, itemId and product
 * codes left out. `raw` is the body's text and `body` what JSON.parse made of it; a body without long digits costs a search of the text.
 */
export function cardNumbers(raw: string, body: unknown): readonly TextFault[] {
  if (!PERHAPS_CARD.test(raw)) return [];
  const faults: TextFault[] = [];
  visitTexts(body, (text, path, isKey) => {
    if (isChecked(text, path, isKey) && holdsCardNumber(String(text))) faults.push({ path, description: 'Must not hold a card number.' });
  });
  return faults;
}
