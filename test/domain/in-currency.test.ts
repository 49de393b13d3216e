// Amounts for people, with the decimals of their currency.
import { expect } from 'chai';
import { inCurrency } from '../../src/domain/money.ts';

describe('amounts for people', () => {
  it('have the decimals of their currency, and all of their digits', () => {
    expect(inCurrency(5_490, 'EUR')).to.equal('54.90 EUR');
    expect(inCurrency(5, 'EUR')).to.equal('0.05 EUR');
    expect(inCurrency(0, 'USD')).to.equal('0.00 USD');
    expect(inCurrency(500, 'JPY')).to.equal('500 JPY');
    expect(inCurrency(1_234, 'BHD')).to.equal('1.234 BHD');
    expect(inCurrency(1, 'KWD')).to.equal('0.001 KWD');
    expect(inCurrency(-5, 'EUR')).to.equal('-0.05 EUR');
    expect(inCurrency('-9007199254740992', 'JPY')).to.equal('-9007199254740992 JPY');
    expect(inCurrency(Number.MAX_SAFE_INTEGER, 'EUR')).to.equal('90071992547409.91 EUR');
  });
});
