// The words of the checkout in each language, and amounts as each language writes them.
import { expect } from 'chai';
import { CurrencyCode } from '../../../src/commands/fields/currency.ts';
import { formatMoney } from '../../../src/domain/currency.ts';
import { inCurrency } from '../../../src/domain/money.ts';
import { formatIban, ibanFault } from '../../../web/checkout-sdk/src/frame/card/iban.ts';
import { hasMethod, shownMethods } from '../../../web/checkout-sdk/src/frame/methods.ts';
import { fieldsFor, sessionIn } from '../../../web/checkout-sdk/src/frame/pay/answers.ts';
import { noticeOf, outcomeOf } from '../../../web/checkout-sdk/src/frame/pay/outcome.ts';
import { languageOf } from '../../../web/checkout-sdk/src/frame/words/language.ts';
import type { Words } from '../../../web/checkout-sdk/src/frame/words/words.ts';

/** Every sentence of a language by its path; functions are asked with words that must come back. */
function sentencesOf(words: object, path = ''): readonly (readonly [string, string])[] {
  return Object.entries(words).flatMap(([name, value]: [string, unknown]) => {
    const at = `${path}${name}`;
    if (typeof value === 'object' && value !== null) return sentencesOf(value, `${at}.`);
    return [[at, typeof value === 'function' ? String(value('«one»', '«two»')) : String(value)] as const];
  });
}

describe('the words of the checkout', () => {
  const languages = ['en', 'de', 'fr', 'es', 'it'];
  const english = sentencesOf(languageOf('en').words);

  for (const language of languages.slice(1)) {
    it(`are all there in ${language}, and are not the English ones`, () => {
      const all = sentencesOf(languageOf(language).words);
      expect(all.map(([path]) => path)).to.deep.equal(english.map(([path]) => path));
      expect(all.filter(([, text]) => text.trim() === '')).to.deep.equal([]);
      const same = all.filter(
        ([path, text], at) => text === english[at]?.[1] && !['cvcHint', 'total', 'pay'].includes(path),
      );
      expect(same.length, JSON.stringify(same)).to.be.below(3);
      const given = (words: Words): string =>
        words.pay('«one»') + words.completeText('«one»') + words.cardEnding('«one»', '«two»');
      expect(given(languageOf(language).words).match(/«\w+»/g)).to.have.length(4);
    });
  }

  it('follow the language of a tag, and its region for amounts', () => {
    const chosen = ['de-CH', 'de_AT', 'fr', 'pt-BR', 'not a tag', undefined].map((tag) => languageOf(tag));
    expect(chosen.map(({ lang, locale }) => [lang, locale])).to.deep.equal([
      ['de', 'de-CH'],
      ['de', 'de-AT'],
      ['fr', 'fr'],
      ['en', 'en'],
      ['en', 'en'],
      ['en', 'en'],
    ]);
  });
});

describe('an amount in the checkout', () => {
  const plain = (text: string): string => text.replaceAll(/\s/g, ' ').replaceAll('’', "'"); // CLDR has changed its mind

  it('is written as the language writes it', () => {
    const amounts = [
      formatMoney(123456, 'EUR', 'en'),
      formatMoney(123456, 'EUR', 'de'),
      formatMoney(123456, 'CHF', 'de-CH'),
      formatMoney(5, 'EUR', 'fr'),
      formatMoney(500, 'JPY', 'en'),
    ];
    expect(amounts.map(plain)).to.deep.equal(['€1,234.56', '1.234,56 €', "CHF 1'234.56", '0,05 €', '¥500']);
  });

  it('loses no digit of the greatest amount', () => {
    expect(formatMoney(Number.MAX_SAFE_INTEGER, 'USD', 'en')).to.equal('$90,071,992,547,409.91');
  });

  it('has the decimals that the service has, in every currency', () => {
    const currencies = Intl.supportedValuesOf('currency').filter((code) => CurrencyCode.safeParse(code).success);
    expect(currencies).to.include.members(['EUR', 'JPY', 'KWD', 'AFN', 'ISK', 'HUF']);
    for (const currency of currencies) {
      const [, decimals = ''] = inCurrency(123456, currency).split(' ')[0]?.split('.') ?? [];
      const [, shown = ''] = /\d(?:\.(\d+))?$/.exec(formatMoney(123456, currency, 'en')) ?? [];
      expect(`${currency} ${shown}`).to.equal(`${currency} ${decimals}`);
    }
  });
});

