// Decisions on agreements: who may charge which period, when again, and what follows from the end of a try.
import { expect } from 'chai';
import {
  adoptMethod,
  cancelAgreement,
  claimCharge,
  closeMethod,
  failAgreement,
  makeAgreement,
  pauseAgreement,
  proposeAgreement,
  renewMethod,
  replaceInstrument,
  resumeAgreement,
  settleCharge,
  withdrawMandate,
} from '../../../src/domain/agreement/decide.ts';
import type { AgreementEvent, AgreementFact } from '../../../src/domain/agreement/events.ts';
import { agreement, KEPT_PERIODS, openCharges } from '../../../src/domain/agreement/state.ts';
import { eraseAgreement } from '../../../src/domain/erasure.ts';
import type { NetworkRefusal } from '../../../src/domain/retry-ledger/network-rules.ts';
import { givenOf } from '../../support/given.ts';

const given = givenOf(agreement);
const NOW = 1_000_000;
const DAY_MS = 86_400_000;
const proposed: AgreementFact<'AgreementProposed'> = {
  accountId: 'acc_1',
  customerId: 'customer-1',
  kind: 'RECURRING',
  terms: { amountRule: 'EXACT', amount: 1_900, currencyCode: 'EUR', startsAt: 0, description: 'The magazine' },
  consent: { acceptedAt: 0, channel: 'ONLINE', textDigest: 'ab', ipAddress: '203.0.113.7' },
  createdAt: 0,
};
const method = { paymentMethodToken: 'pm_1', initialPaymentId: 'pay_0', connectionId: 'sandbox', network: 'VISA' };
const active: readonly AgreementEvent[] = [
  { type: 'AgreementProposed', data: proposed },
  { type: 'AgreementActivated', data: method },
];
const asked = (fields: Partial<Parameters<typeof claimCharge>[0]> = {}) => ({
  periodKey: 'p',
  orderId: 'o-p',
  paymentIdOf: (number: number) => `pay_p_${number}`,
  at: NOW,
  ...fields,
});
const claimed = (number = 1): AgreementEvent => ({
  type: 'ChargeClaimed',
  data: {
    periodKey: 'p',
    try: number,
    paymentId: `pay_p_${number}`,
    amount: 1_900,
    currencyCode: 'EUR',
    orderId: 'o-p',
    claimedAt: NOW,
  },
});
const settled = (fields: Partial<AgreementFact<'ChargeSettled'>> = {}): AgreementEvent => ({
  type: 'ChargeSettled',
  data: { periodKey: 'p', try: 1, paymentId: 'pay_p_1', outcome: 'SUCCEEDED', ...fields },
});
const ended = { periodKey: 'p', paymentId: 'pay_p_1', at: NOW };
const refusal = (code: string, declineType: 'SOFT' | 'HARD', told: Partial<NetworkRefusal> = {}): NetworkRefusal => ({
  network: 'VISA',
  code,
  declineType,
  ...told,
});

describe('an agreement', () => {
  it('is made once', () => {
    given()
      .when(makeAgreement(proposed, method))
      .then(...active);
    given(...active)
      .when(makeAgreement(proposed, method))
      .thenRejected('Conflict');
  });

  it('is paused and resumed, and cancelled for good', () => {
    given(...active)
      .when(pauseAgreement)
      .then({ type: 'AgreementPaused', data: {} });
    given(...active, { type: 'AgreementPaused', data: {} })
      .when(pauseAgreement)
      .thenNothing();
    given(...active, { type: 'AgreementPaused', data: {} })
      .when(resumeAgreement)
      .then({ type: 'AgreementResumed', data: {} });
    given(...active)
      .when(resumeAgreement)
      .thenNothing();
    given(...active)
      .when(cancelAgreement('moved'))
      .then({ type: 'AgreementCancelled', data: { reason: 'moved' } });
    const cancelled: AgreementEvent = { type: 'AgreementCancelled', data: {} };
    given(...active, cancelled)
      .when(cancelAgreement(undefined))
      .thenNothing();
    for (const decide of [pauseAgreement, resumeAgreement, replaceInstrument(method)])
      given(...active, cancelled)
        .when(decide)
        .thenRejected('InvalidAgreementStatus', { agreementStatus: 'CANCELLED' });
    for (const decide of [pauseAgreement, claimCharge(asked()), settleCharge({ ...ended, outcome: 'FAILED' })])
      given().when(decide).thenRejected('NotFound');
  });

  it('is over with its customer, and without the personal data', () => {
    const erased = given(...active).when(eraseAgreement(NOW));
    erased.then(
      { type: 'CustomerErased', data: { erasedAt: NOW } },
      { type: 'AgreementRevoked', data: { source: 'erasure' } },
    );
    expect(erased.state).to.include({ status: 'REVOKED' }).and.not.to.have.nested.property('consent.ipAddress');
    given(...active, { type: 'AgreementCancelled', data: {} })
      .when(eraseAgreement(NOW))
      .then({ type: 'CustomerErased', data: { erasedAt: NOW } });
  });
});

