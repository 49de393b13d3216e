// The words of the checkout in each language, and amounts as each language writes them.
import { expect } from 'chai';
import { CurrencyCode } from '../../../src/commands/fields/currency.ts';
import { inCurrency } from '../../../src/domain/in-currency.ts';
import { formatMoney } from '../../../web/checkout-sdk/src/frame/money.ts';
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
});
