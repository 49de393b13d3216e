// Card numbers in a text, as people write them: in one run of digits or in groups, in digits of any script
// (contract §7).
import { doubled, isOfIssuer, LONGEST, SHORTEST } from './card-number.ts';
import { COMMA, GAP, OTHER, POINT, type Sign, signOf, UNSEEN } from './digit-signs.ts';

/** From the first digit of a card number to the place after its last, in the text's UTF-16 units. */
interface CardNumberSpan {
  readonly from: number;
  readonly to: number;
}

/** Nineteen digits in pairs. */
const MOST_GROUPS = 10;
/** Characters that are seen between two groups. */
const WIDEST_GAP = 3;
/** Digits of the longest international phone number (E.164). */
const LONGEST_PHONE = 15;
const PLUS = '+'.charCodeAt(0);
const NONE: readonly CardNumberSpan[] = [];

const unitsOf = (code: number): number => (code > 0xffff ? 2 : 1);

/** Digits with nothing but gaps between them: lists of one length, with an entry for each digit. */
interface Run {
  afterPlus: boolean;
  readonly digits: number[];
  /** Where it stands. */
  readonly at: number[];
  /** The text before it: no gap (0), GAP, or POINT when a point, slash or comma is among it. */
  readonly gaps: Sign[];
}

function passesLuhn(digits: readonly number[], first: number, behind: number): boolean {
  let sum = 0;
  for (let place = behind - 1; place >= first; place -= 2) sum += digits[place] ?? 0;
  for (let place = behind - 2; place >= first; place -= 2) sum += doubled(digits[place] ?? 0);
  return sum % 10 === 0;
}

function isCardNumber(digits: readonly number[], first: number, behind: number): boolean {
  const length = behind - first;
  if (length < SHORTEST || length > LONGEST) return false;
  const prefix =
    1_000 * (digits[first] ?? 0) +
    100 * (digits[first + 1] ?? 0) +
    10 * (digits[first + 2] ?? 0) +
    (digits[first + 3] ?? 0);
  return isOfIssuer(prefix, length) && passesLuhn(digits, first, behind);
}

/**
 * Whether groups have the sizes that are printed on cards: fours, or 4-6-5 and 4-6-4. Dates, coordinates and amounts
 * have others.
 */
function isPrintedSo(groups: readonly number[], first: number, last: number): boolean {
  const size = (group: number): number => (groups[group + 1] ?? 0) - (groups[group] ?? 0);
  if (last - first === 2 && size(first) === 4 && size(first + 1) === 6) return size(last) === 4 || size(last) === 5;
  for (let group = first; group < last; group += 1) if (size(group) !== 4) return false;
  return size(last) <= 4;
}

type OnFound = (first: number, behind: number) => void;

/** Whole groups in a row. `groups`: the first digit of each, and the text after the last. */
function searchGroups(
  { digits, gaps, afterPlus }: Run,
  groups: readonly number[],
  isPhone: boolean,
  found: OnFound,
): void {
  const count = groups.length - 1;
  // The nearest group that makes the number long enough only moves forward.
  let nearest = 0;
  for (let group = 0; group < count; group += 1) {
    const first = groups[group] ?? 0;
    nearest = Math.max(nearest, group);
    while (nearest < count && (groups[nearest + 1] ?? 0) - first < SHORTEST) nearest += 1;
    for (let last = nearest; last < count && last < group + MOST_GROUPS; last += 1) {
      const behind = groups[last + 1] ?? 0;
      if (behind - first > LONGEST) break;
      if (isPhone && afterPlus && group === 0 && behind - first <= LONGEST_PHONE) continue;
      if (!isCardNumber(digits, first, behind)) continue;
      if (isPrintedSo(groups, group, last) || !gaps.slice(first + 1, behind).includes(POINT)) found(first, behind);
    }
  }
}

/** Digits one by one are a number only together: a part of a list of digits is none. */
function searchSpelled({ digits, gaps }: Run, groups: readonly number[], found: OnFound): void {
  let from = 0;
  for (let group = 0; group < groups.length - 1; group += 1) {
    const digit = groups[group] ?? 0;
    if ((groups[group + 1] ?? 0) - digit !== 1) {
      from = digit + 1;
      continue;
    }
    if (digit > from && gaps[digit] === POINT) from = digit;
    const goesOn = groups[group + 2] === digit + 2 && gaps[digit + 1] === GAP;
    if (!goesOn && digit + 1 - from > MOST_GROUPS && isCardNumber(digits, from, digit + 1)) found(from, digit + 1);
  }
}

