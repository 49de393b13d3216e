// The digits of a card number: known issuer range, right length, Luhn (contract §7, CardNumberNotAllowed).

/** First and last prefix of an issuer's range (same number of digits), and the lengths of its numbers. */
type IssuerRange = readonly [from: number, to: number, lengths: readonly number[]];

// Published ranges (ISO/IEC 7812 issuer identification numbers). 13-digit Visa numbers are long gone, and EAN codes
// look like them.
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
export const SHORTEST = 12;
export const LONGEST = 19;

/**
 * Bit n of an entry: issuers give out numbers of n digits that begin with these four. A look-up for each digit has to
 * be cheap.
 */
const LENGTHS_BY_PREFIX = new Uint32Array(10_000);
for (const [from, to, lengths] of ISSUER_RANGES) {
  const scale = 10 ** (4 - String(from).length);
  const bits = lengths.reduce((all, length) => all | (1 << length), 0);
  for (let prefix = from * scale; prefix < (to + 1) * scale; prefix += 1)
    LENGTHS_BY_PREFIX[prefix] = (LENGTHS_BY_PREFIX[prefix] ?? 0) | bits;
}

/** True if an issuer gives out numbers of so many digits that begin with these four (0 to 9999). */
export const isOfIssuer = (prefix: number, length: number): boolean =>
  (((LENGTHS_BY_PREFIX[prefix] ?? 0) >> length) & 1) === 1;

/** The value of a digit that Luhn's formula doubles. */
export const doubled = (digit: number): number => (digit > 4 ? 2 * digit - 9 : 2 * digit);

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let place = 1; place <= digits.length; place += 1) {
    const digit = Number(digits[digits.length - place]);
    sum += place % 2 === 0 ? doubled(digit) : digit;
  }
  return sum % 10 === 0;
}

/** True if these digits, and nothing but digits, are a card number. */
export const isCardNumber = (digits: string): boolean =>
  digits.length >= SHORTEST &&
  digits.length <= LONGEST &&
  isOfIssuer(Number(digits.slice(0, 4)), digits.length) &&
  passesLuhn(digits);
