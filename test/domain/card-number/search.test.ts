// Card numbers as people write them, and what only looks like one (contract §7).
import { expect } from 'chai';
import fc from 'fast-check';
import { findCardNumbers, holdsCardNumber } from '../../../src/domain/card-number/search.ts';

describe('a text with a card number', () => {
  const TEXTS = [
    '4242424242424242',
    '4242 4242 4242 4242',
    '4242-4242-4242-4242',
    '4242 - 4242 - 4242 - 4242',
    '4242.4242.4242.4242',
    '4242\u00a04242\u00a04242\u00a04242',
    '4242–4242–4242–4242',
    '3782 822463 10005',
    'card: 4242424242424242, exp 12/30',
    '4242424242424242 12 30 123',
    'order 17 4242 4242 4242 4242',
    'x4242424242424242x',
    '42 42 42 42 42 42 42 42',
    '4242\n4242\n4242\n4242',
    '4242/4242/4242/4242',
    '4242,4242,4242,4242',
    '3782,822463,10005',
    '3622 720627 1667',
    'PAN5555555555554444_',
    '4 2 4 2 4 2 4 2 4 2 4 2 4 2 4 2',
    'pan: 4-2-4-2-4-2-4-2-4-2-4-2-4-2-4-2, exp 12/30',
    '4242\u200b4242\u200b4242\u200b4242',
    [...'4242424242424242'].join('\u200d'),
    '42424242\ufeff42424242',
    '4242\u00ad4242\u2060424242\u180e42',
    '４２４２４２４２４２４２４２４２',
    '４２４２　４２４２　４２４２　４２４２',
    '４２４２／４２４２／４２４２／４２４２',
    '٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢',
    '۴۲۴۲ ۴۲۴۲ ۴۲۴۲ ۴۲۴۲',
    '४२४२४२४२४२४२४२४२',
    '𝟒𝟐𝟒𝟐𝟒𝟐𝟒𝟐𝟒𝟐𝟒𝟐𝟒𝟐𝟒𝟐',
    '④②④②④②④②④②④②④②④②',
    '4️⃣2️⃣4️⃣2️⃣4️⃣2️⃣4️⃣2️⃣4️⃣2️⃣4️⃣2️⃣4️⃣2️⃣4️⃣2️⃣',
    '４242４242４242４242',
    '+4242424242424242',
    '+378282246310005',
  ];
  for (const text of TEXTS) {
    it(`is ${JSON.stringify(text)}`, () => expect(holdsCardNumber(text)).to.equal(true));
  }

  const OTHERS = [
    '',
    '4242424242424241',
    '424242424242424242424242',
    '42424242424242420',
    '4242, 4242, 4242, 4242',
    '2026-01-01 12:00:00',
    '+63 917 123 4567',
    '550e8400-e29b-41d4-a716-446655440000',
    '1700000000000000',
    '4006381333931',
    '4006381333931,4006381333948',
    '48.85837009999999',
    '48.85837009999992, 2.294481',
    '30/01/2025 - 30/06/2025',
    '30.01.2025 - 30.06.2025',
    '30/03/2025-30/06/2025',
    '4,242,424,242,424,242',
    '4 2 4 2 4 2 4 2 4 2 4 2 4 2 4 2 4',
    '1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16',
    '1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20',
    '4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2',
    '4.2.4.2.4.2.4.2.4.2.4.2.4.2.4.2',
    '192.168.100.200/24',
    'v4.242.424.242.424.242',
    '2026-11-21T08:42:43.123Z',
    '507f4242424242424242f19c',
    '4242abcd-4242-4242-8242-424242424242',
    '4242 / 4242, 4242 / 4242',
    '４２４２',
    'Ünïcödé – “quotes” … 😀',
  ];
  for (const text of OTHERS) it(`is not ${JSON.stringify(text)}`, () => expect(holdsCardNumber(text)).to.equal(false));

  it('is none where a phone number is meant: 15 digits at most after a +', () => {
    expect(holdsCardNumber('+378282246310005', true)).to.equal(false);
    expect(holdsCardNumber('+63 917 123 4567', true)).to.equal(false);
    expect(holdsCardNumber('378282246310005', true)).to.equal(true);
    expect(holdsCardNumber('+4242424242424242', true)).to.equal(true);
  });

  it('is searched for all of them, from their first digit to the place after their last', () => {
    const text = 'a 4242 4242 4242 4242, b ５５５５５５５５５５５５４４４４; c\u{1d7d2}242424242424242.';
    expect(findCardNumbers(text).map(({ from, to }) => text.slice(from, to))).to.deep.equal([
      '4242 4242 4242 4242',
      '５５５５５５５５５５５５４４４４',
      '\u{1d7d2}242424242424242',
    ]);
  });

  it('holds no other number that a search of any text finds', () =>
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0123456789 -./,x+\u200b４'), maxLength: 60 }), (text) => {
        for (const { from, to } of findCardNumbers(text)) expect(holdsCardNumber(text.slice(from, to))).to.equal(true);
      }),
    ));
});
