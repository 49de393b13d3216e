// Scenarios of the cards whose customers dispute what they paid, by the id of their row in the sandbox's table.
import type { Scenario, Step } from './scenario.ts';

const PAID: Step = ['pay', '200 AUTHORIZED', 'PaymentCreated AuthorizationRequested PaymentAuthorized/answer'];
const CAPTURED: Step = ['capture', '200 SETTLED', 'CaptureRequested PaymentCaptured/answer'];
const AUTHORIZATION = 'authorization succeeded 1000 EUR';
const CAPTURE = 'capture succeeded 1000 EUR';

export const disputeCards: { readonly [card: string]: Scenario | readonly Scenario[] } = {
  disputed: {
    steps: [
      PAID,
      CAPTURED,
      ['after 4s', 'SETTLED'],
      ['after 1s', 'SETTLED, dispute OPEN', 'DisputeOpened/notification', 'dispute.opened 202'],
      ['refund', '409 PaymentDisputed'],
    ],
    ledger: [AUTHORIZATION, CAPTURE, 'dispute open 1000 EUR'],
    money: [1_000, 1_000, 0],
  },
  'disputed-after-refund': {
    steps: [
      PAID,
      CAPTURED,
      ['refund', '200 SETTLED, refund SETTLED', 'RefundRequested RefundSucceeded/answer'],
      ['after 5s', 'SETTLED, refund SETTLED, dispute OPEN', 'DisputeOpened/notification', 'dispute.opened 202'],
    ],
    ledger: [AUTHORIZATION, CAPTURE, 'refund succeeded 1000 EUR', 'dispute open 1000 EUR'],
    money: [1_000, 1_000, 1_000],
  },
  'disputed-and-decided': {
    steps: [
      PAID,
      ['capture {"amount": 400, "final": false}', '200 PARTIALLY_SETTLED', 'CaptureRequested PaymentCaptured/answer'],
      ['after 1s', 'PARTIALLY_SETTLED'],
      ['capture', '200 SETTLED', 'CaptureRequested PaymentCaptured/answer'],
      ['after 4s', 'SETTLED, dispute OPEN', 'DisputeOpened/notification', 'dispute.opened 202'],
      ['after 1s', 'SETTLED, dispute OPEN, dispute OPEN', 'DisputeOpened/notification', 'dispute.opened 202'],
    ],
    ledger: [AUTHORIZATION, 'capture succeeded 400 EUR', 'dispute open 400 EUR', 'capture succeeded 600 EUR', 'dispute open 600 EUR'],
    money: [1_000, 1_000, 0],
  },
};
