// The scenarios of agreements (most facts, retries, the end, a revocation, an erased customer), and of the ledger of a
// card.
import {
  type AgreementEvent,
  type AgreementFact,
  agreementCategory,
  type ChargedMethod,
} from '../../../src/domain/agreement/events.ts';
import { retryLedgerCategory } from '../../../src/domain/retry-ledger/ledger.ts';
import { AT, type Scenario, scenario } from './scenario.ts';

const DAY_MS = 86_400_000;
const method: ChargedMethod = {
  paymentMethodToken: 'pm_golden',
  initialPaymentId: 'pay_golden',
  connectionId: 'sandbox',
  network: 'MASTERCARD',
  networkTransactionId: 'MCC123456',
  transactionLinkId: 'uY3-kDm_0000000000000a',
};
const proposed: AgreementFact<'AgreementProposed'> = {
  accountId: 'acc_golden',
  customerId: 'customer-golden',
  kind: 'RECURRING',
  terms: {
    amountRule: 'EXACT',
    amount: 1_900,
    currencyCode: 'EUR',
    frequency: 'MONTH',
    interval: 1,
    count: 12,
    startsAt: AT,
    endsAt: AT + 400 * DAY_MS,
    description: 'The magazine, each month',
  },
  consent: {
    acceptedAt: AT - 1_000,
    channel: 'ONLINE',
    textDigest: 'ab'.repeat(32),
    textUrl: 'https://shop.example/terms',
    ipAddress: '203.0.113.7',
    userAgent: 'Mozilla/5.0',
  },
  createdAt: AT,
  metadata: { plan: 'print' },
};
const begun: readonly AgreementEvent[] = [
  { type: 'AgreementProposed', data: proposed },
  { type: 'AgreementActivated', data: method },
];
const tried = (paymentId: string) => ({
  accountId: 'acc_golden',
  paymentId,
  network: 'VISA',
  amount: 1_900,
  currencyCode: 'EUR',
});
const claim = (periodKey: string, number: number): AgreementEvent => ({
  type: 'ChargeClaimed',
  data: {
    periodKey,
    try: number,
    paymentId: `pay_${periodKey}_${number}`,
    amount: 1_900,
    currencyCode: 'EUR',
    orderId: `order-${periodKey}`,
    claimedAt: AT + 10_000,
  },
});

export const agreementScenarios: readonly Scenario[] = [
  scenario(
    agreementCategory,
    'agr_golden',
    [
      ...begun,
      claim('2026-02', 1),
      {
        type: 'ChargeSettled',
        data: {
          periodKey: '2026-02',
          try: 1,
          paymentId: 'pay_2026-02_1',
          outcome: 'DECLINED',
          code: 'INSUFFICIENT_FUNDS',
          notBefore: AT + DAY_MS,
        },
      },
      claim('2026-02', 2),
      {
        type: 'ChargeSettled',
        data: { periodKey: '2026-02', try: 2, paymentId: 'pay_2026-02_2', outcome: 'SUCCEEDED' },
      },
      { type: 'AgreementPaused', data: {} },
      { type: 'AgreementResumed', data: {} },
      { type: 'AgreementSuspended', data: { action: 'NEW_INSTRUMENT', code: 'EXPIRED_CARD' } },
      { type: 'AgreementInstrumentReplaced', data: { ...method, paymentMethodToken: 'pm_golden_2' } },
      claim('2026-03', 1),
      { type: 'AgreementCancelled', data: { reason: 'the customer has moved' } },
    ],
    'agreement-golden',
  ),
  scenario(agreementCategory, 'agr_retried', [
    { type: 'AgreementProposed', data: { ...proposed, retry: { policy: 'DAYS', days: [2, 4] } } },
    { type: 'AgreementActivated', data: method },
    claim('2026-02', 1),
    {
      type: 'ChargeSettled',
      data: {
        periodKey: '2026-02',
        try: 1,
        paymentId: 'pay_2026-02_1',
        outcome: 'DECLINED',
        code: 'INSUFFICIENT_FUNDS',
        notBefore: AT + DAY_MS,
        because: 'NETWORK_ADVICE',
      },
    },
    { type: 'RetryPlanned', data: { periodKey: '2026-02', try: 2, dueAt: AT + 2 * DAY_MS } },
    {
      type: 'RetryRefused',
      data: { periodKey: '2026-02', try: 2, because: 'NETWORK_LIMIT', notBefore: AT + 3 * DAY_MS },
    },
    { type: 'RetryPlanned', data: { periodKey: '2026-02', try: 2, dueAt: AT + 3 * DAY_MS } },
    { type: 'RetryRefused', data: { periodKey: '2026-02', try: 2, because: 'OUTSIDE_TERMS' } },
  ]),
  scenario(retryLedgerCategory, 'card_golden', [
    { type: 'NetworkTryAnswered', data: { ...tried('pay_1'), declines: 1, code: 'DO_NOT_HONOR', answeredAt: AT } },
    { type: 'NetworkTryClaimed', data: { ...tried('pay_2'), mostTries: 2, claimedAt: AT + DAY_MS } },
    {
      type: 'NetworkTryAnswered',
      data: { ...tried('pay_2'), declines: 2, isLast: true, code: 'STOLEN_CARD', answeredAt: AT + DAY_MS },
    },
  ]),
  scenario(agreementCategory, 'agr_checkout', [
    {
      type: 'AgreementProposed',
      data: {
        ...proposed,
        sessionId: 'cs_golden',
        consent: { ...proposed.consent, shownText: 'I agree that …', language: 'en' },
      },
    },
    { type: 'AgreementFailed', data: { because: 'NOT_SAVED' } },
  ]),
  scenario(agreementCategory, 'agr_ended', [...begun, { type: 'AgreementEnded', data: { because: 'COUNT' } }]),
  scenario(agreementCategory, 'agr_revoked', [
    ...begun,
    { type: 'AgreementRevoked', data: { source: 'issuer', code: 'AUTHORIZATION_REVOKED' } },
  ]),
  scenario(agreementCategory, 'agr_withdrawn', [
    ...begun,
    {
      type: 'AgreementRevoked',
      data: { source: 'mandate', code: 'AUTHORIZATION_REVOKED', mandate: 'mandate_1', because: 'withdrawn' },
    },
  ]),
  scenario(
    agreementCategory,
    'agr_erased',
    [
      ...begun,
      { type: 'CustomerErased', data: { erasedAt: AT + 5_000 } },
      { type: 'AgreementRevoked', data: { source: 'erasure' } },
    ],
    'agreement-erased',
  ),
];
