// Other terms, another retry policy, other metadata, and notices (contract §14, "Changes").
import { expect } from 'chai';
import { type AgreementChange, changeAgreement, recordNotice } from '../../../src/domain/agreement/change.ts';
import { claimCharge } from '../../../src/domain/agreement/decide.ts';
import type { AgreementEvent, AgreementFact, AgreementTerms, Consent } from '../../../src/domain/agreement/events.ts';
import { type Agreement, agreement, KEPT_NOTICES } from '../../../src/domain/agreement/state.ts';
import { nextPeriodAt } from '../../../src/domain/agreement/terms.ts';
import { givenOf } from '../../support/given.ts';

const given = givenOf(agreement);
const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 0, 15);
/** The third period has begun. */
const NOW = Date.UTC(2026, 2, 20);
const NEXT = Date.UTC(2026, 3, 15);

const TERMS = {
  amountRule: 'EXACT',
  amount: 1_900,
  currencyCode: 'EUR',
  frequency: 'MONTH',
  count: 12,
  startsAt: START,
  endsAt: START + 400 * DAY_MS,
  description: 'The magazine, each month',
} satisfies AgreementTerms;
const consent: Consent = { acceptedAt: NOW, channel: 'ONLINE', textDigest: 'ab'.repeat(32), ipAddress: '203.0.113.7' };
const active: readonly AgreementEvent[] = [
  {
    type: 'AgreementProposed',
    data: {
      accountId: 'acc_1',
      customerId: 'c',
      kind: 'RECURRING',
      terms: TERMS,
      consent: { ...consent, acceptedAt: START },
      createdAt: START,
      metadata: { plan: 'print' },
      retry: { policy: 'ADVISED' },
    },
  },
  {
    type: 'AgreementActivated',
    data: { paymentMethodToken: 'pm_1', initialPaymentId: 'pay_0', connectionId: 'sandbox', network: 'VISA' },
  },
];
const CANCELLED: AgreementEvent = { type: 'AgreementCancelled', data: {} };
const claimed = (periodKey: string): AgreementEvent => ({
  type: 'ChargeClaimed',
  data: {
    periodKey,
    try: 1,
    paymentId: `pay_${periodKey}`,
    amount: 1_900,
    currencyCode: 'EUR',
    orderId: `o-${periodKey}`,
    claimedAt: START,
  },
});
const settled = (periodKey: string, outcome: 'SUCCEEDED' | 'DECLINED' = 'SUCCEEDED'): AgreementEvent => ({
  type: 'ChargeSettled',
  data: { periodKey, try: 1, paymentId: `pay_${periodKey}`, outcome },
});
const change = (asked: AgreementChange, at = NOW) => changeAgreement(asked, { at });
const termsOf = (fields: Partial<AgreementTerms>): AgreementTerms => ({ ...TERMS, ...fields });
const told = { noticeGivenAt: NOW - DAY_MS };
const changed = (data: AgreementFact<'AgreementTermsChanged'>): AgreementEvent => ({
  type: 'AgreementTermsChanged',
  data,
});
const charge = (periodKey: string, at: number, amount?: number) =>
  claimCharge({ periodKey, orderId: `o-${periodKey}`, paymentIdOf: () => `pay_${periodKey}`, at, amount });

