// The kept parts of a card: its network is found by its first digits, as the library finds it by all of them.
import validateCard from 'card-validator';
import { expect } from 'chai';
import fc from 'fast-check';
import { cardDataOf } from '../../src/processors/card-data.ts';

const expiry = { expirationMonth: '12', expirationYear: '2039' };
const types: { readonly [network: string]: string } = {
  VISA: 'visa',
  MASTERCARD: 'mastercard',
  AMEX: 'american-express',
  DISCOVER: 'discover',
} as const;
/** First digits around the borders of the issuers' ranges, and any others. */
const issuer = fc.oneof(
  fc.constantFrom(
    '4',
    '34',
    '36',
    '37',
    '51',
    '55',
    '56',
    '2221',
    '2720',
    '2721',
    '6011',
    '622126',
    '64',
    '649',
    '65',
    '650032',
    '655058',
  ),
  fc.stringMatching(/^\d{1,8}$/),
);

describe('the kept data of a card', () => {
  it('has the network that the library finds by the whole number', () =>
    fc.assert(
      fc.property(issuer, fc.stringMatching(/^\d{18}$/), fc.integer({ min: 12, max: 19 }), (first, rest, length) => {
        const number = `${first}${rest}`.slice(0, length);
        const found = validateCard.number(number).card?.type;
        const { network } = cardDataOf({ number, cvc: '123', ...expiry });
        expect(network === 'OTHER' ? undefined : types[network]).to.equal(
          Object.values(types).find((type) => type === found),
        );
      }),
      { numRuns: 2_000 },
    ));

  it('has the first six and the last four digits, and no other', () => {
    const card = { number: '4242424242424242', cvc: '123', ...expiry };
    expect(cardDataOf({ ...card, cardholderName: 'Ada' })).to.deep.equal({
      ...{ network: 'VISA', first6Digits: '424242', last4Digits: '4242', cardholderName: 'Ada' },
      ...expiry,
    });
    expect(cardDataOf(card)).not.to.have.property('cardholderName');
  });
});