describe('a charge of a period', () => {
  it('is claimed with the terms of the moment', () => {
    given(...active)
      .when(claimCharge(asked()))
      .then(claimed());
    given(...active)
      .when(claimCharge(asked({ amount: 1_901 })))
      .thenRejected('OutsideAgreementTerms');
  });

  for (const outcome of [undefined, 'SUCCEEDED', 'CANCELLED'] as const)
    it(`is the payment of the newest try, which ${outcome === undefined ? 'has no outcome' : `is ${outcome}`}`, () => {
      const events = [...active, claimed(), ...(outcome === undefined ? [] : [settled({ outcome })])];
      given(...events)
        .when(claimCharge(asked()))
        .thenNothing();
      given(...events, { type: 'AgreementCancelled', data: {} })
        .when(claimCharge(asked()))
        .thenNothing();
    });

  it('is refused under the key of another charge', () => {
    for (const other of [{ amount: 1_901 }, { currencyCode: 'USD' }, { orderId: 'o-q' }])
      given(...active, claimed())
        .when(claimCharge(asked(other)))
        .thenRejected('PeriodKeyReused', { paymentId: 'pay_p_1' });
  });

  it('waits a day after a soft decline, and is another payment then', () => {
    const events = given(...active, claimed()).when(
      settleCharge({ ...ended, outcome: 'DECLINED', refusal: refusal('INSUFFICIENT_FUNDS', 'SOFT') }),
    );
    const declined = settled({
      outcome: 'DECLINED',
      code: 'INSUFFICIENT_FUNDS',
      notBefore: NOW + DAY_MS,
      because: 'DECLINED',
    });
    events.then(declined);
    const notBefore = NOW + DAY_MS;
    given(...active, claimed(), declined)
      .when(claimCharge(asked({ at: notBefore - 1 })))
      .thenRejected('RetryNotAllowed', { notBefore, because: 'DECLINED' });
    given(...active, claimed(), declined)
      .when(claimCharge(asked({ at: notBefore })))
      .then({ type: 'ChargeClaimed', data: { ...claimed(2).data, claimedAt: notBefore } } as AgreementEvent);
  });

  it('is refused where something else was made ready than what it claims', () => {
    for (const ready of [
      { try: 2, paymentMethodToken: 'pm_1' },
      { try: 1, paymentMethodToken: 'pm_2' },
    ])
      given(...active)
        .when(claimCharge(asked({ ready })))
        .thenRejected('Conflict');
    given(...active)
      .when(claimCharge(asked({ ready: { try: 1, paymentMethodToken: 'pm_1' } })))
      .then(claimed());
  });

  it('is tried again at once after it came to nothing', () => {
    const failed = settled({ outcome: 'FAILED', notBefore: NOW });
    given(...active, claimed())
      .when(settleCharge({ ...ended, outcome: 'FAILED' }))
      .then(failed);
    given(...active, claimed(), failed)
      .when(claimCharge(asked()))
      .then(claimed(2));
  });

  it('ends once, and as the newest try alone', () => {
    given(...active, claimed(), settled())
      .when(settleCharge({ ...ended, outcome: 'FAILED' }))
      .thenNothing();
    given(...active, claimed())
      .when(settleCharge({ ...ended, paymentId: 'pay_p_2', outcome: 'FAILED' }))
      .thenNothing();
  });

  for (const [code, declineType, event] of [
    [
      'AUTHORIZATION_REVOKED',
      'HARD',
      { type: 'AgreementRevoked', data: { source: 'issuer', code: 'AUTHORIZATION_REVOKED' } },
    ],
    [
      'AUTHENTICATION_REQUIRED',
      'SOFT',
      { type: 'AgreementSuspended', data: { action: 'AUTHENTICATE', code: 'AUTHENTICATION_REQUIRED' } },
    ],
    ['STOLEN_CARD', 'HARD', { type: 'AgreementSuspended', data: { action: 'NEW_INSTRUMENT', code: 'STOLEN_CARD' } }],
  ] as const)
    it(`that was declined with ${code} ends or suspends its agreement in the same append`, () => {
      const declined = settled({ outcome: 'DECLINED', code, notBefore: NOW });
      given(...active, claimed())
        .when(settleCharge({ ...ended, outcome: 'DECLINED', refusal: refusal(code, declineType) }))
        .then(declined, event);
      given(...active, claimed(), declined, event)
        .when(claimCharge(asked()))
        .thenRejected('InvalidAgreementStatus');
    });

  it('is tried again at once with another payment method', () => {
    const second = { ...method, paymentMethodToken: 'pm_2', initialPaymentId: 'pay_9' };
    const suspended: readonly AgreementEvent[] = [
      ...active,
      claimed(),
      settled({ outcome: 'DECLINED', code: 'STOLEN_CARD', notBefore: NOW }),
      { type: 'AgreementSuspended', data: { action: 'NEW_INSTRUMENT', code: 'STOLEN_CARD' } },
    ];
    const replaced: AgreementEvent = { type: 'AgreementInstrumentReplaced', data: second };
    given(...suspended)
      .when(replaceInstrument(second))
      .then(replaced);
    given(...suspended, replaced)
      .when(claimCharge(asked()))
      .then(claimed(2));
    expect(given(...suspended, replaced).state).to.not.have.any.keys('action', 'code');
  });

  it('is listed among the newest, and as long as it has no outcome', () => {
    const many = Array.from({ length: KEPT_PERIODS + 5 }, (_, place): readonly AgreementEvent[] => {
      const of = { periodKey: `q-${place}`, paymentId: `pay_q_${place}` };
      return [
        {
          type: 'ChargeClaimed',
          data: { ...of, try: 1, amount: 1_900, currencyCode: 'EUR', orderId: 'o', claimedAt: NOW },
        },
        { type: 'ChargeSettled', data: { ...of, try: 1, outcome: 'SUCCEEDED' } },
      ];
    }).flat();
    const { state } = given(...active, claimed(), ...many);
    if (state.status === 'absent') expect.fail('it is there');
    expect(state.periods.map(({ periodKey }) => periodKey))
      .to.include('p')
      .and.not.to.include('q-0');
    expect(openCharges(state)).to.have.lengthOf(1);
    expect([state.claimed, state.succeeded]).to.deep.equal([KEPT_PERIODS + 6, KEPT_PERIODS + 5]);
  });

  it('that its customer agrees to in the checkout waits for the first payment, once', () => {
    const event: AgreementEvent = { type: 'AgreementProposed', data: { ...proposed, sessionId: 'cs_1' } };
    given()
      .when(proposeAgreement({ ...proposed, sessionId: 'cs_1' }))
      .then(event);
    given(event).when(proposeAgreement(proposed)).thenNothing();
    given(event).when(adoptMethod(method)).then({ type: 'AgreementActivated', data: method });
    given(event)
      .when(failAgreement('EXPIRED'))
      .then({ type: 'AgreementFailed', data: { because: 'EXPIRED' } });
    given(event).when(claimCharge(asked())).thenRejected('InvalidAgreementStatus');
  });

  it('goes on with the method of a payment for it, and stays over once it is', () => {
    const other = { ...method, paymentMethodToken: 'pm_2', initialPaymentId: 'pay_2' };
    given(...active)
      .when(adoptMethod(method))
      .thenNothing();
    given(...active)
      .when(adoptMethod(other))
      .then({ type: 'AgreementInstrumentReplaced', data: other });
    const replaced: AgreementEvent = { type: 'AgreementInstrumentReplaced', data: other };
    const suspended: AgreementEvent = {
      type: 'AgreementSuspended',
      data: { action: 'NEW_INSTRUMENT', code: 'EXPIRED_CARD' },
    };
    given(...active, replaced, suspended)
      .when(adoptMethod(method))
      .thenNothing();
    given(...active, replaced)
      .when(replaceInstrument(method))
      .then({ type: 'AgreementInstrumentReplaced', data: method });
    given(...active)
      .when(failAgreement('NOT_SAVED'))
      .thenNothing();
    const failed: AgreementEvent = { type: 'AgreementFailed', data: { because: 'NOT_SAVED' } };
    const [begun] = active;
    for (const over of [failed, { type: 'AgreementCancelled' as const, data: {} }])
      given(...(begun === undefined ? [] : [begun]), over)
        .when(adoptMethod(other))
        .thenNothing();
    given(...(begun === undefined ? [] : [begun]), failed)
      .when(cancelAgreement(undefined))
      .thenRejected('InvalidAgreementStatus');
  });
});

