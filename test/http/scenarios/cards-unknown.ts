// Scenarios of the cards whose authorizations get no answer, by the id of their row in the sandbox's table.
import type { Scenario } from './scenario.ts';

const CAPTURED = 'CaptureRequested AttemptSucceeded/answer';
const UNKNOWN = 'PaymentCreated AuthorizationRequested AttemptUnknown/answer';
const ONE_AUTHORIZATION = ['authorization succeeded 1000 EUR'];
const AND_A_CAPTURE = [...ONE_AUTHORIZATION, 'capture succeeded 1000 EUR'];

export const unknownCards: { readonly [card: string]: Scenario | readonly Scenario[] } = {
  'timeout-after-effect': [
    {
      steps: [
        ['pay', '202 PENDING GATEWAY_TIMEOUT', UNKNOWN],
        ['after 30s', 'AUTHORIZED', 'AttemptSucceeded/lookup'],
        ['capture', '200 SETTLED', CAPTURED],
        ['refund', '200 SETTLED, refund SETTLED', 'RefundRequested AttemptSucceeded/answer'],
      ],
      ledger: [...AND_A_CAPTURE, 'refund succeeded 1000 EUR'],
      money: [1_000, 1_000, 1_000],
    },
    {
      steps: [
        ['pay', '202 PENDING GATEWAY_TIMEOUT', UNKNOWN],
        // Asked first, so that what is cancelled is known.
        ['cancel', '200 CANCELLED', 'AttemptSucceeded/lookup CancellationRequested AttemptSucceeded/answer'],
      ],
      ledger: [...ONE_AUTHORIZATION, 'cancellation succeeded 0 EUR'],
      money: [1_000, 0, 0],
    },
  ],
  'timeout-without-effect': {
    steps: [
      ['pay', '202 PENDING GATEWAY_TIMEOUT', UNKNOWN],
      ['capture', '409 PaymentOperationInProgress'],
      ['after 30s', 'PENDING GATEWAY_TIMEOUT', 'LookUpScheduled/lookup'], // not found, and that is no evidence yet
      ['after 5m', 'FAILED GATEWAY_TIMEOUT', 'AttemptNotFound/lookup'],
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
        ['after 30s', 'PENDING GATEWAY_TIMEOUT', 'LookUpScheduled/lookup'], // not found, although the money has moved
        ['capture', '409 PaymentOperationInProgress'],
        ['after 5m', 'AUTHORIZED', 'AttemptSucceeded/lookup'],
        ['capture', '200 SETTLED', CAPTURED],
      ],
      ledger: AND_A_CAPTURE,
      money: [1_000, 1_000, 0],
    },
    {
      steps: [
        ['pay', '202 PENDING GATEWAY_TIMEOUT', UNKNOWN],
        ['cancel', '202 PENDING GATEWAY_TIMEOUT', 'CancellationIntended'],
        ['after 30s', 'PENDING GATEWAY_TIMEOUT', 'LookUpScheduled/lookup'],
        ['after 5m', 'CANCELLED', 'AttemptSucceeded/lookup CancellationRequested AttemptSucceeded/answer'],
      ],
      ledger: [...ONE_AUTHORIZATION, 'cancellation succeeded 0 EUR'],
      money: [1_000, 0, 0],
    },
  ],
  'error-after-effect': {
    steps: [
      ['pay', '202 PENDING GATEWAY_TIMEOUT', UNKNOWN],
      // The processor is asked before anything new is tried.
      ['capture', '200 SETTLED', `AttemptSucceeded/lookup ${CAPTURED}`],
    ],
    ledger: AND_A_CAPTURE,
    money: [1_000, 1_000, 0],
  },
  'connection-refused': {
    steps: [
      ['pay', '200 FAILED GATEWAY_UNAVAILABLE', 'PaymentCreated AuthorizationRequested AttemptNotSent/answer'],
      ['capture', '400 InvalidPaymentStatus'],
    ],
    ledger: [],
    money: [0, 0, 0],
  },
};
