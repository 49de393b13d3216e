// Scenarios of the cards whose authorizations get no answer, by the id of their row in the sandbox's table.
import type { Scenario } from './scenario.ts';

const CAPTURED = 'CaptureRequested PaymentCaptured/answer';
const UNKNOWN = 'PaymentCreated AuthorizationRequested AuthorizationOutcomeUnknown/answer';
const ONE_AUTHORIZATION = ['authorization succeeded 1000 EUR'];
const AND_A_CAPTURE = [...ONE_AUTHORIZATION, 'capture succeeded 1000 EUR'];

export const unknownCards: { readonly [card: string]: Scenario | readonly Scenario[] } = {
  'timeout-after-effect': [
    {
      steps: [
        ['pay', '202 PENDING GATEWAY_TIMEOUT', UNKNOWN],
        ['after 30s', 'AUTHORIZED', 'PaymentAuthorized/lookup'],
        ['capture', '200 SETTLED', CAPTURED],
        ['refund', '200 SETTLED, refund SETTLED', 'RefundRequested RefundSucceeded/answer'],
      ],
      ledger: [...AND_A_CAPTURE, 'refund succeeded 1000 EUR'],
      money: [1_000, 1_000, 1_000],
    },
    {
      steps: [
        ['pay', '202 PENDING GATEWAY_TIMEOUT', UNKNOWN],
        // Looked up after the wish, so that the cancelled authorization is known.
        [
          'cancel',
          '200 CANCELLED',
          'CancellationIntended PaymentAuthorized/lookup CancellationRequested AuthorizationVoided/answer',
        ],
      ],
      ledger: [...ONE_AUTHORIZATION, 'cancellation succeeded 0 EUR'],
      money: [1_000, 0, 0],
    },
  ],
  'timeout-without-effect': {
    steps: [
      ['pay', '202 PENDING GATEWAY_TIMEOUT', UNKNOWN],
      ['capture', '409 PaymentOperationInProgress'],
      ['after 30s', 'PENDING GATEWAY_TIMEOUT', 'LookUpRecorded/lookup'], // not found, which proves nothing yet
      ['after 5m', 'FAILED GATEWAY_TIMEOUT', 'AttemptFenced/lookup AuthorizationNotFound/lookup'],
      ['capture', '400 InvalidPaymentStatus'],
    ],
    ledger: [],
    money: [0, 0, 0],
  },
  'timeout-then-found': [
    {
      steps: [
        ['pay', '202 PENDING GATEWAY_TIMEOUT', UNKNOWN],
        ['diff', 'equal, 1 open'],
        ['after 30s', 'PENDING GATEWAY_TIMEOUT', 'LookUpRecorded/lookup'], // not found, although the money has moved
        ['capture', '409 PaymentOperationInProgress'],
        ['after 5m', 'AUTHORIZED', 'PaymentAuthorized/lookup'],
        ['capture', '200 SETTLED', CAPTURED],
      ],
      ledger: AND_A_CAPTURE,
      money: [1_000, 1_000, 0],
    },
    {
      steps: [
        ['pay', '202 PENDING GATEWAY_TIMEOUT', UNKNOWN],
        ['cancel', '202 PENDING GATEWAY_TIMEOUT', 'CancellationIntended'],
        ['after 30s', 'PENDING GATEWAY_TIMEOUT', 'LookUpRecorded/lookup'],
        ['after 5m', 'CANCELLED', 'PaymentAuthorized/lookup CancellationRequested AuthorizationVoided/answer'],
      ],
      ledger: [...ONE_AUTHORIZATION, 'cancellation succeeded 0 EUR'],
      money: [1_000, 0, 0],
    },
  ],
  'error-after-effect': {
    steps: [
      ['pay', '202 PENDING GATEWAY_TIMEOUT', UNKNOWN],
      // The processor is asked before anything new is tried.
      ['capture', '200 SETTLED', `PaymentAuthorized/lookup ${CAPTURED}`],
    ],
    ledger: AND_A_CAPTURE,
    money: [1_000, 1_000, 0],
  },
  'connection-refused': {
    steps: [
      ['pay', '200 FAILED GATEWAY_UNAVAILABLE', 'PaymentCreated AuthorizationRequested AuthorizationNotSent/answer'],
      ['capture', '400 InvalidPaymentStatus'],
    ],
    ledger: [],
    money: [0, 0, 0],
  },
};
