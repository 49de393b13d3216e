// Scenarios of the cards that are about captures and refunds, by the id of their row in the sandbox's table.
import type { Scenario } from './scenario.ts';
import { AUTHORIZATION, CAPTURE, CAPTURED, PAID } from './steps.ts';

export const captureAndRefundCards: { readonly [card: string]: Scenario } = {
  'captures-less': {
    steps: [
      PAID,
      ['capture', '200 PARTIALLY_SETTLED', 'CaptureRequested PaymentCaptured/answer'],
      ['refund {"amount": 901}', '422 UnprocessableRefundAmount'],
      ['refund', '200 PARTIALLY_SETTLED, refund SETTLED', 'RefundRequested RefundSucceeded/answer'],
    ],
    ledger: [AUTHORIZATION, 'capture succeeded 900 EUR', 'refund succeeded 900 EUR'],
    money: [1_000, 900, 900],
  },
  'second-capture-declined': {
    steps: [
      PAID,
      ['capture {"amount": 400, "final": false}', '200 PARTIALLY_SETTLED', 'CaptureRequested PaymentCaptured/answer'],
      ['capture', '422 CaptureDeclined GENERIC_DECLINE', 'CaptureRequested CaptureDeclined/answer'],
      ['after 1s', 'PARTIALLY_SETTLED GENERIC_DECLINE'],
      ['cancel', '200 PARTIALLY_SETTLED', 'CancellationRequested AuthorizationVoided/answer'],
    ],
    ledger: [AUTHORIZATION, 'capture succeeded 400 EUR', 'capture declined 600 EUR', 'cancellation succeeded 0 EUR'],
    money: [1_000, 400, 0],
  },
  'capture-later-succeeds': {
    steps: [
      PAID,
      ['capture', '200 SETTLING', 'CaptureRequested CapturePending/answer'],
      ['capture', '409 PaymentOperationInProgress'],
      ['cancel', '409 PaymentOperationInProgress'],
      ['refund', '409 PaymentOperationInProgress'],
      ['after 5s', 'SETTLED', 'PaymentCaptured/notification', 'capture.succeeded 202'],
    ],
    ledger: [AUTHORIZATION, CAPTURE],
    money: [1_000, 1_000, 0],
  },
  'capture-later-fails': {
    steps: [
      PAID,
      ['capture', '200 SETTLING', 'CaptureRequested CapturePending/answer'],
      ['after 5s', 'AUTHORIZED PROCESSING_ERROR', 'CaptureDeclined/notification', 'capture.failed 202'],
      ['cancel', '200 CANCELLED', 'CancellationRequested AuthorizationVoided/answer'],
    ],
    ledger: [AUTHORIZATION, 'capture declined 1000 EUR', 'cancellation succeeded 0 EUR'],
    money: [1_000, 0, 0],
  },
  'captures-other-currency': {
    steps: [
      PAID,
      // Never believed: nothing is captured, and nothing else can be done until somebody has cleared it up.
      ['capture', '202 AUTHORIZED APPLICATION_ERROR', 'CaptureRequested MismatchRecorded/answer'],
      ['cancel', '409 PaymentOperationInProgress'],
      ['after 30s', 'AUTHORIZED APPLICATION_ERROR', 'MismatchRecorded/lookup'],
      ['after 5m', 'AUTHORIZED APPLICATION_ERROR'],
      ['diff', 'equal, 1 open'],
    ],
    ledger: [AUTHORIZATION, 'capture succeeded 1000 USD'],
    money: [1_000, 0, 0],
    open: 1,
  },
  'refund-declined': {
    steps: [
      PAID,
      CAPTURED,
      ['refund {"amount": 400}', '422 RefundDeclined GENERIC_DECLINE', 'RefundRequested RefundDeclined/answer'],
      ['after 1s', 'SETTLED, refund FAILED GENERIC_DECLINE'],
    ],
    ledger: [AUTHORIZATION, CAPTURE, 'refund declined 400 EUR'],
    money: [1_000, 1_000, 0],
  },
  'refund-fails-after-days': {
    steps: [
      PAID,
      CAPTURED,
      ['refund', '200 SETTLED, refund PENDING', 'RefundRequested RefundPending/answer'],
      ['refund', '409 PaymentAlreadyRefunded'],
      ['after 2d', 'SETTLED, refund PENDING', 'LookUpRecorded/lookup'],
      // A look-up is due, too: either may be first.
      ['after 1d', 'SETTLED, refund FAILED GENERIC_DECLINE', 'RefundDeclined/notification|lookup', 'refund.failed 202'],
    ],
    ledger: [AUTHORIZATION, CAPTURE, 'refund declined 1000 EUR'],
    money: [1_000, 1_000, 0],
  },
  'refund-later-succeeds': {
    steps: [
      PAID,
      CAPTURED,
      ['refund {"amount": 400}', '200 SETTLED, refund PENDING', 'RefundRequested RefundPending/answer'],
      ['refund {"amount": 601}', '422 UnprocessableRefundAmount'],
      ['after 5s', 'SETTLED, refund SETTLED', 'RefundSucceeded/notification', 'refund.succeeded 202'],
    ],
    ledger: [AUTHORIZATION, CAPTURE, 'refund succeeded 400 EUR'],
    money: [1_000, 1_000, 400],
  },
};
