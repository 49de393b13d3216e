// Amounts as people write them in the dashboard: exact, and with the decimals that the service counts.
import { expect } from 'chai';
import { decimalText } from '../../src/domain/currency.ts';
import * as page from '../../web/dashboard/src/parts/minor-units.ts';

describe("the dashboard's amounts", () => {
  it('are read digit by digit, with a point or a comma', () => {
    const read = [
      ['54.90', 'EUR', 5_490],
      ['54,9', 'EUR', 5_490],
      [' 54 ', 'EUR', 5_400],
      ['0.07', 'EUR', 7],
      ['1.234', 'BHD', 1_234],
      ['500', 'JPY', 500],
      ['90071992547409.91', 'EUR', Number.MAX_SAFE_INTEGER],
    ] as const;
    for (const [text, code, amount] of read) expect(page.minorUnits(text, code), text).to.equal(amount);
  });

  it('are refused where they might mean something else', () => {
    const refused = [
      ['54.901', 'EUR'],
      ['1,234.50', 'EUR'],
      ['500.0', 'JPY'],
      ['-5', 'EUR'],
      ['1e3', 'EUR'],
      ['', 'EUR'],
      ['.5', 'EUR'],
      ['90071992547409.92', 'EUR'],
    ] as const;
    for (const [text, code] of refused) expect(page.minorUnits(text, code), text).to.equal(undefined);
  });

  it('come back as they were written', () => {
    for (const amount of [0, 7, 90, 1_234, 5_490, Number.MAX_SAFE_INTEGER])
      for (const code of ['EUR', 'JPY', 'BHD'])
        expect(page.minorUnits(decimalText(amount, code), code)).to.equal(amount);
  });

  it('have the same decimals at the axis of a chart, where Intl has others', () => {
    expect(
      page
        .roundedAmounts('IQD')(2_000_000)
        .replace(/[^\d.KMk]/g, ''),
    ).to.equal('2K');
    expect(
      page
        .roundedAmounts('EUR')(2_000_000)
        .replace(/[^\d.KMk]/g, ''),
    ).to.equal('20K');
    expect(page.roundedAmounts(null)(7)).to.equal('7');
  });
});
