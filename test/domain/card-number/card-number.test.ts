// The digits that count as a card number (contract §7).
import { expect } from 'chai';
import { isCardNumber } from '../../../src/domain/card-number/card-number.ts';

/** Numbers that issuers and processors publish for tests. */
const PUBLISHED: readonly (readonly [string, string])[] = [
  ['Visa', '4242424242424242'],
  ['Visa', '4000009900001044'],
  ['Mastercard', '5555555555554444'],
  ['Mastercard of the 2-series', '2223003122003222'],
  ['American Express', '378282246310005'],
  ['Discover', '6011111111111117'],
  ['Diners Club', '3056930009020004'],
  ['Diners Club of 14 digits', '36227206271667'],
  ['JCB', '3566002020360505'],
  ['UnionPay', '6200000000000005'],
  ['UnionPay of 19 digits', '6205500000000000004'],
  ['Maestro', '6759649826438453'],
  ['Mir', '2200000000000004'],
];

describe('a card number', () => {
  for (const [issuer, digits] of PUBLISHED) {
    it(`is one of ${issuer}: ${digits}`, () => expect(isCardNumber(digits)).to.equal(true));
    it(`is none with a wrong last digit: ${digits}`, () =>
      expect(isCardNumber(`${digits.slice(0, -1)}${(Number(digits.at(-1)) + 1) % 10}`)).to.equal(false));
  }
  it('has a length that its issuer gives out', () => expect(isCardNumber('4222222222222')).to.equal(false));
  it('begins like an issuer’s', () => expect(isCardNumber('1234567812345670')).to.equal(false));
  it('has 12 to 19 digits', () => {
    expect(isCardNumber('')).to.equal(false);
    expect(isCardNumber('4242')).to.equal(false);
    expect(isCardNumber('42424242424242424242')).to.equal(false);
  });
});