function searchRun(run: Run, isPhone: boolean, found: OnFound): void {
  const groups: number[] = [];
  for (let digit = 0; digit < run.digits.length; digit += 1)
    if (digit === 0 || run.gaps[digit] !== 0) groups.push(digit);
  groups.push(run.digits.length);
  searchGroups(run, groups, isPhone, found);
  if (groups.length > MOST_GROUPS + 1) searchSpelled(run, groups, found);
}

/** UUIDs, object ids and digests: one in some thousands of them has the digits of a card number in it. */
const IDENTIFIER = /(?<![\da-f])(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|[\da-f]{24,})(?![\da-f])/gi;

function outsideIdentifiers(text: string, spans: readonly CardNumberSpan[]): readonly CardNumberSpan[] {
  if (spans.length === 0) return spans;
  const identifiers = [...text.matchAll(IDENTIFIER)].filter(([identifier]) => /[a-f]/i.test(identifier));
  if (identifiers.length === 0) return spans;
  let next = 0;
  return spans.filter(({ from, to }) => {
    while (next < identifiers.length && behind(identifiers[next]) <= from) next += 1;
    const identifier = identifiers[next];
    return identifier === undefined || identifier.index >= to;
  });
}

const behind = (match: RegExpExecArray | undefined): number =>
  match === undefined ? 0 : match.index + match[0].length;

/** Twelve digits with at most three other characters between neighbours, none of them a letter or non-ASCII. */
const PERHAPS_CARD = /\d(?:[^\dA-Za-z"]{0,3}\d){11}|[^\p{ASCII}\p{L}]|(?!\p{ASCII})\p{Default_Ignorable_Code_Point}/u;

/** True if a search can find anything: holds for JSON text without escapes as for a text itself. */
export const mayHoldCardNumber = (text: string): boolean => PERHAPS_CARD.test(text);

/**
 * Finds the positions of card numbers in a text, unordered; they may overlap. Only whole groups of digits count: a part
 * of a longer run of digits is not a card number. Groups separated by points, slashes or commas must have the sizes
 * that are printed on cards. `isPhone`: digits after a `+` are a phone number (E.164).
 */
export function findCardNumbers(text: string, isPhone = false): readonly CardNumberSpan[] {
  if (text.length < SHORTEST || !mayHoldCardNumber(text)) return NONE;
  const spans: CardNumberSpan[] = [];
  const run: Run = { afterPlus: false, digits: [], at: [], gaps: [] };
  const found: OnFound = (first, behind) => {
    const last = run.at[behind - 1] ?? 0;
    spans.push({ from: run.at[first] ?? 0, to: last + unitsOf(text.codePointAt(last) ?? 0) });
  };
  /** The signs since the last digit, and the number of their characters. */
  let gap: Sign = 0;
  let width = 0;
  let before = 0;
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at) ?? 0;
    const sign = signOf(code);
    if (sign <= 9) {
      // A comma with anything next to it separates the items of a list.
      if (width > WIDEST_GAP || (gap === COMMA && width > 1)) {
        if (run.digits.length >= SHORTEST) searchRun(run, isPhone, found);
        run.digits.length = run.at.length = run.gaps.length = 0;
      }
      if (run.digits.length === 0) run.afterPlus = before === PLUS;
      run.digits.push(sign);
      run.at.push(at);
      run.gaps.push(Math.min(gap, POINT));
      gap = 0;
      width = 0;
    } else if (sign === UNSEEN) gap = Math.max(gap, GAP);
    else {
      gap = Math.max(gap, sign);
      width += sign === OTHER ? WIDEST_GAP + 1 : 1;
    }
    before = code;
    at += unitsOf(code);
  }
  if (run.digits.length >= SHORTEST) searchRun(run, isPhone, found);
  return outsideIdentifiers(text, spans);
}

/** True if a text holds a card number; see `findCardNumbers`. */
export const holdsCardNumber = (text: string, isPhone = false): boolean => findCardNumbers(text, isPhone).length > 0;
