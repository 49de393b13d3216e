// Payments: every fact, of every operation, with 3-D Secure and disputes.
import { type Fact, type PaymentEvent, paymentCategory } from '../../../src/domain/payment/events.ts';
import { AWKWARD_NAMES, AWKWARD_TEXT, DEEP, LARGE, MAX } from './awkward.ts';
import { AT, type Scenario, scenario } from './scenario.ts';

const DAY_MS = 86_400_000;
const eur = (amount: number) => ({ amount, currencyCode: 'EUR' });
const place = { connectionId: 'sandbox', network: 'VISA' };
const told = { source: 'answer' as const, sentAt: AT };
const looked = { source: 'lookup' as const, sentAt: AT + 60_000, occurredAt: AT + 1, detail: AWKWARD_TEXT };
const notified = { source: 'notification' as const, notificationId: AWKWARD_TEXT, occurredAt: AT - 1 };
const vouched = { source: 'operator' as const, detail: AWKWARD_TEXT };

const reference = '0'.repeat(31);
const times = { requestedAt: AT, sendBy: AT + 5_000, nextLookUpAt: AT + 30_000 };
const requested = (attemptId: string) => ({
  attemptId,
  reference: `${reference}${attemptId.length}deadbeef`,
  ...times,
});
const succeeded = (attemptId: string, amount: number) => ({
  attemptId,
  evidence: told,
  processorTransactionId: `txn-${attemptId}`,
  ...eur(amount),
  ...place,
});
const declined = (attemptId: string) => ({
  attemptId,
  evidence: notified,
  code: 'a_code_of_another_year',
  declineType: 'HARD' as const,
  processorTransactionId: '',
  ...eur(1),
  ...place,
});

const method = {
  paymentMethodToken: 'pm_paid',
  paymentMethodType: 'PAYMENT_CARD' as const,
  paymentMethodData: {
    network: 'VISA' as const,
    first6Digits: '424242',
    last4Digits: '4242',
    expirationMonth: '12',
    expirationYear: '2030',
    cardholderName: AWKWARD_TEXT,
  },
  isVaulted: false,
  vaultOnSuccess: false,
  authorizationType: 'FINAL' as const,
  captureMode: 'MANUAL' as const,
};
const terms = {
  accountId: 'acc_golden',
  createdAt: AT,
  orderId: 'o-1',
  currencyCode: 'EUR',
  amount: 1_000,
  paymentMethod: method,
};
const created: PaymentEvent = { type: 'PaymentCreated', data: terms };
const route = { processor: 'sandbox', connectionId: 'sandbox', processorToken: 'tok_1' };
const prepared: PaymentEvent = {
  type: 'AuthorizationPrepared',
  data: {
    attemptId: 'p.a',
    evidence: told,
    processorTransactionId: 'txn-a',
    sendBy: AT + 7_000,
    nextLookUpAt: AT + 32_000,
  },
};
const asked: PaymentEvent = { type: 'AuthorizationRequested', data: { ...requested('p.a'), ...eur(1_000), ...route } };
const authorized: PaymentEvent = { type: 'PaymentAuthorized', data: succeeded('p.a', 1_000) };
const capture = (attemptId: string, amount: number, final = false): PaymentEvent => ({
  type: 'CaptureRequested',
  data: { ...requested(attemptId), ...eur(amount), final },
});
const captured = (attemptId: string, amount: number): PaymentEvent => ({
  type: 'PaymentCaptured',
  data: succeeded(attemptId, amount),
});
const refund = (attemptId: string, amount: number): PaymentEvent => ({
  type: 'RefundRequested',
  data: {
    ...requested(attemptId),
    ...eur(amount),
    refundId: `re_${attemptId}`,
    orderId: '',
    reason: AWKWARD_TEXT,
    allocations: [{ attemptId: 'p.c', amount }],
  },
});
const cancel = (attemptId: string): PaymentEvent => ({
  type: 'CancellationRequested',
  data: { ...requested(attemptId), reason: '' },
});
const adjust = (attemptId: string, amount: number): PaymentEvent => ({
  type: 'AdjustmentRequested',
  data: { ...requested(attemptId), ...eur(amount) },
});