describe('a change of the terms', () => {
  for (const [what, terms] of [
    ['a lower amount', { amount: 1_800 }],
    ['fewer periods', { count: 6 }],
    ['an earlier end', { endsAt: NOW + DAY_MS }],
    ['another description', { description: 'The magazine' }],
  ] as const)
    it(`to ${what} needs a notice`, () => {
      const asked = { terms: termsOf(terms) };
      given(...active)
        .when(change(asked))
        .thenRejected('RequestValidationError');
      given(...active)
        .when(change({ ...asked, ...told }))
        .then(changed({ ...asked, ...told }));
    });

  for (const [member, terms] of [
    ['currencyCode', { currencyCode: 'USD' }],
    ['amount', { amount: 1_901 }],
    ['amountRule', { amountRule: 'MAXIMUM' }],
    ['amountRule', { amountRule: 'VARIABLE', amount: undefined }],
    ['frequency', { frequency: 'WEEK' }],
    ['frequency', { frequency: 'DAY', interval: 30 }],
    ['count', { count: 13 }],
    ['count', { count: undefined }],
    ['endsAt', { endsAt: TERMS.endsAt + 1 }],
    ['endsAt', { endsAt: undefined }],
    ['startsAt', { startsAt: NEXT - 1 }],
  ] as const)
    it(`of ${member} to ${Object.values(terms).join(' ')} needs a new consent, whatever the customer was told`, () => {
      const asked = { terms: { ...TERMS, ...terms } };
      const { startsAt: _begun, ...unmoved } = asked.terms;
      const request = 'startsAt' in terms ? asked : { terms: unmoved };
      const decision = change({ ...request, ...told })(given(...active).state, 1);
      expect(decision).to.include({ kind: 'rejected', errorId: 'OutsideAgreementTerms' });
      expect(decision).to.have.nested.property('violations[0].path', `$.terms.${member}`);
      expect(change({ ...request, consent })(given(...active).state, 1).kind).to.equal('accepted');
    });

  it('keeps the new consent in the place of the old one', () => {
    const { state } = given(...active, changed({ terms: termsOf({ amount: 2_100 }), consent }));
    expect(state).to.deep.include({ consent, terms: { ...TERMS, amount: 2_100 } });
  });

  it('is nothing where nothing changes', () => {
    given(...active)
      .when(change({ terms: TERMS, retry: { policy: 'ADVISED' }, metadata: { plan: 'print' } }))
      .thenNothing();
  });

  it('is refused where it contradicts the kind, the periods that are charged, or the clock', () => {
    const one = [...active, claimed('p'), settled('p')];
    for (const [path, asked] of [
      ['$.terms.frequency', { terms: termsOf({ frequency: undefined }) }],
      ['$.terms.count', { terms: termsOf({ count: 1 }) }],
      ['$.terms.endsAt', { terms: termsOf({ endsAt: NOW }) }],
      ['$.terms.startsAt', { terms: termsOf({ frequency: 'YEAR' }) }],
      ['$.noticeGivenAt', { terms: TERMS, noticeGivenAt: NOW + 1 }],
      ['$.consent.acceptedAt', { terms: TERMS, consent: { ...consent, acceptedAt: NOW + 1 } }],
    ] as const) {
      const decision = change(asked)(given(...one).state, 1);
      expect(decision).to.include({ errorId: 'RequestValidationError' });
      expect(decision).to.have.nested.property('violations[0].path', path);
    }
  });

  it('is refused at another revision than that of If-Match, and after the end', () => {
    const stale = changeAgreement({ metadata: null }, { at: NOW, ifMatch: (revision) => revision === 7 });
    given(...active)
      .when(stale)
      .thenRejected('PreconditionFailed');
    given(...active, CANCELLED)
      .when(change({ metadata: null }))
      .thenRejected('InvalidAgreementStatus');
    given()
      .when(change({ metadata: null }))
      .thenRejected('NotFound');
  });
});

describe('a period after other terms', () => {
  const { startsAt: _begun, ...UNMOVED } = TERMS;
  /** After a change that the customer agreed to. */
  const afterChange = (terms: AgreementChange['terms'], ...before: readonly AgreementEvent[]): Agreement => {
    const { state } = given(...active, ...before);
    const decision = change({ terms, consent })(state, 1);
    if (decision.kind === 'rejected') expect.fail(decision.description);
    return decision.events.reduce((now, one) => agreement.evolve(now, one, { id: '', revision: 2, at: NOW }), state);
  };
  const kindOf = (state: Agreement, periodKey: string, at: number, amount?: number): string => {
    const decision = charge(periodKey, at, amount)(state);
    return decision.kind === 'rejected' ? decision.errorId : `accepted ${decision.events.length}`;
  };

  it('that was charged before stays on its own', () => {
    for (const outcome of [[], [settled('p')]]) {
      const state = afterChange({ ...UNMOVED, amount: 1_700 }, claimed('p'), ...outcome);
      expect(kindOf(state, 'p', NOW)).to.equal('accepted 0');
      expect(kindOf(state, 'p', NOW, 1_700)).to.equal('PeriodKeyReused');
      expect(kindOf(state, 'q', NOW)).to.equal('accepted 1');
    }
  });

  it('that was declined before is not charged beyond them', () => {
    const state = afterChange({ ...UNMOVED, amount: 1_700 }, claimed('p'), settled('p', 'DECLINED'));
    expect(kindOf(state, 'p', NOW)).to.equal('OutsideAgreementTerms');
    const higher = afterChange(
      { ...UNMOVED, amountRule: 'MAXIMUM', amount: 2_500 },
      claimed('p'),
      settled('p', 'DECLINED'),
    );
    const decision = charge('p', NOW)(higher);
    expect(decision.kind === 'accepted' && decision.events[0]?.data).to.include({ try: 2, amount: 1_900 });
  });

  it('begins where the next one would have, whatever its length', () => {
    expect(nextPeriodAt(TERMS, NOW)).to.equal(NEXT);
    expect(nextPeriodAt({ ...TERMS, interval: 3 }, NOW)).to.equal(NEXT);
    expect(nextPeriodAt({ ...TERMS, frequency: 'YEAR' }, NOW)).to.equal(Date.UTC(2027, 0, 15));
    expect(nextPeriodAt({ ...TERMS, frequency: 'WEEK' }, START)).to.equal(START + 7 * DAY_MS);
    expect(nextPeriodAt(TERMS, START - 1)).to.equal(START);
    const three = ['a', 'b', 'c'].flatMap((key) => [claimed(key), settled(key)]);
    const weekly = afterChange({ ...UNMOVED, frequency: 'WEEK' }, ...three);
    const EARLY = 0.1 * 7 * DAY_MS;
    expect(kindOf(weekly, 'd', NEXT - EARLY - 1)).to.equal('OutsideAgreementTerms');
    expect(kindOf(weekly, 'd', NEXT - EARLY)).to.equal('accepted 1');
  });

  it('that had begun, and was not charged, can still be', () => {
    const yearly = afterChange({ ...UNMOVED, frequency: 'YEAR' }, claimed('a'), settled('a'));
    expect(kindOf(yearly, 'b', NOW)).to.equal('accepted 1');
  });
});