describe('what a payment tells the shopper', () => {
  it('is never that it failed while its outcome is unknown, or its status is new', () => {
    const outcomes = ['PENDING', 'AUTHENTICATING', 'AUTHORIZED', 'SETTLING', 'DECLINED', 'FAILED', 'CANCELLED'].map(
      (status) => outcomeOf({ status }),
    );
    expect(outcomes).to.deep.equal(['pending', 'pending', 'complete', 'complete', 'refused', 'refused', 'refused']);
  });

  it('does not tell the finder of a card that it was reported lost', () => {
    const notices = ['LOST_CARD', 'STOLEN_CARD', 'GENERIC_DECLINE', 'INSUFFICIENT_FUNDS', undefined].map((reasonCode) =>
      noticeOf({ status: 'DECLINED', reasonCode }),
    );
    expect(notices).to.deep.equal(['declined', 'declined', 'declined', 'insufficientFunds', 'declined']);
    expect(noticeOf({ status: 'FAILED', reasonCode: undefined })).to.equal('notSent');
  });

  it('speaks of no card where none was used, and of the time that is over for a voucher', () => {
    const declined = { status: 'DECLINED', reasonCode: 'INSUFFICIENT_FUNDS', method: 'SEPA_DEBIT' } as const;
    expect(noticeOf(declined)).to.equal('methodDeclined');
    const late = {
      status: 'FAILED',
      reasonCode: undefined,
      reasonType: 'PAYMENT_EXPIRED',
      method: 'MULTIBANCO',
    } as const;
    expect(noticeOf(late)).to.equal('notPaidInTime');
  });
});

describe('an IBAN in the checkout', () => {
  it('is grouped, and judged by its length and its check digits', () => {
    expect(formatIban('de89370400440532013000')).to.equal('DE89 3704 0044 0532 0130 00');
    const faults = ['', 'DE89 3704', 'DE89370400440532013001', 'DE89370400440532013000', 'NO9386011117947', 'X'];
    expect(faults.map(ibanFault)).to.deep.equal([
      'ibanMissing',
      'ibanIncomplete',
      'ibanWrong',
      undefined,
      undefined,
      'ibanIncomplete',
    ]);
    expect(ibanFault('DE8937040044053201300000')).to.equal('ibanWrong');
  });
});

describe('the methods in the checkout', () => {
  const offered = { methods: ['IDEAL', 'PAYMENT_CARD', 'APPLE_PAY'], fields: [] } as const;

  it('begin with the last one and the wallets, and are those of the session otherwise', () => {
    expect(shownMethods(offered, { isTest: true })).to.deep.equal(['APPLE_PAY', 'IDEAL', 'PAYMENT_CARD']);
    const last = shownMethods(offered, { isTest: true, last: 'PAYMENT_CARD' });
    expect(last).to.deep.equal(['PAYMENT_CARD', 'APPLE_PAY', 'IDEAL']);
    expect(shownMethods(offered, { isTest: true, last: 'KLARNA' })).not.to.include('KLARNA');
  });

  it('have no wallet in live mode, whose token nothing here can make', () => {
    expect(shownMethods(offered, { isTest: false })).to.deep.equal(['IDEAL', 'PAYMENT_CARD']);
  });

  it('of a newer service are left out', () => {
    const { methods } = sessionIn({
      paymentMethods: [{ paymentMethodType: 'BITCOIN' }, { paymentMethodType: 'IDEAL' }],
    });
    expect(methods).to.deep.equal(['IDEAL']);
  });

  it('are entered where the fields of the session say, and a wallet that they take has no row', () => {
    const paymentMethods = [{ paymentMethodType: 'APPLE_PAY' }, { paymentMethodType: 'IDEAL' }];
    const fields = [{ connectionId: 'con_1', methods: ['APPLE_PAY', 'BITCOIN'] }];
    const session = sessionIn({ paymentMethods, fields });
    expect(shownMethods(session, { isTest: true })).to.deep.equal(['IDEAL']);
    expect(fieldsFor(session, 'APPLE_PAY')?.connectionId).to.equal('con_1');
    expect(fieldsFor(session, 'IDEAL')).to.equal(undefined);
    expect(hasMethod({ ...session, methods: ['APPLE_PAY'] }, false)).to.equal(true);
    expect(hasMethod({ methods: ['APPLE_PAY'], fields: [] }, false)).to.equal(false);
  });

  it('have saved bank accounts beside saved cards', () => {
    const paymentInstruments = [
      { token: 'pm_1', paymentMethodType: 'SEPA_DEBIT', paymentMethodData: { ibanLast4: '3000' } },
    ];
    const { savedCards, savedAccounts } = sessionIn({ paymentInstruments });
    expect(savedCards).to.deep.equal([]);
    expect(savedAccounts).to.deep.equal([{ token: 'pm_1', lastFour: '3000', isDefault: false }]);
  });
});
