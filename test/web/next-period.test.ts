// Which period of an agreement is tried next, as the dashboard says it.
import { expect } from 'chai';
import { nextTryOf } from '../../web/dashboard/src/pages/agreements/next-period.ts';

type Asked = Parameters<typeof nextTryOf>[0];

const TERMS: Asked['terms'] = {
  amountRule: 'EXACT',
  amount: 1_900,
  currencyCode: 'EUR',
  frequency: 'MONTH',
  startsAt: '2026-01-01T00:00:00.000Z',
  description: 'The magazine',
};

describe('the next try of an agreement', () => {
  it('is that of the period that comes first, of those that were not charged', () => {
    const period = (periodKey: string, fields: object) => ({
      periodKey,
      paymentId: 'pay_1',
      tries: 1,
      amount: 1_900,
      currencyCode: 'EUR' as const,
      orderId: 'o-1',
      claimedAt: '2026-01-01T00:00:00.000Z',
      ...fields,
    });
    const agreement = (status: Asked['status'], ...periods: NonNullable<Asked['periods']>): Asked => ({
      id: 'agr_1',
      date: TERMS.startsAt,
      dateUpdated: TERMS.startsAt,
      status,
      customerId: 'customer-1',
      kind: 'RECURRING',
      terms: TERMS,
      consent: { acceptedAt: TERMS.startsAt, channel: 'ONLINE', textDigest: 'ab' },
      usage: { claimed: 1, succeeded: 0 },
      version: 1,
      periods,
    });
    const charged = period('charged', { outcome: 'SUCCEEDED' });
    const open = period('open', {});
    const late = period('late', { outcome: 'DECLINED', notBefore: '2026-03-01T00:00:00.000Z' });
    const planned = period('planned', { outcome: 'DECLINED', retryAt: '2026-02-01T00:00:00.000Z' });
    expect(nextTryOf(agreement('ACTIVE', charged, open))).to.equal(undefined);
    expect(nextTryOf(agreement('ACTIVE', late, charged, planned))?.periodKey).to.equal('planned');
    expect(nextTryOf(agreement('PAUSED', late))?.periodKey).to.equal('late');
    expect(nextTryOf(agreement('CANCELLED', planned))).to.equal(undefined);
  });
});
