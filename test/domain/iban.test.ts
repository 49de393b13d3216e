// The check digits of an IBAN: of the examples of banks, of any account, and of any account with one slip.
import { expect } from 'chai';
import fc from 'fast-check';
import { isIban } from '../../src/domain/iban.ts';

/** By long division of the whole number, where `isIban` goes character by character. */
function withCheckDigits(country: string, account: string): string {
  const digits = [...`${account}${country}00`].map((character) => Number.parseInt(character, 36)).join('');
  return `${country}${String(98n - (BigInt(digits) % 97n)).padStart(2, '0')}${account}`;
}

const CHARACTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const text = (characters: string, minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...characters), { minLength, maxLength }).map((some) => some.join(''));
const iban = fc.tuple(text(CHARACTERS.slice(10), 2, 2), text(CHARACTERS, 11, 30)).map((of) => withCheckDigits(...of));

describe('An IBAN', () => {
  it('is recognised by its check digits, in the examples of banks', () => {
    for (const known of [
      'DE89370400440532013000',
      'GB82WEST12345698765432',
      'NO9386011117947',
      'FR1420041010050500013M02606',
    ])
      expect(isIban(known), known).to.equal(true);
    for (const wrong of [
      'DE88370400440532013000',
      'DE00370400440532013000',
      'de89370400440532013000',
      'DE89 3704 0044',
      '',
    ])
      expect(isIban(wrong), wrong).to.equal(false);
  });

  it('has check digits for every account, and no other two digits from 02 to 98 are right', () => {
    fc.assert(
      fc.property(iban, fc.integer({ min: 2, max: 98 }), (right, other) => {
        expect(isIban(right)).to.equal(true);
        const digits = String(other).padStart(2, '0');
        expect(isIban(`${right.slice(0, 2)}${digits}${right.slice(4)}`)).to.equal(digits === right.slice(2, 4));
      }),
    );
  });

  it('is refused with any one digit mistyped, and with any two neighbouring digits exchanged', () => {
    const digit = fc.nat({ max: 9 }).map(String);
    fc.assert(
      fc.property(iban, fc.nat(), digit, (right, seed, mistyped) => {
        const at = 2 + (seed % (right.length - 3));
        const [one = '', next = ''] = right.slice(at);
        const isDigit = (character: string): boolean => /\d/.test(character);
        if (isDigit(one) && one !== mistyped)
          expect(isIban(`${right.slice(0, at)}${mistyped}${right.slice(at + 1)}`)).to.equal(false);
        // The check digits are read last, so the second of them has another neighbour.
        if (isDigit(one) && isDigit(next) && one !== next && at !== 3)
          expect(isIban(`${right.slice(0, at)}${next}${one}${right.slice(at + 2)}`)).to.equal(false);
      }),
      { numRuns: 1_000 },
    );
  });
});
