// Card numbers in a processor's notification: masked wherever they stand, and every other character kept.
import { expect } from 'chai';
import fc from 'fast-check';
import { isCardNumber } from '../../../src/domain/card-number/card-number.ts';
import { maskCardNumbers, maskedText } from '../../../src/domain/card-number/mask.ts';

const MASKED: readonly (readonly [string, string])[] = [
  ['{"a":"4242424242424242"}', '{"a":"4242420000004242"}'],
  ['{"a":"4242 4242 4242 4242"}', '{"a":"4242 4200 0000 4242"}'],
  ['{"a":"5555-5555-5555-4444"}', '{"a":"5555-5500-0000-4444"}'],
  ['{"a":"PAN5555555555554444_"}', '{"a":"PAN5555550000004444_"}'],
  ['{"a":"\\u0034242424242424242"}', '{"a":"4242420000004242"}'],
  ['{"a":"４２４２４２４２４２４２４２４２"}', '{"a":"４２４２４２000000４２４２"}'],
  ['{"a":"𝟒𝟐𝟒𝟐𝟒𝟐𝟒𝟐𝟒𝟐𝟒𝟐𝟒𝟐𝟒𝟐"}', '{"a":"𝟒𝟐𝟒𝟐𝟒𝟐000000𝟒𝟐𝟒𝟐"}'],
  ['{"4242424242424242":1}', '{"4242420000004242":1}'],
  ['{"a":4242424242424242}', '{"a":4242420000004242}'],
  ['{"a":[-4242424242424242, 4.242424242424242e15]}', '{"a":[-4242420000004242, 4242420000004242]}'],
  ['{"a":6212345678901234567,"b":6212345678901234569}', '{"a":6212345678901234567,"b":6212340000000004569}'],
  ['{ "amount" : 4242424242424242, "a":"378282246310005" }', '{ "amount" : 4242424242424242, "a":"378282000000005" }'],
  ['{"amount":[4242424242424242]}', '{"amount":[4242420000004242]}'],
  ['{"amount":"4242424242424242"}', '{"amount":"4242420000004242"}'],
  ['"4242424242424242, then 5555 5555 5555 4444"', '"4242420000004242, then 5555 5500 0000 4444"'],
  ['{"a":"{\\"pan\\":\\"4242424242424242\\"}"}', '{"a":"{\\"pan\\":\\"4242420000004242\\"}"}'],
];

const KEPT: readonly string[] = [
  '{ "amount" : 1999,\n"b":1.50 , "c": 1e3, "d":"\\u0041\\/" }',
  '{"a":12345678901234567890123}',
  '{"a":"4242424242424241"}',
  '{"reference":"pay_0199f4242424242424242a10b2c3d4e5f.1","id":"sbx_auth_4242424242424242abcdef01"}',
  '{"occurredAt":"2026-11-21T08:42:43.123Z","code":"4006381333931"}',
];

/** Values as JSON gives them back, card numbers among them. */
const JSON_VALUE = fc.oneof(
  fc.jsonValue(),
  fc
    .constantFrom(5622868610161207, -4242424242424242, 4242424242424241)
    .map((number) => [number, { pan: String(number) }]),
);

function maskedValue(value: unknown): unknown {
  if (typeof value === 'string') return maskedText(value);
  if (typeof value === 'number') {
    const [digits = ''] = /^\d+/.exec(String(Math.abs(value))) ?? [];
    return isCardNumber(digits) ? Math.sign(value) * Number(maskedText(digits)) : value + 0;
  }
  if (Array.isArray(value)) return value.map(maskedValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, below]) => [maskedText(key), maskedValue(below)]));
}

describe('a notification with card numbers', () => {
  for (const [raw, masked] of MASKED)
    it(`${raw} is kept as ${masked}`, () => expect(maskCardNumbers(raw)).to.equal(masked));
  for (const raw of KEPT) it(`${raw} is kept as it is`, () => expect(maskCardNumbers(raw)).to.equal(raw));

  it('is JSON still, and nothing but digits of card numbers has changed', () =>
    fc.assert(
      fc.property(
        JSON_VALUE,
        fc.constantFrom('4242424242424242', '3782 822463 10005', '"4242-4242-4242-4242"'),
        (value, card) => {
          const masked = maskCardNumbers(JSON.stringify({ before: value, card, after: value }));
          expect(JSON.parse(masked)).to.deep.equal({
            before: maskedValue(value),
            card: maskedText(card),
            after: maskedValue(value),
          });
          expect(maskedText(card)).not.to.equal(card);
        },
      ),
    ));

  it('is masked in time that grows with its length only', () => {
    const raw = `{"a":"${'\\\\'.repeat(60_000)}","b":"${'4 '.repeat(60_000)}"}`;
    expect(maskCardNumbers(raw)).to.equal(raw);
  });
});
