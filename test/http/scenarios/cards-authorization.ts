// Scenarios of the cards that are about authorizations, by the id of their row in the sandbox's table.
import type { Scenario } from './scenario.ts';

const AUTHORIZED = 'PaymentCreated AuthorizationRequested PaymentAuthorized/answer';
const CAPTURED = 'CaptureRequested PaymentCaptured/answer';
const ONE_AUTHORIZATION = ['authorization succeeded 1000 EUR'];
const AND_A_CAPTURE = [...ONE_AUTHORIZATION, 'capture succeeded 1000 EUR'];

const declined = (code: string): Scenario => ({
  steps: [
    ['pay', `200 DECLINED ${code}`, 'PaymentCreated AuthorizationRequested AuthorizationDeclined/answer'],
    ['capture', '400 InvalidPaymentStatus'],
    ['refund', '400 InvalidPaymentStatus'],
    ['cancel', '400 InvalidPaymentStatus'],
    ['after 30d', `DECLINED ${code}`],
  ],
  ledger: ['authorization declined 1000 EUR'],
  money: [0, 0, 0],
});

/** The network has a word about the card ten days after a payment that saves it, and none after this one. */
const APPROVED_ONLY: Scenario = {
  steps: [
    ['pay', '200 AUTHORIZED', AUTHORIZED],
    ['after 11d', 'AUTHORIZED'],
  ],
  ledger: ONE_AUTHORIZATION,
  money: [1_000, 0, 0],
};