describe('an agreement whose method', () => {
  const suspended = (action: 'AUTHENTICATE' | 'NEW_INSTRUMENT', code: string): AgreementEvent => ({
    type: 'AgreementSuspended',
    data: { action, code },
  });
  const closed = suspended('NEW_INSTRUMENT', 'ACCOUNT_CLOSED');
  const cancelled: AgreementEvent = { type: 'AgreementCancelled', data: {} };

  it('was closed waits for another one, whatever it waits for now', () => {
    given(...active)
      .when(closeMethod('pm_1'))
      .then(closed);
    given(...active, { type: 'AgreementPaused', data: {} })
      .when(closeMethod('pm_1'))
      .then(closed);
    given(...active, suspended('AUTHENTICATE', 'AUTHENTICATION_REQUIRED'))
      .when(closeMethod('pm_1'))
      .then(closed);
    given(...active, closed)
      .when(closeMethod('pm_1'))
      .thenNothing();
  });

  it('is another one, or that is over, stays as it is', () => {
    const revoke = withdrawMandate('pm_2', { mandate: 'm', because: undefined });
    given(...active)
      .when(closeMethod('pm_2'))
      .thenNothing();
    given(...active)
      .when(revoke)
      .thenNothing();
    given(...active, cancelled)
      .when(closeMethod('pm_1'))
      .thenNothing();
    given(...active, cancelled)
      .when(withdrawMandate('pm_1', { mandate: 'm', because: undefined }))
      .thenNothing();
  });

  it('has expired, and was reissued, is charged again where it waited for that alone', () => {
    const expired = suspended('NEW_INSTRUMENT', 'EXPIRED_CARD');
    const renewed: AgreementEvent = { type: 'AgreementResumed', data: {} };
    given(...active, expired)
      .when(renewMethod('pm_1'))
      .then(renewed);
    const { state } = given(...active, expired, renewed);
    expect(state).to.include({ status: 'ACTIVE' }).and.to.not.have.any.keys('action', 'code');
    for (const other of [closed, suspended('NEW_INSTRUMENT', 'STOLEN_CARD'), suspended('AUTHENTICATE', 'x')])
      given(...active, other)
        .when(renewMethod('pm_1'))
        .thenNothing();
    given(...active, expired)
      .when(renewMethod('pm_2'))
      .thenNothing();
    given(...active)
      .when(renewMethod('pm_1'))
      .thenNothing();
  });

  it('may be debited no longer is revoked, with the mandate and the reason', () => {
    given(...active, closed)
      .when(withdrawMandate('pm_1', { mandate: 'mandate_1', because: 'withdrawn' }))
      .then({
        type: 'AgreementRevoked',
        data: { source: 'mandate', code: 'AUTHORIZATION_REVOKED', mandate: 'mandate_1', because: 'withdrawn' },
      });
  });
});
