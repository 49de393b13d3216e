// Periods by the calendar, and each term that a charge can break (contract §14).
import { expect } from 'chai';
import type { AgreementTerms } from '../../../src/domain/agreement/events.ts';
import type { KnownAgreement } from '../../../src/domain/agreement/state.ts';
import { outsideTerms, periodsBegun } from '../../../src/domain/agreement/terms.ts';
import { parseTime } from '../../../src/world.ts';

const at = (text: string): number => parseTime(`${text}Z`) ?? expect.fail(text);
const TERMS: AgreementTerms = {
  amountRule: 'EXACT',
  amount: 1_900,
  currencyCode: 'EUR',
  startsAt: at('2026-01-31T12:00:00'),
  description: 'The magazine',
};

describe('the periods of an agreement that have begun', () => {
  const cases: readonly (readonly [string, Partial<AgreementTerms>, string, number | undefined])[] = [
    ['are not counted without a frequency', {}, '2030-01-01T00:00:00', undefined],
    ['are one at the start', { frequency: 'MONTH' }, '2026-01-31T12:00:00', 1],
    ['go on with the last day of a short month', { frequency: 'MONTH' }, '2026-02-28T12:00:00', 2],
    ['may be charged a tenth of a period early', { frequency: 'MONTH' }, '2026-02-25T12:00:00', 2],
    ['may not be charged earlier', { frequency: 'MONTH' }, '2026-02-24T00:00:00', 1],
    ['have several months each', { frequency: 'MONTH', interval: 3 }, '2026-04-30T12:00:00', 2],
    ['go on over the end of a year', { frequency: 'MONTH' }, '2027-01-31T12:00:00', 13],
    ['may be years', { frequency: 'YEAR' }, '2028-01-31T12:00:00', 3],
    ['may be weeks', { frequency: 'WEEK', interval: 2 }, '2026-02-28T12:00:00', 3],
    ['may be days', { frequency: 'DAY' }, '2026-02-02T12:00:00', 3],
  ];
  for (const [title, terms, now, expected] of cases)
    it(title, () => expect(periodsBegun({ ...TERMS, ...terms }, at(now))).to.equal(expected));

  it('are those of the calendar of JavaScript, for 4,000 days', () => {
    const start = at('2023-12-31T00:00:00');
    for (let day = 0; day < 4_000; day += 1) {
      const now = new Date(start + day * 86_400_000);
      // a tenth of a month later
      const then = new Date(now.getTime() + 3 * 86_400_000);
      const isLast = new Date(then.getTime() + 86_400_000).getUTCMonth() !== then.getUTCMonth();
      const months = (then.getUTCFullYear() - 2023) * 12 + then.getUTCMonth() - 11 - (isLast ? 0 : 1);
      const begun = periodsBegun({ ...TERMS, startsAt: start, frequency: 'MONTH' }, now.getTime());
      expect(begun, now.toISOString()).to.equal(1 + months);
    }
  });
});

describe('a charge outside what the customer agreed to', () => {
  const AGREEMENT: KnownAgreement = {
    accountId: 'acc_1',
    customerId: 'customer-1',
    kind: 'RECURRING',
    terms: TERMS,
    consent: { acceptedAt: 0, channel: 'ONLINE', textDigest: '' },
    createdAt: 0,
    status: 'ACTIVE',
    updatedAt: 0,
    periods: [],
    claimed: 0,
    succeeded: 0,
  };
  const wanted = { amount: 1_900, currencyCode: 'EUR', isNew: true, at: TERMS.startsAt };
  const refused = (change: Partial<KnownAgreement>, asked: Partial<typeof wanted> = {}): string => {
    const { terms } = change;
    const judged = outsideTerms({ ...AGREEMENT, ...change, terms: { ...TERMS, ...terms } }, { ...wanted, ...asked });
    return 'kind' in judged
      ? (judged.violations ?? []).map(({ path, description }) => `${path} ${description}`).join(' ')
      : '';
  };
  const terms = (of: Partial<AgreementTerms>): Partial<KnownAgreement> => ({ terms: { ...TERMS, ...of } });
  const cases: readonly (readonly [string, string, string])[] = [
    [
      'is refused with another amount than the exact one',
      refused({}, { amount: 1_901 }),
      '$.amount The customer agreed to exactly 1900.',
    ],
    ['is accepted with the exact amount', refused({}), ''],
    [
      'is refused above the maximum',
      refused(terms({ amountRule: 'MAXIMUM' }), { amount: 1_901 }),
      '$.amount The customer agreed to at most 1900.',
    ],
    ['is accepted below the maximum', refused(terms({ amountRule: 'MAXIMUM' }), { amount: 1 }), ''],
    [
      'is refused in another currency',
      refused({}, { currencyCode: 'USD' }),
      '$.currencyCode The customer agreed to EUR.',
    ],
    ['is refused before the start', refused({}, { at: TERMS.startsAt - 1 }), '$ The agreement has not begun.'],
    ['is refused at the end', refused(terms({ endsAt: TERMS.startsAt })), '$ The time of the agreement is over.'],
    [
      'is refused after the last period',
      refused({ ...terms({ count: 2 }), succeeded: 2 }),
      '$.periodKey The customer agreed to 2 periods, and all are charged.',
    ],
    [
      'is accepted as a further try of the last period',
      refused({ ...terms({ count: 2 }), succeeded: 2 }, { isNew: false }),
      '',
    ],
    [
      'is refused twice in a period',
      refused({ ...terms({ frequency: 'MONTH' }), succeeded: 1 }),
      '$.periodKey By its terms 1 periods of the agreement have begun, and 1 are charged.',
    ],
  ];
  for (const [title, told, expected] of cases) it(title, () => expect(told).to.equal(expected));
});
