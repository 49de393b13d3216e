// The lists of currencies and countries (contract §1).
import { expect } from 'chai';
import { CurrencyCode, KnownCurrencyCode } from '../../../src/commands/fields/currency.ts';
import { CountryCode } from '../../../src/commands/fields/session-fields.ts';

const taken = (schema: { safeParse(value: unknown): { success: boolean } }, codes: string): readonly string[] =>
  codes.split(' ').filter((code) => schema.safeParse(code).success);

describe('a currency code', () => {
  it('is money that people pay with', () => {
    const codes = 'EUR USD JPY GBP CHF KWD XOF XAF XCD XPF XCG SLE VED ZWG';
    expect(taken(CurrencyCode, codes).join(' ')).to.equal(codes);
  });
  it('is not a fund, metal, test or other X-code', () =>
    expect(
      taken(
        KnownCurrencyCode,
        'BOV CHE CHW CLF COU MXV USN UYI UYW XAD XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX XXQ eur EU',
      ),
    ).to.deep.equal([]));
  it('is refused for new amounts and known for old ones when it was withdrawn', () => {
    const codes = 'HRK BGN ANG SLL ZWL CUC';
    expect(taken(CurrencyCode, codes)).to.deep.equal([]);
    expect(taken(KnownCurrencyCode, codes).join(' ')).to.equal(codes);
  });
  it('is known to the runtime as well, which brings a list of its own', () => {
    const names = new Intl.DisplayNames('en', { type: 'currency', fallback: 'none' });
    // A runtime may be older than the newest codes.
    const newer = ['XCG', 'ZWG'];
    const unnamed = Array.from({ length: 26 ** 3 }, (_, index) =>
      [index / 676, (index / 26) % 26, index % 26].map((letter) => String.fromCharCode(65 + letter)).join(''),
    ).filter((code) => CurrencyCode.safeParse(code).success && names.of(code) === undefined);
    expect(unnamed.filter((code) => !newer.includes(code))).to.deep.equal([]);
  });
});

describe('a country code', () => {
  const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const pairs = Array.from({ length: 26 ** 2 }, (_, index) => String.fromCharCode(65 + index / 26, 65 + (index % 26)));
  const assigned = pairs.filter((code) => CountryCode.safeParse(code).success);

  it('is one of 250, with XK', () => expect(assigned).to.have.length(250));
  it('has a name in the runtime', () =>
    expect(assigned.filter((code) => regions.of(code) === undefined)).to.deep.equal([]));
  it('leaves out only reserved and made-up codes that the runtime can name', () => {
    const others = 'AC AN BU CP CQ CS DD DG DY EA EU EZ FX HV IC NH NT QO RH SU TA TP UK UN VD XA XB YD YU ZR ZZ'.split(
      ' ',
    );
    const named = pairs.filter((code) => regions.of(code) !== undefined && !assigned.includes(code));
    expect(named.filter((code) => !others.includes(code))).to.deep.equal([]);
  });
});