/** Every member of a creation, with values that today's rules of requests refuse. */
const everything: PaymentEvent = {
  type: 'PaymentCreated',
  data: {
    ...terms,
    sessionId: 'cs_everything',
    orderId: '',
    currencyCode: 'DEM',
    amount: MAX,
    customerId: AWKWARD_TEXT,
    customer: { emailAddress: 'no at sign', billingAddress: { countryCode: 'DD' } },
    order: { lineItems: [{ amount: MAX, productType: 'SERVICE', name: AWKWARD_TEXT }] },
    metadata: { ...AWKWARD_NAMES, large: LARGE, ...DEEP },
    returnUrl: 'no url',
    paymentMethod: {
      ...method,
      fingerprint: 'f'.repeat(64),
      isVaulted: true,
      vaultOnSuccess: true,
      descriptor: '',
      paymentType: 'SUBSCRIPTION',
      authorizationType: 'ESTIMATED',
      captureMode: 'AUTOMATIC',
    },
  },
};

const dispute = (
  disputeId: string,
  amount: number,
  currencyCode = 'EUR',
  round: Pick<Fact<'DisputeOpened'>['data'], 'round' | 'type'> = { round: 1, type: 'DISPUTE' },
): PaymentEvent => ({
  type: 'DisputeOpened',
  data: {
    disputeId,
    ...round,
    processorDisputeId: `dp-${disputeId}`,
    amount,
    currencyCode,
    ...place,
    openedAt: AT,
    evidence: notified,
  },
});
const ended = { evidence: notified };

/**
 * An operation whose first try ends in every way that leaves it open, and then in a refusal; the others never reach the
 * processor.
 */
const troubled = (
  word: 'Authorization' | 'Capture' | 'Cancellation' | 'Refund' | 'Adjustment',
  operation: 'authorization' | 'capture' | 'cancellation' | 'refund' | 'adjustment',
  before: readonly PaymentEvent[],
  request: (attemptId: string) => PaymentEvent,
): Scenario =>
  scenario<PaymentEvent>(paymentCategory, `pay_troubled_${operation}`, [
    created,
    ...before,
    request('p.1'),
    {
      type: `${word}OutcomeUnknown`,
      data: { attemptId: 'p.1', evidence: { ...told, detail: AWKWARD_TEXT }, nextLookUpAt: AT + 30_000 },
    },
    {
      type: 'LookUpRecorded',
      data: { attemptId: 'p.1', operation, answer: 'not_found', evidence: looked, nextLookUpAt: AT + 60_000 },
    },
    {
      type: 'LookUpRecorded',
      data: { attemptId: 'p.1', operation, answer: 'unreachable', evidence: looked, nextLookUpAt: AT + 120_000 },
    },
    {
      type: `${word}Pending`,
      data: { attemptId: 'p.1', evidence: looked, processorTransactionId: AWKWARD_TEXT, nextLookUpAt: AT + 240_000 },
    },
    { type: `${word}Declined`, data: declined('p.1') },
    request('p.2'),
    { type: `${word}NotSent`, data: { attemptId: 'p.2', evidence: { source: 'answer', detail: '' }, retryAt: AT + 1 } },
    request('p.3'),
    { type: `${word}NotFound`, data: { attemptId: 'p.3', evidence: looked } },
  ]);

