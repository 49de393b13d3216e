// When the service tries a declined period again: by the agreement's policy, the network's word, and the terms.
import { expect } from 'chai';
import { refuseRetry, settleCharge } from '../../../src/domain/agreement/decide.ts';
import type { AgreementEvent, AgreementFact } from '../../../src/domain/agreement/events.ts';
import { type Agreement, agreement, plannedRetries } from '../../../src/domain/agreement/state.ts';
import type { Retry } from '../../../src/domain/agreement-terms.ts';
import type { NetworkRefusal } from '../../../src/domain/retry-ledger/network-rules.ts';
import { givenOf } from '../../support/given.ts';

const given = givenOf(agreement);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** An hour of a day, far from the next one. */
const NOW = 100 * DAY_MS + 10 * HOUR_MS;
const NO_FUNDS: NetworkRefusal = { network: 'MASTERCARD', code: 'INSUFFICIENT_FUNDS', declineType: 'SOFT' };

const proposed: AgreementFact<'AgreementProposed'> = {
  accountId: 'acc_1',
  customerId: 'customer-1',
  kind: 'RECURRING',
  terms: { amountRule: 'EXACT', amount: 1_900, currencyCode: 'EUR', startsAt: 0, description: 'The magazine' },
  consent: { acceptedAt: 0, channel: 'ONLINE', textDigest: 'ab' },
  createdAt: 0,
};
const method = {
  paymentMethodToken: 'pm_1',
  initialPaymentId: 'pay_0',
  connectionId: 'sandbox',
  network: 'MASTERCARD',
};
const active = (retry?: Retry, endsAt?: number): readonly AgreementEvent[] => [
  {
    type: 'AgreementProposed',
    data: {
      ...proposed,
      terms: { ...proposed.terms, ...(endsAt !== undefined && { endsAt }) },
      ...(retry !== undefined && { retry }),
    },
  },
  { type: 'AgreementActivated', data: method },
];
const claimed = (number: number, periodKey = 'p'): AgreementEvent => ({
  type: 'ChargeClaimed',
  data: {
    periodKey,
    try: number,
    paymentId: `pay_${periodKey}_${number}`,
    amount: 1_900,
    currencyCode: 'EUR',
    orderId: 'o',
    claimedAt: NOW,
  },
});
const declined = (number: number, refusal: NetworkRefusal = NO_FUNDS) =>
  settleCharge({ periodKey: 'p', paymentId: `pay_p_${number}`, outcome: 'DECLINED', refusal, at: NOW });
/** The due time that a refusal of the try leads to; undefined if none is planned. */
function dueAfter(events: readonly AgreementEvent[], number: number, refusal?: NetworkRefusal): number | undefined {
  const { state } = given(...events, claimed(number)).when(declined(number, refusal));
  if (state.status === 'absent') return undefined;
  return state.periods.find(({ periodKey }) => periodKey === 'p')?.retryAt;
}