describe('a change of the retry policy', () => {
  const planned: readonly AgreementEvent[] = [
    ...active,
    claimed('p'),
    { type: 'RetryPlanned', data: { periodKey: 'p', try: 2, dueAt: NOW + DAY_MS } },
    settled('p', 'DECLINED'),
  ];
  const retryAt = (state: Agreement) => (state.status === 'absent' ? undefined : state.periods[0]?.retryAt);

  it('leaves planned tries as they are', () => {
    const other = given(...planned).when(change({ retry: { policy: 'DAYS', days: [5] } }));
    other.then({ type: 'AgreementRetryChanged', data: { retry: { policy: 'DAYS', days: [5] } } });
    expect(retryAt(other.state)).to.equal(NOW + DAY_MS);
  });

  it('to none withdraws them, on record', () => {
    for (const retry of [null, { policy: 'NONE' }] as const) {
      const none = given(...planned).when(change({ retry }));
      none.then({ type: 'AgreementRetryChanged', data: { retry: { policy: 'NONE' }, withdrawn: ['p'] } });
      expect(retryAt(none.state)).to.equal(undefined);
      const due = { periodKey: 'p', orderId: 'o-p', paymentIdOf: () => 'pay_p_2', at: NOW + DAY_MS } as const;
      expect(claimCharge({ ...due, isPlanned: true })(none.state)).to.include({ errorId: 'Conflict' });
      expect(claimCharge(due)(none.state).kind).to.equal('accepted');
    }
  });
});

describe('metadata and notices', () => {
  it('are replaced as a whole, and cleared', () => {
    given(...active)
      .when(change({ metadata: { plan: 'web' } }))
      .then({ type: 'AgreementMetadataChanged', data: { metadata: { plan: 'web' } } });
    const cleared = given(...active).when(change({ metadata: null }));
    cleared.then({ type: 'AgreementMetadataChanged', data: {} });
    expect(cleared.state).to.not.have.any.keys('metadata');
  });

  it('are kept, the newest of them, while the agreement is not over', () => {
    const notice = (amount: number) =>
      ({ kind: 'PRE_NOTIFICATION', sentAt: NOW, channel: 'EMAIL', dueOn: '2026-04-15', amount }) as const;
    given(...active)
      .when(recordNotice(notice(1)))
      .then({ type: 'AgreementNoticeRecorded', data: notice(1) });
    given(...active, CANCELLED)
      .when(recordNotice(notice(1)))
      .thenRejected('InvalidAgreementStatus');
    const many = Array.from(
      { length: KEPT_NOTICES + 2 },
      (_, place): AgreementEvent => ({ type: 'AgreementNoticeRecorded', data: notice(place) }),
    );
    const { state } = given(...active, ...many);
    if (state.status === 'absent') expect.fail('it is there');
    expect(state.notices?.map(({ amount }) => amount)).to.deep.equal(
      Array.from({ length: KEPT_NOTICES }, (_, place) => place + 2),
    );
  });
});