export const paymentScenarios: readonly Scenario[] = [
  scenario<PaymentEvent>(paymentCategory, 'pay_abandoned', [
    { type: 'PaymentAbandoned', data: { accountId: 'acc_golden' } },
  ]),
  scenario<PaymentEvent>(paymentCategory, 'pay_everything', [
    everything,
    { type: 'AuthorizationRequested', data: { ...requested('p.a'), amount: MAX, currencyCode: 'DEM', ...route } },
    {
      type: 'PaymentAuthorized',
      data: {
        ...succeeded('p.a', MAX),
        currencyCode: 'DEM',
        avsResult: 'A_RESULT_OF_ANOTHER_YEAR',
        cvcResult: 'MATCH',
        threeDSecure: AWKWARD_NAMES,
        holdExpiresAt: AT + 7 * DAY_MS,
      },
    },
    { type: 'VaultingRecorded', data: { paymentMethodToken: 'pm_vaulted' } },
    {
      type: 'CaptureRequested',
      data: {
        ...requested('p.a-capture'),
        amount: MAX,
        currencyCode: 'DEM',
        final: true,
        metadata: { '': null },
        follows: { attemptId: 'p.a', because: 'automatic_capture' },
      },
    },
    { type: 'PaymentCaptured', data: { ...succeeded('p.a-capture', MAX), currencyCode: 'DEM' } },
  ]),
  scenario<PaymentEvent>(paymentCategory, 'pay_settled', [
    created,
    asked,
    authorized,
    { type: 'VaultingRecorded', data: { refused: 'Conflict' } },
    adjust('p.j', 1_200),
    { type: 'AuthorizationAdjusted', data: succeeded('p.j', 1_200) },
    capture('p.c', 700),
    captured('p.c', 700),
    capture('p.d', 300, true),
    captured('p.d', 300),
    refund('p.r', 600),
    { type: 'RefundSucceeded', data: succeeded('p.r', 600) },
    refund('p.s', 100),
    { type: 'RefundSucceeded', data: succeeded('p.s', 100) },
    {
      type: 'RefundReturned',
      data: { attemptId: 'p.s', ...eur(100), ...place, evidence: notified, code: 'closed', declineType: 'HARD' },
    },
    { type: 'CaptureReturned', data: { attemptId: 'p.c', ...eur(700), ...place, evidence: looked } },
    { type: 'OverRefundAccepted', data: { ...eur(300), evidence: vouched } },
  ]),
  scenario<PaymentEvent>(paymentCategory, 'pay_disputed_2', [
    created,
    asked,
    authorized,
    capture('p.c', 1_000),
    captured('p.c', 1_000),
    {
      type: 'DisputeOpened',
      data: {
        round: 1,
        type: 'DISPUTE',
        disputeId: 'd-1',
        processorDisputeId: AWKWARD_TEXT,
        attemptId: 'p.c',
        ...eur(400),
        ...place,
        reason: 'fraudulent',
        reasonCode: '10.4',
        openedAt: AT,
        challengeRequiredBy: AT + 10 * DAY_MS,
        evidence: notified,
      },
    },
    {
      type: 'DisputeEvidenceSubmitted',
      data: { disputeId: 'd-1', submission: AWKWARD_NAMES, submitted: false, evidence: vouched },
    },
    {
      type: 'DisputeEvidenceSubmitted',
      data: { disputeId: 'd-1', submission: {}, submitted: true, evidence: vouched },
    },
    { type: 'DisputeWon', data: { disputeId: 'd-1', ...ended } },
    dispute('d-2', 100),
    { type: 'DisputeLost', data: { disputeId: 'd-2', ...ended } },
    dispute('d-3', 200),
    { type: 'DisputeAccepted', data: { disputeId: 'd-3', evidence: vouched } },
    dispute('d-4', 300),
    { type: 'DisputeExpired', data: { disputeId: 'd-4', ...ended } },
    dispute('d-5', 50),
  ]),
  scenario<PaymentEvent>(paymentCategory, 'pay_dispute_answered_2', [
    created,
    asked,
    authorized,
    capture('p.c', 1_000),
    captured('p.c', 1_000),
    dispute('d-1', 400),
    { type: 'DisputeEvidenceDrafted', data: { disputeId: 'd-1', submission: { text: AWKWARD_TEXT } } },
    {
      type: 'DisputeEvidenceDrafted',
      data: {
        disputeId: 'd-1',
        submission: { text: '', customerEmail: AWKWARD_TEXT, shippingTrackingNumber: AWKWARD_TEXT },
      },
    },
    ...(['evidence', 'evidence', 'acceptance', 'evidence'] as const).flatMap(
      (answer, place): readonly PaymentEvent[] => {
        const answered = { disputeId: 'd-1', answerId: `p.${place}` };
        const begun: PaymentEvent = {
          type: 'DisputeAnswerRequested',
          data: { ...answered, reference: `${reference}${place}deadbeef`, answer, ...times },
        };
        const look: PaymentEvent = {
          type: 'DisputeLookUpRecorded',
          data: {
            ...answered,
            answer: place === 0 ? 'not_found' : 'unreachable',
            evidence: looked,
            nextLookUpAt: AT + DAY_MS,
          },
        };
        const lost: PaymentEvent = {
          type: 'DisputeAnswerOutcomeUnknown',
          data: { ...answered, evidence: told, nextLookUpAt: AT + 30_000 },
        };
        const ends: readonly PaymentEvent[] = [
          { type: 'DisputeAnswerNotFound', data: { ...answered, evidence: looked } },
          { type: 'DisputeAnswerNotSent', data: { ...answered, evidence: { source: 'answer', detail: AWKWARD_TEXT } } },
          {
            type: 'DisputeAnswerDeclined',
            data: { ...answered, evidence: told, code: AWKWARD_TEXT, declineType: 'SOFT' },
          },
          { type: 'DisputeAnswerPending', data: { ...answered, evidence: told, nextLookUpAt: AT + 30_000 } },
        ];
        return [begun, lost, look, ...ends.slice(place, place + 1)];
      },
    ),
    {
      type: 'DisputeEvidenceSubmitted',
      data: { disputeId: 'd-1', submission: { text: AWKWARD_TEXT }, submitted: true, evidence: notified },
    },
    { type: 'DisputeLost', data: { disputeId: 'd-1', ...ended } },
    { type: 'DisputeWon', data: { disputeId: 'd-1', evidence: { ...notified, occurredAt: AT + 7 } } },
  ]),
  scenario<PaymentEvent>(paymentCategory, 'pay_dispute_overdue_2', [
    created,
    asked,
    authorized,
    capture('p.c', 1_000),
    captured('p.c', 1_000),
    dispute('d-1', 400),
    ...(['still_open', 'unreachable'] as const).map(
      (answer): PaymentEvent => ({
        type: 'DisputeLookUpRecorded',
        data: { disputeId: 'd-1', answer, evidence: looked, nextLookUpAt: AT + DAY_MS },
      }),
    ),
    { type: 'DisputeExpired', data: { disputeId: 'd-1', evidence: { source: 'clock', occurredAt: AT + 7 } } },
    { type: 'DisputeExpired', data: { disputeId: 'd-1', evidence: looked } },
    dispute('d-2', 100),
    { type: 'DisputeExpired', data: { disputeId: 'd-2', evidence: { source: 'clock', occurredAt: MAX } } },
    {
      type: 'DisputeEvidenceSubmitted',
      data: { disputeId: 'd-2', submission: {}, submitted: true, evidence: notified },
    },
    { type: 'DisputeWon', data: { disputeId: 'd-2', evidence: looked } },
  ]),
  scenario<PaymentEvent>(paymentCategory, 'pay_dispute_rounds', [
    created,
    asked,
    authorized,
    capture('p.c', 1_000),
    captured('p.c', 1_000),
    dispute('d-1', 400, 'EUR', { round: 1, type: 'RETRIEVAL' }),
    { type: 'DisputeWon', data: { disputeId: 'd-1', evidence: looked } },
    dispute('d-1', 300, 'EUR', { round: 2, type: 'DISPUTE' }),
    { type: 'DisputeLost', data: { disputeId: 'd-1', ...ended } },
    dispute('d-1', 300, 'EUR', { round: 3, type: 'APPEAL' }),
    {
      type: 'DisputeEvidenceSubmitted',
      data: { disputeId: 'd-1', submission: {}, submitted: true, evidence: notified },
    },
    dispute('d-2', 100),
    {
      type: 'DisputePrevented',
      data: { disputeId: 'd-2', ...eur(100), refunds: [AWKWARD_TEXT], ...ended },
    },
    dispute('d-3', 50),
    { type: 'DisputePrevented', data: { disputeId: 'd-3', ...eur(0), refunds: [], ...ended } },
  ]),
  scenario<PaymentEvent>(paymentCategory, 'pay_dispute_challenged_2', [
    created,
    asked,
    authorized,
    capture('p.c', 1_000),
    captured('p.c', 1_000),
    dispute('d-1', 400),
    {
      type: 'DisputeEvidenceSubmitted',
      data: {
        disputeId: 'd-1',
        submission: { text: AWKWARD_TEXT },
        submitted: true,
        evidence: notified,
        nextLookUpAt: AT + DAY_MS,
      },
    },
    ...(['undecided', 'unreachable', 'untold'] as const).map(
      (answer): PaymentEvent => ({
        type: 'DisputeLookUpRecorded',
        data: { disputeId: 'd-1', answer, evidence: looked, nextLookUpAt: AT + 2 * DAY_MS },
      }),
    ),
    dispute('d-2', 100),
    {
      type: 'DisputeEvidenceSubmitted',
      data: { disputeId: 'd-2', submission: {}, submitted: true, evidence: looked, nextLookUpAt: AT + 9 },
    },
    { type: 'DisputeLost', data: { disputeId: 'd-2', evidence: looked } },
    dispute('d-3', 100),
    {
      type: 'DisputeEvidenceSubmitted',
      data: { disputeId: 'd-3', submission: {}, submitted: true, evidence: { source: 'answer' } },
    },
  ]),
  ...(['encrypted', 'erased'] as const).map((key) =>
    scenario<PaymentEvent>(
      paymentCategory,
      `pay_${key}_2`,
      [
        {
          type: 'PaymentCreated',
          data: {
            ...terms,
            customerId: 'customer-1',
            customer: { firstName: 'Ada', emailAddress: 'ada@shop.example' },
            emailHash: '0'.repeat(32),
          },
        },
        asked,
        authorized,
        capture('p.c', 1_000),
        captured('p.c', 1_000),
        dispute('d-1', 100),
        { type: 'DisputeEvidenceDrafted', data: { disputeId: 'd-1', submission: { text: 'It was delivered.' } } },
        {
          type: 'DisputeEvidenceSubmitted',
          data: { disputeId: 'd-1', submission: { text: 'Delivered.' }, submitted: true, evidence: looked },
        },
        { type: 'DisputeLost', data: { disputeId: 'd-1', evidence: looked } },
        ...(key === 'erased' ? [{ type: 'CustomerErased' as const, data: { erasedAt: AT } }] : []),
      ],
      `${key}-1`,
    ),
  ),
  scenario<PaymentEvent>(paymentCategory, 'pay_disputed_abroad_2', [
    created,
    asked,
    authorized,
    capture('p.c', 1_000),
    captured('p.c', 1_000),
    { type: 'AuthorizationExpired', data: { ...place, evidence: notified } },
    dispute('d-1', 100),
    dispute('d-2', 7, 'USD'),
  ]),
  scenario<PaymentEvent>(paymentCategory, 'pay_told_again', [
    created,
    asked,
    authorized,
    capture('p.c', 700),
    captured('p.c', 700),
    {
      type: 'OutcomeRepeated',
      data: { attemptId: 'p.c', operation: 'capture', evidence: { ...notified, occurredAt: AT + 5 } },
    },
    refund('p.r', 100),
    {
      type: 'RefundDeclined',
      data: { attemptId: 'p.r', evidence: notified, code: 'closed', declineType: 'HARD', ...eur(100), ...place },
    },
    {
      type: 'OutcomeRepeated',
      data: {
        attemptId: 'p.r',
        operation: 'refund',
        evidence: { ...notified, occurredAt: MAX },
        code: AWKWARD_TEXT,
        declineType: 'SOFT',
      },
    },
    refund('p.s', 200),
    { type: 'RefundSucceeded', data: succeeded('p.s', 200) },
    {
      type: 'RefundReturned',
      data: { attemptId: 'p.s', ...eur(200), ...place, evidence: notified, code: 'closed', declineType: 'HARD' },
    },
    { type: 'OutcomeRepeated', data: { attemptId: 'p.s', operation: 'refund', evidence: notified } },
  ]),
  scenario<PaymentEvent>(paymentCategory, 'pay_authenticated', [
    created,
    asked,
    {
      type: 'CustomerActionRequired',
      data: {
        attemptId: 'p.a',
        evidence: told,
        action: { kind: 'redirect', url: 'https://bank.example/3ds?x=😀' },
        processorTransactionId: 'txn-a',
        resumeTokenHash: 'f'.repeat(64),
        expiresAt: AT + 900_000,
      },
    },
    {
      type: 'AuthenticationCompleted',
      data: {
        attemptId: 'p.a',
        evidence: told,
        threeDSecure: { version: '2.2.0', eci: '05', other: AWKWARD_NAMES },
        nextLookUpAt: AT + 60_000,
      },
    },
    authorized,
  ]),
  scenario<PaymentEvent>(paymentCategory, 'pay_not_authenticated', [
    created,
    asked,
    {
      type: 'CustomerActionRequired',
      data: {
        attemptId: 'p.a',
        evidence: told,
        action: { kind: 'sdk', data: AWKWARD_NAMES },
        processorTransactionId: 'txn-a',
        resumeTokenHash: '',
        expiresAt: AT + 900_000,
      },
    },
    { type: 'CustomerActionExpired', data: { attemptId: 'p.a' } },
    { type: 'AttemptFenced', data: { attemptId: 'p.a', operation: 'authorization', evidence: looked } },
  ]),
  scenario<PaymentEvent>(paymentCategory, 'pay_action_given_up', [
    created,
    asked,
    {
      type: 'CustomerActionRequired',
      data: {
        attemptId: 'p.a',
        evidence: told,
        action: { kind: 'redirect', url: 'https://bank.example/challenge' },
        processorTransactionId: 'txn-a',
        resumeTokenHash: 'hash',
        expiresAt: AT + 3_600_000,
      },
    },
    { type: 'CustomerActionGivenUp', data: { attemptId: 'p.a', nextLookUpAt: AT + 90_000 } },
    { type: 'AttemptFenced', data: { attemptId: 'p.a', operation: 'authorization', evidence: looked } },
    { type: 'PaymentCancelled', data: { attemptId: 'p.a-given-up' } },
    { type: 'CustomerActionExpired', data: { attemptId: 'p.a' } },
  ]),
  scenario<PaymentEvent>(paymentCategory, 'pay_asked_to_authenticate', [
    created,
    asked,
    {
      type: 'AuthorizationDeclined',
      data: { ...declined('p.a'), code: 'AUTHENTICATION_REQUIRED', declineType: 'SOFT', retriedAs: 'p.a-3ds' },
    },
    {
      type: 'AuthorizationRequested',
      data: {
        ...requested('p.a-3ds'),
        ...eur(1_000),
        ...route,
        follows: { attemptId: 'p.a', because: 'authentication_required' },
        threeDSecure: 'ask',
      },
    },
    {
      type: 'CustomerActionRequired',
      data: {
        attemptId: 'p.a-3ds',
        evidence: told,
        action: { kind: 'redirect', url: 'https://bank.example/3ds' },
        processorTransactionId: 'txn-a-3ds',
        resumeTokenHash: 'e'.repeat(64),
        expiresAt: AT + 3_600_000,
      },
    },
    { type: 'AuthorizationResumed', data: { attemptId: 'p.a-3ds', sendBy: AT + 65_000, nextLookUpAt: AT + 90_000 } },
    {
      type: 'AuthenticationCompleted',
      data: {
        attemptId: 'p.a-3ds',
        evidence: told,
        threeDSecure: { responseCode: 'AUTH_SUCCESS', protocolVersion: '2.2.0', challengeIssued: true, eci: '05' },
        nextLookUpAt: AT + 90_000,
      },
    },
    { type: 'PaymentAuthorized', data: succeeded('p.a-3ds', 1_000) },
    // The first attempt succeeds after all: it is held beside the second, and voided.
    {
      type: 'LateSuccessRecorded',
      data: { ...succeeded('p.a', 1_000), operation: 'authorization', evidence: notified },
    },
    {
      type: 'CancellationRequested',
      data: { ...requested('p.a-void'), follows: { attemptId: 'p.a', because: 'late_success' } },
    },
    {
      type: 'AuthorizationVoided',
      data: { attemptId: 'p.a-void', evidence: told, processorTransactionId: 'txn-void', ...place },
    },
  ]),
  // The first connection was not asked, the second one refuses, and the first succeeds after all.
  scenario<PaymentEvent>(paymentCategory, 'pay_routed', [
    created,
    {
      type: 'RouteChosen',
      data: {
        attemptId: 'p.a',
        version: 1,
        rule: 'large in euro',
        connectionId: 'sandbox',
        skipped: [{ connectionId: 'con_third', because: 'circuit_open' }],
        fallback: {
          connections: [{ processor: 'sandbox', connectionId: 'con_golden', processorToken: 'tok_2', prepares: true }],
          on: ['NOT_SENT', 'SOFT'],
          never: ['SUSPECTED_FRAUD'],
          mostAttempts: 3,
        },
      },
    },
    asked,
    { type: 'AuthorizationNotSent', data: { attemptId: 'p.a', evidence: told, retriedAs: 'p.a-2' } },
    {
      type: 'RouteChosen',
      data: { attemptId: 'p.a-2', version: 1, rule: 'large in euro', connectionId: 'con_golden', skipped: [] },
    },
    {
      type: 'AuthorizationRequested',
      data: {
        ...requested('p.a-2'),
        ...eur(1_000),
        ...route,
        connectionId: 'con_golden',
        processorToken: 'tok_2',
        follows: { attemptId: 'p.a', because: 'fallback' },
      },
    },
    { type: 'AuthorizationDeclined', data: declined('p.a-2') },
    {
      type: 'LateSuccessRecorded',
      data: { ...succeeded('p.a', 1_000), operation: 'authorization', evidence: notified },
    },
    {
      type: 'CancellationRequested',
      data: { ...requested('p.a-void'), follows: { attemptId: 'p.a', because: 'late_success' } },
    },
  ]),
  scenario<PaymentEvent>(paymentCategory, 'pay_routed_by_name', [
    created,
    {
      type: 'RouteChosen',
      data: {
        attemptId: 'p.a',
        version: 3,
        rule: 'default',
        connectionId: 'con_golden',
        connectionName: 'second',
        skipped: [
          { connectionId: 'con_third', connectionName: 'third', because: 'currency_not_supported' },
          { connectionId: 'sandbox', connectionName: 'sandbox', because: 'separate_capture_not_supported' },
        ],
        fallback: {
          connections: [
            { processor: 'sandbox', connectionId: 'con_4', connectionName: AWKWARD_TEXT, processorToken: 'tok_4' },
          ],
          on: ['SOFT'],
          never: [],
          mostAttempts: 2,
        },
      },
    },
    asked,
    { type: 'AuthorizationDeclined', data: declined('p.a') },
  ]),
  scenario<PaymentEvent>(paymentCategory, 'pay_prepared', [
    created,
    { type: 'AuthorizationRequested', data: { ...requested('p.a'), ...eur(1_000), ...route, prepares: true } },
    prepared,
    { type: 'PaymentAuthorized', data: succeeded('p.a', 1_000) },
  ]),
  // Nobody knows whether it was confirmed; the fence found that it was, and took it back.
  scenario<PaymentEvent>(paymentCategory, 'pay_released', [
    created,
    { type: 'AuthorizationRequested', data: { ...requested('p.a'), ...eur(1_000), ...route, prepares: true } },
    prepared,
    { type: 'AuthorizationOutcomeUnknown', data: { attemptId: 'p.a', evidence: told, nextLookUpAt: AT + 90_000 } },
    { type: 'AttemptFenced', data: { attemptId: 'p.a', operation: 'authorization', evidence: looked } },
    { type: 'AuthorizationNotFound', data: { attemptId: 'p.a', evidence: looked } },
    {
      type: 'LateSuccessRecorded',
      data: { ...succeeded('p.a', 1_000), operation: 'authorization', evidence: looked },
    },
    {
      type: 'CancellationRequested',
      data: { ...requested('p.a-void'), follows: { attemptId: 'p.a', because: 'late_success' } },
    },
    {
      type: 'AuthorizationVoided',
      data: { attemptId: 'p.a-void', evidence: looked, processorTransactionId: 'txn-a', ...place },
    },
  ]),
  scenario<PaymentEvent>(paymentCategory, 'pay_late', [
    created,
    asked,
    { type: 'AuthorizationDeclined', data: declined('p.a') },
    {
      type: 'LateSuccessRecorded',
      data: { ...succeeded('p.a', 1_000), operation: 'authorization', evidence: notified },
    },
    {
      type: 'CancellationRequested',
      data: { ...requested('p.a-void'), follows: { attemptId: 'p.a', because: 'late_success' } },
    },
    {
      type: 'AuthorizationVoided',
      data: { attemptId: 'p.a-void', evidence: told, processorTransactionId: 'txn-void', ...eur(1_000), ...place },
    },
  ]),
  scenario<PaymentEvent>(paymentCategory, 'pay_mismatched', [
    created,
    asked,
    authorized,
    capture('p.c', 1_000),
    {
      type: 'MismatchRecorded',
      data: { ...succeeded('p.c', 0.5), operation: 'capture', currencyCode: '', nextLookUpAt: AT + 60_000 },
    },
    {
      type: 'SuccessConfirmed',
      data: {
        ...succeeded('p.a', 1_000),
        operation: 'authorization',
        vouchedAmount: 1_000,
        avsResult: 'MATCH',
        evidence: notified,
      },
    },
  ]),
  scenario<PaymentEvent>(paymentCategory, 'pay_mismatch_found', [
    created,
    asked,
    authorized,
    capture('p.c', 1_000),
    {
      type: 'MismatchRecorded',
      data: { ...succeeded('p.c', 1_000), operation: 'capture', currencyCode: 'USD', evidence: looked },
    },
  ]),
  scenario<PaymentEvent>(paymentCategory, 'pay_cancelled', [
    created,
    asked,
    { type: 'CancellationIntended', data: { attemptId: 'p.v', reason: AWKWARD_TEXT } },
    authorized,
    cancel('p.v'),
    { type: 'AuthorizationVoided', data: { attemptId: 'p.v', evidence: told, processorTransactionId: '', ...place } },
  ]),
  scenario<PaymentEvent>(paymentCategory, 'pay_cancelled_while_waiting', [
    created,
    asked,
    {
      type: 'CustomerActionRequired',
      data: {
        attemptId: 'p.a',
        evidence: told,
        action: { kind: 'redirect', url: 'https://bank.example/waits' },
        processorTransactionId: 'txn-a',
        resumeTokenHash: 'hash',
        expiresAt: AT + 3_600_000,
      },
    },
    { type: 'CancellationIntended', data: { attemptId: 'p.v', nextLookUpAt: AT + 30_000 } },
  ]),
  scenario<PaymentEvent>(paymentCategory, 'pay_shown', [
    {
      type: 'PaymentCreated',
      data: { ...terms, sessionId: 'cs_shown', shown: { amount: 1_000, currencyCode: 'EUR' } },
    },
    asked,
    authorized,
  ]),
  scenario<PaymentEvent>(paymentCategory, 'pay_of_a_customer', [
    {
      type: 'PaymentCreated',
      data: {
        ...terms,
        customerId: AWKWARD_TEXT,
        customer: { firstName: AWKWARD_TEXT, emailAddress: 'ada@shop.example' },
        emailHash: '0'.repeat(32),
      },
    },
    asked,
    authorized,
  ]),
  scenario<PaymentEvent>(paymentCategory, 'pay_of_a_period', [
    {
      type: 'PaymentCreated',
      data: {
        ...terms,
        agreement: { agreementId: 'agr_golden', periodKey: AWKWARD_TEXT, try: 2 },
        paymentMethod: { ...method, isVaulted: true, paymentType: 'SUBSCRIPTION' },
      },
    },
    { type: 'AuthorizationRequested', data: { ...requested('p.a'), ...eur(1_000), ...route, offSession: true } },
    authorized,
  ]),
  scenario<PaymentEvent>(paymentCategory, 'pay_of_a_period_8', [
    {
      type: 'PaymentCreated',
      data: {
        ...terms,
        agreement: {
          agreementId: 'agr_golden',
          periodKey: '2026-02',
          try: 1,
          kind: 'INSTALLMENT',
          networkTransactionId: 'MCC123456',
          transactionLinkId: 'uY3-kDm_0000000000000a',
        },
        paymentMethod: { ...method, isVaulted: true, paymentType: 'SUBSCRIPTION' },
      },
    },
    { type: 'AuthorizationRequested', data: { ...requested('p.a'), ...eur(1_000), ...route, offSession: true } },
    {
      type: 'AuthorizationDeclined',
      data: {
        attemptId: 'p.a',
        evidence: { source: 'answer', sentAt: AT },
        code: 'INSUFFICIENT_FUNDS',
        declineType: 'SOFT',
        networkCode: '51',
        networkAdviceCode: '24',
        ...place,
        advice: 'RETRY_LATER',
        ...eur(1_000),
      },
    },
  ]),
  scenario<PaymentEvent>(paymentCategory, 'pay_for_an_agreement', [
    { type: 'PaymentCreated', data: { ...terms, sessionId: 'cs_agreed', forAgreement: 'agr_checkout' } },
    asked,
    authorized,
  ]),
  scenario<PaymentEvent>(paymentCategory, 'pay_charged_later', [
    {
      type: 'PaymentCreated',
      data: { ...terms, paymentMethod: { ...method, isVaulted: true, paymentType: 'UNSCHEDULED' } },
    },
    { type: 'AuthorizationRequested', data: { ...requested('p.a'), ...eur(1_000), ...route, offSession: true } },
    authorized,
  ]),
  scenario<PaymentEvent>(paymentCategory, 'pay_captured_twice', [
    created,
    asked,
    {
      type: 'PaymentAuthorized',
      data: { ...succeeded('p.a', 1_000), possible: { multipleCaptures: true, adjustment: false } },
    },
    capture('p.c', 400),
    captured('p.c', 400),
    capture('p.d', 600),
    captured('p.d', 600),
  ]),
  scenario<PaymentEvent>(paymentCategory, 'pay_cancelled_before', [
    created,
    asked,
    { type: 'AuthorizationNotSent', data: { attemptId: 'p.a', evidence: told } },
    { type: 'PaymentCancelled', data: { attemptId: 'p.v', reason: '' } },
  ]),
  scenario<PaymentEvent>(paymentCategory, 'pay_expired', [
    created,
    asked,
    authorized,
    capture('p.c', 400),
    captured('p.c', 400),
    { type: 'AuthorizationExpired', data: { ...eur(600), ...place, evidence: notified } },
  ]),
  troubled('Authorization', 'authorization', [], (attemptId) => ({
    type: 'AuthorizationRequested',
    data: { ...requested(attemptId), ...eur(1_000), ...route },
  })),
  troubled('Capture', 'capture', [asked, authorized], (attemptId) => capture(attemptId, 100)),
  troubled('Cancellation', 'cancellation', [asked, authorized], cancel),
  troubled('Refund', 'refund', [asked, authorized, capture('p.c', 1_000), captured('p.c', 1_000)], (attemptId) =>
    refund(attemptId, 100),
  ),
  troubled('Adjustment', 'adjustment', [asked, authorized], (attemptId) => adjust(attemptId, 1_500)),
];