describe('a declined period', () => {
  it('is tried again by nobody but the merchant without a policy', () => {
    expect(dueAfter(active(), 1)).to.equal(undefined);
    expect(dueAfter(active({ policy: 'NONE' }), 1)).to.equal(undefined);
  });

  for (const [number, days] of [
    [1, 1],
    [2, 3],
    [3, 5],
    [4, 7],
    [5, undefined],
  ] as const)
    it(`as ADVISED waits ${days ?? 'for nothing'} after try ${number}`, () => {
      expect(dueAfter(active({ policy: 'ADVISED' }), number)).to.equal(
        days === undefined ? undefined : NOW + days * DAY_MS,
      );
    });

  it('as ADVISED waits as long as the network says', () => {
    for (const [networkAdviceCode, ms] of [
      ['24', HOUR_MS],
      ['02', 3 * DAY_MS],
      ['30', 10 * DAY_MS],
    ] as const)
      expect(dueAfter(active({ policy: 'ADVISED' }), 1, { ...NO_FUNDS, networkAdviceCode })).to.equal(NOW + ms);
  });

  it('waits by the list of its agreement, and never less than the network says', () => {
    const retry: Retry = { policy: 'DAYS', days: [2, 4] };
    expect(dueAfter(active(retry), 1)).to.equal(NOW + 2 * DAY_MS);
    expect(dueAfter(active(retry), 2)).to.equal(NOW + 4 * DAY_MS);
    expect(dueAfter(active(retry), 3)).to.equal(undefined);
    expect(dueAfter(active(retry), 1, { ...NO_FUNDS, networkAdviceCode: '30' })).to.equal(NOW + 10 * DAY_MS);
  });

  it('is tried at the hour of the last success, and not before it may be', () => {
    const foldAt =
      (at: number, ...events: readonly AgreementEvent[]) =>
      (before: Agreement) =>
        events.reduce((state, event) => agreement.evolve(state, event, { id: '', revision: 0, at }), before);
    const { state: begun } = given(...active({ policy: 'DAYS', days: [2] }));
    const paid: AgreementEvent = {
      type: 'ChargeSettled',
      data: { periodKey: 'q', try: 1, paymentId: 'pay_q_1', outcome: 'SUCCEEDED' },
    };
    for (const [hour, dueAt] of [
      [7, 102 * DAY_MS + 7 * HOUR_MS],
      [22, 102 * DAY_MS + 22 * HOUR_MS],
    ] as const) {
      const before = foldAt(50 * DAY_MS + hour * HOUR_MS, claimed(1, 'q'), paid)(begun);
      const decision = declined(1)(foldAt(NOW, claimed(1))(before));
      expect(decision.kind === 'accepted' && decision.events[0]).to.deep.equal({
        type: 'RetryPlanned',
        data: { periodKey: 'p', try: 2, dueAt },
      });
    }
  });

  it('is not planned beyond the end of its agreement, and never where only the customer can help', () => {
    const advised: Retry = { policy: 'ADVISED' };
    expect(dueAfter(active(advised, NOW + DAY_MS), 1)).to.equal(undefined);
    expect(dueAfter(active(advised, NOW + DAY_MS + 1), 1)).to.equal(NOW + DAY_MS);
    for (const refusal of [
      { ...NO_FUNDS, networkAdviceCode: '01' },
      { ...NO_FUNDS, networkAdviceCode: '03' },
      { ...NO_FUNDS, networkAdviceCode: '21' },
      { ...NO_FUNDS, code: 'AUTHENTICATION_REQUIRED' },
      { ...NO_FUNDS, declineType: 'HARD' },
      { ...NO_FUNDS, advice: 'DO_NOT_RETRY' },
    ] as const)
      expect(dueAfter(active(advised), 1, refusal), JSON.stringify(refusal)).to.equal(undefined);
  });

  it('is tried again an hour after its payment did not reach the issuer, and a crash stops no planned try', () => {
    const failed = { periodKey: 'p', paymentId: 'pay_p_1', outcome: 'FAILED', at: NOW } as const;
    const events = [...active({ policy: 'ADVISED' }), claimed(1)];
    const settled: AgreementEvent = {
      type: 'ChargeSettled',
      data: { periodKey: 'p', try: 1, paymentId: 'pay_p_1', outcome: 'FAILED', notBefore: NOW },
    };
    given(...events)
      .when(settleCharge(failed))
      .then({ type: 'RetryPlanned', data: { periodKey: 'p', try: 2, dueAt: NOW + HOUR_MS } }, settled);
    given(...events)
      .when(settleCharge({ ...failed, isAbandoned: true }))
      .then(settled);
    // a crash kept a planned try from its payment: nobody but the service knows of it
    for (const [number, isPlanned] of [
      [2, true],
      [5, true],
      [6, false],
    ] as const) {
      const { state } = given(...active({ policy: 'ADVISED' }), claimed(number)).when(
        settleCharge({ ...failed, paymentId: `pay_p_${number}`, isAbandoned: true }),
      );
      expect(state.status !== 'absent' && plannedRetries(state).length, `try ${number}`).to.equal(isPlanned ? 1 : 0);
    }
  });

  const planned: readonly AgreementEvent[] = [
    ...active({ policy: 'ADVISED' }),
    claimed(1),
    {
      type: 'ChargeSettled',
      data: { periodKey: 'p', try: 1, paymentId: 'pay_p_1', outcome: 'DECLINED', code: 'X', notBefore: NOW },
    },
    { type: 'RetryPlanned', data: { periodKey: 'p', try: 2, dueAt: NOW } },
  ];
  const refused = { periodKey: 'p', try: 2, because: 'NETWORK_LIMIT' } as const;

  it('is planned again for when the network has room, or given up, and says why', () => {
    given(...planned)
      .when(refuseRetry({ ...refused, notBefore: NOW + 5 }))
      .then(
        { type: 'RetryRefused', data: { ...refused, notBefore: NOW + 5 } },
        { type: 'RetryPlanned', data: { periodKey: 'p', try: 2, dueAt: NOW + 5 } },
      );
    const givenUp = given(...planned).when(refuseRetry({ ...refused, because: 'OUTSIDE_TERMS' }));
    givenUp.then({ type: 'RetryRefused', data: { ...refused, because: 'OUTSIDE_TERMS' } });
    expect(givenUp.state).to.have.nested.property('periods[0].retryRefused', 'OUTSIDE_TERMS');
    expect(givenUp.state).to.not.have.nested.property('periods[0].retryAt');
  });

  it('that was tried since is neither planned nor refused', () => {
    given(...planned, claimed(2))
      .when(refuseRetry(refused))
      .thenNothing();
    const { state } = given(...planned, claimed(2));
    expect(state.status !== 'absent' && plannedRetries(state)).to.deep.equal([]);
  });

  it('waits while its agreement is paused, and for ever once it is over', () => {
    for (const [event, count] of [
      [{ type: 'AgreementPaused', data: {} }, 0],
      [{ type: 'AgreementCancelled', data: {} }, 0],
      [{ type: 'AgreementSuspended', data: { action: 'AUTHENTICATE', code: 'X' } }, 0],
      [{ type: 'AgreementResumed', data: {} }, 1],
    ] as const) {
      const { state } = given(...planned, event);
      expect(state.status !== 'absent' && plannedRetries(state).length, event.type).to.equal(count);
    }
  });
});