/** A list: one for each number of the row, or all of them for the only one. */
export const authorizationCards: { readonly [card: string]: Scenario | readonly Scenario[] } = {
  'expiry-updated': APPROVED_ONLY,
  'number-updated': APPROVED_ONLY,
  'closed-later': APPROVED_ONLY,
  approved: [
    {
      steps: [
        ['pay', '200 AUTHORIZED', AUTHORIZED],
        ['capture {"amount": 400, "final": false}', '200 PARTIALLY_SETTLED', CAPTURED],
        ['capture {"amount": 601}', '422 UnprocessableCaptureAmount'],
        ['capture', '200 SETTLED', CAPTURED],
        ['refund {"amount": 300}', '200 SETTLED, refund SETTLED', 'RefundRequested RefundSucceeded/answer'],
        ['refund {"amount": 701}', '422 UnprocessableRefundAmount'],
        ['refund', '200 SETTLED, refund SETTLED, refund SETTLED', 'RefundRequested RefundSucceeded/answer'],
        ['refund', '409 PaymentAlreadyRefunded'],
      ],
      ledger: [
        ...ONE_AUTHORIZATION,
        'capture succeeded 400 EUR',
        'capture succeeded 600 EUR',
        'refund succeeded 300 EUR',
        'refund succeeded 700 EUR',
      ],
      money: [1_000, 1_000, 1_000],
    },
    {
      steps: [
        ['pay', '200 AUTHORIZED', AUTHORIZED],
        ['cancel', '200 CANCELLED', 'CancellationRequested AuthorizationVoided/answer'],
        ['capture', '400 InvalidPaymentStatus'],
      ],
      ledger: [...ONE_AUTHORIZATION, 'cancellation succeeded 0 EUR'],
      money: [1_000, 0, 0],
    },
    {
      steps: [
        ['pay {"paymentMethod": {"authorizationType": "ESTIMATED"}}', '200 AUTHORIZED', AUTHORIZED],
        ['adjust {"amount": 1500}', '200 AUTHORIZED', 'AdjustmentRequested AuthorizationAdjusted/answer'],
        ['capture {"amount": 1200}', '200 PARTIALLY_SETTLED', CAPTURED],
        ['capture', '400 InvalidPaymentStatus'],
      ],
      ledger: [...ONE_AUTHORIZATION, 'adjustment succeeded 1500 EUR', 'capture succeeded 1200 EUR'],
      money: [1_500, 1_200, 0],
    },
    {
      steps: [['pay {"paymentMethod": {"captureMode": "AUTOMATIC"}}', '200 SETTLED', `${AUTHORIZED} ${CAPTURED}`]],
      ledger: AND_A_CAPTURE,
      money: [1_000, 1_000, 0],
    },
  ],
  'generic-decline': declined('GENERIC_DECLINE'),
  'insufficient-funds': declined('INSUFFICIENT_FUNDS'),
  'lost-card': declined('LOST_CARD'),
  'stolen-card': declined('STOLEN_CARD'),
  'expired-card': declined('EXPIRED_CARD'),
  'incorrect-cvc': declined('INCORRECT_CVC'),
  'processing-error': declined('PROCESSING_ERROR'),
  'fails-when-charged': {
    steps: [
      ['vault', '200 MULTI_USE'],
      ['pay', '200 DECLINED GENERIC_DECLINE', 'PaymentCreated AuthorizationRequested AuthorizationDeclined/answer'],
    ],
    ledger: ['authorization declined 1000 EUR'],
    money: [0, 0, 0],
  },
  'pending-then-authorized': [
    {
      steps: [
        ['pay', '200 PENDING', 'PaymentCreated AuthorizationRequested AuthorizationPending/answer'],
        ['capture', '409 PaymentOperationInProgress'],
        ['after 5s', 'AUTHORIZED', 'PaymentAuthorized/notification', 'authorization.succeeded 202'],
        ['capture', '200 SETTLED', CAPTURED],
      ],
      ledger: AND_A_CAPTURE,
      money: [1_000, 1_000, 0],
    },
    {
      steps: [
        ['pay', '200 PENDING', 'PaymentCreated AuthorizationRequested AuthorizationPending/answer'],
        ['cancel', '202 PENDING', 'CancellationIntended'],
        [
          'after 5s',
          'CANCELLED',
          'PaymentAuthorized/notification CancellationRequested AuthorizationVoided/answer',
          'authorization.succeeded 202',
        ],
      ],
      ledger: [...ONE_AUTHORIZATION, 'cancellation succeeded 0 EUR'],
      money: [1_000, 0, 0],
    },
  ],
  'pending-then-declined': {
    steps: [
      ['pay', '200 PENDING', 'PaymentCreated AuthorizationRequested AuthorizationPending/answer'],
      ['after 5s', 'DECLINED GENERIC_DECLINE', 'AuthorizationDeclined/notification', 'authorization.failed 202'],
      ['capture', '400 InvalidPaymentStatus'],
    ],
    ledger: ['authorization declined 1000 EUR'],
    money: [0, 0, 0],
  },
  'pending-without-notification': {
    steps: [
      ['pay', '200 PENDING', 'PaymentCreated AuthorizationRequested AuthorizationPending/answer'],
      ['after 25s', 'PENDING'],
      ['after 5s', 'AUTHORIZED', 'PaymentAuthorized/lookup'],
      ['capture', '200 SETTLED', CAPTURED],
    ],
    ledger: AND_A_CAPTURE,
    money: [1_000, 1_000, 0],
  },
  'authorization-expires': [
    {
      steps: [
        ['pay', '200 AUTHORIZED', AUTHORIZED],
        ['after 6d', 'AUTHORIZED'],
        ['after 1d', 'CANCELLED', 'AuthorizationExpired/lookup', 'authorization.expired 202'],
        ['capture', '400 InvalidPaymentStatus'],
      ],
      ledger: ONE_AUTHORIZATION,
      money: [1_000, 0, 0],
    },
    {
      steps: [
        ['pay', '200 AUTHORIZED', AUTHORIZED],
        ['capture {"amount": 400, "final": false}', '200 PARTIALLY_SETTLED', CAPTURED],
        ['after 7d', 'PARTIALLY_SETTLED', 'AuthorizationExpired/lookup', 'authorization.expired 202'],
        ['capture', '400 InvalidPaymentStatus'],
        ['refund', '200 PARTIALLY_SETTLED, refund SETTLED', 'RefundRequested RefundSucceeded/answer'],
      ],
      ledger: [...ONE_AUTHORIZATION, 'capture succeeded 400 EUR', 'refund succeeded 400 EUR'],
      money: [1_000, 400, 400],
    },
    {
      steps: [
        ['pay', '200 AUTHORIZED', AUTHORIZED],
        ['capture', '200 SETTLED', CAPTURED],
        ['after 7d', 'SETTLED'], // no hold is left to expire
      ],
      ledger: AND_A_CAPTURE,
      money: [1_000, 1_000, 0],
    },
  ],
};
