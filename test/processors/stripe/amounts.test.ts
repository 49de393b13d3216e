// Amounts at Stripe: every currency of ours, both ways.
import { expect } from 'chai';
import fc from 'fast-check';
import { CURRENT, minorDigits, WITHDRAWN } from '../../../src/domain/currency.ts';
import { fromStripe, stepOf, toStripe } from '../../../src/processors/stripe/amounts.ts';

const CODES = [...CURRENT, ...WITHDRAWN];

/**
 * Decimals that Stripe counts in, by docs.stripe.com/currencies: without decimals these, with three of them the Gulf's
 * and Tunisia's, and two for all others, ISK and UGX among them.
 */
const WITHOUT = new Set('BIF BYR CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '));
const WITH_THREE = new Set('BHD JOD KWD OMR TND'.split(' '));
const digitsThere = (code: string): number => (WITHOUT.has(code) ? 0 : WITH_THREE.has(code) ? 3 : 2);

const code = fc.constantFrom(...CODES);
const amount = fc.integer({ min: 0, max: 99_999_999 });

describe('amounts at Stripe', () => {
  it('are the same money in major units, and come back as they went', () => {
    fc.assert(
      fc.property(code, amount, (currencyCode, ours) => {
        const there = toStripe(ours, currencyCode);
        if (there === undefined) {
          expect(ours % stepOf(currencyCode)).not.to.equal(0);
          return;
        }
        expect(Number.isInteger(there)).to.equal(true);
        // whole numbers compared, because halves of a cent are none
        expect(there * 10 ** minorDigits(currencyCode)).to.equal(ours * 10 ** digitsThere(currencyCode));
        expect(fromStripe(there, currencyCode.toLowerCase())).to.equal(ours);
      }),
      { numRuns: 5_000 },
    );
  });

  it('are refused only where they lie between two steps', () => {
    fc.assert(
      fc.property(code, amount, (currencyCode, ours) => {
        const steps = ours - (ours % stepOf(currencyCode));
        expect(toStripe(steps, currencyCode)).to.be.a('number');
        if (stepOf(currencyCode) === 1) expect(toStripe(ours, currencyCode)).to.be.a('number');
      }),
    );
  });

  it('differ for five codes only, and go in steps for eight', () => {
    const other = CODES.filter((one) => toStripe(1_000, one) !== 1_000);
    expect(other).to.have.members(['ISK', 'UGX', 'MGA', 'IQD', 'LYD']);
    expect(CODES.filter((one) => stepOf(one) !== 1)).to.have.members('BHD IQD JOD KWD LYD MGA OMR TND'.split(' '));
  });

  for (const [currencyCode, ours, there] of [
    ['ISK', 5, 500],
    ['UGX', 1_234, 123_400],
    ['MGA', 1_200, 12],
    ['MGA', 1_250, undefined],
    ['IQD', 1_230, 123],
    ['LYD', 1_231, undefined],
    ['KWD', 1_230, 1_230],
    ['KWD', 1_234, undefined],
    ['EUR', 1_234, 1_234],
    ['JPY', 1_234, 1_234],
  ] as const)
    it(`${ours} of ${currencyCode} are ${there ?? 'refused'}`, () => {
      expect(toStripe(ours, currencyCode)).to.equal(there);
      if (there !== undefined) expect(fromStripe(there, currencyCode.toLowerCase())).to.equal(ours);
    });

  it('have no fraction on the way back', () => {
    expect(fromStripe(550, 'isk')).to.equal(undefined);
    expect(fromStripe(12, 'mga')).to.equal(1_200);
  });
});
