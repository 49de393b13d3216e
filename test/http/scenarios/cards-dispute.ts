// Scenarios of the cards whose customers dispute what they paid, by the id of their row in the sandbox's table.
import type { Scenario } from './scenario.ts';
import { AUTHORIZATION, CAPTURE, CAPTURED, OPENED, PAID, DISPUTE_TOLD as TOLD } from './steps.ts';

const CHALLENGE = 'DisputeEvidenceDrafted DisputeAnswerRequested DisputeEvidenceSubmitted/answer';

export const disputeCards: { readonly [card: string]: Scenario | readonly Scenario[] } = {
  disputed: [
    {
      steps: [
        PAID,
        CAPTURED,
        ['after 4s', 'SETTLED'],
        ['after 1s', 'SETTLED, dispute OPEN', 'DisputeOpened/notification', 'dispute.opened 202'],
        ['refund', '409 PaymentDisputed'],
        ['evidence {"text": "sent", "submit": false}', '200 SETTLED, dispute OPEN', 'DisputeEvidenceDrafted'],
        ['accept', '200 SETTLED, dispute ACCEPTED', 'DisputeAnswerRequested DisputeAccepted/answer', TOLD],
        ['evidence {"text": "sent", "submit": true}', '400 InvalidDisputeStatus'],
        ['refund', '409 PaymentDisputed'],
      ],
      ledger: [AUTHORIZATION, CAPTURE, 'dispute accepted 1000 EUR'],
      money: [1_000, 1_000, 0],
    },
    {
      steps: [
        PAID,
        CAPTURED,
        OPENED,
        // By the look-up at the time that the processor named, or by its notification: either may be first.
        ['after 7d', 'SETTLED, dispute EXPIRED', 'DisputeExpired/notification|lookup', TOLD],
        ['evidence {"text": "sent", "submit": true}', '400 InvalidDisputeStatus'],
        ['accept', '400 InvalidDisputeStatus'],
      ],
      ledger: [AUTHORIZATION, CAPTURE, 'dispute expired 1000 EUR'],
      money: [1_000, 1_000, 0],
    },
    {
      steps: [
        PAID,
        CAPTURED,
        OPENED,
        ['evidence {"text": "win", "submit": true}', '200 SETTLED, dispute CHALLENGED', CHALLENGE, TOLD],
        ['after 59d', 'SETTLED, dispute CHALLENGED', 'DisputeLookUpRecorded/lookup'],
        ['after 1d', 'SETTLED, dispute LOST', 'DisputeLost/notification', TOLD],
      ],
      ledger: [AUTHORIZATION, CAPTURE, 'dispute lost 1000 EUR'],
      money: [1_000, 1_000, 0],
    },
  ],
  'dispute-prevented': {
    steps: [
      PAID,
      CAPTURED,
      [
        'after 5s',
        'SETTLED, dispute PREVENTED',
        'DisputeOpened/notification DisputePrevented/notification',
        'dispute.opened 202',
      ],
      ['refund', '409 PaymentDisputed'],
      ['accept', '400 InvalidDisputeStatus'],
    ],
    ledger: [AUTHORIZATION, CAPTURE, 'dispute prevented 1000 EUR'],
    money: [1_000, 1_000, 0],
  },
  'disputed-in-rounds': {
    steps: [
      PAID,
      CAPTURED,
      OPENED,
      ['evidence {"text": "escalate", "submit": true}', '200 SETTLED, dispute CHALLENGED', CHALLENGE, TOLD],
      ['after 5s', 'SETTLED, dispute WON', 'DisputeWon/notification', TOLD],
      ['after 5s', 'SETTLED, dispute OPEN', 'DisputeOpened/notification', 'dispute.opened 202'],
      ['evidence {"text": "win", "submit": true}', '200 SETTLED, dispute CHALLENGED', CHALLENGE, TOLD],
      ['after 5s', 'SETTLED, dispute WON', 'DisputeWon/notification', TOLD],
    ],
    ledger: [AUTHORIZATION, CAPTURE, 'dispute won 1000 EUR'],
    money: [1_000, 1_000, 0],
  },
  'disputed-after-refund': {
    steps: [
      PAID,
      CAPTURED,
      ['refund', '200 SETTLED, refund SETTLED', 'RefundRequested RefundSucceeded/answer'],
      ['after 5s', 'SETTLED, refund SETTLED, dispute OPEN', 'DisputeOpened/notification', 'dispute.opened 202'],
      ['refund', '409 PaymentAlreadyRefunded'],
    ],
    ledger: [AUTHORIZATION, CAPTURE, 'refund succeeded 1000 EUR', 'dispute open 1000 EUR'],
    money: [1_000, 1_000, 1_000],
  },
  'disputed-and-decided': [
    {
      steps: [
        PAID,
        CAPTURED,
        OPENED,
        ['evidence {"text": "We win this.", "submit": true}', '200 SETTLED, dispute CHALLENGED', CHALLENGE, TOLD],
        ['refund {"amount": 400}', '409 PaymentDisputed'],
        ['accept', '400 InvalidDisputeStatus'],
        ['after 5s', 'SETTLED, dispute WON', 'DisputeWon/notification', TOLD],
        [
          'refund {"amount": 400}',
          '200 SETTLED, refund SETTLED, dispute WON',
          'RefundRequested RefundSucceeded/answer',
        ],
      ],
      ledger: [AUTHORIZATION, CAPTURE, 'dispute won 1000 EUR', 'refund succeeded 400 EUR'],
      money: [1_000, 1_000, 400],
    },
    {
      steps: [
        PAID,
        ['capture {"amount": 400, "final": false}', '200 PARTIALLY_SETTLED', 'CaptureRequested PaymentCaptured/answer'],
        ['after 1s', 'PARTIALLY_SETTLED'],
        ['capture', '200 SETTLED', 'CaptureRequested PaymentCaptured/answer'],
        ['after 4s', 'SETTLED, dispute OPEN', 'DisputeOpened/notification', 'dispute.opened 202'],
        [
          'refund {"amount": 600}',
          '200 SETTLED, refund SETTLED, dispute OPEN',
          'RefundRequested RefundSucceeded/answer',
        ],
        [
          'after 1s',
          'SETTLED, refund SETTLED, dispute OPEN, dispute OPEN',
          'DisputeOpened/notification',
          'dispute.opened 202',
        ],
        [
          'evidence {"text": "lose", "submit": true}',
          '200 SETTLED, refund SETTLED, dispute OPEN, dispute CHALLENGED',
          CHALLENGE,
          TOLD,
        ],
        ['after 5s', 'SETTLED, refund SETTLED, dispute OPEN, dispute LOST', 'DisputeLost/notification', TOLD],
      ],
      ledger: [
        AUTHORIZATION,
        'capture succeeded 400 EUR',
        'dispute open 400 EUR',
        'capture succeeded 600 EUR',
        'dispute lost 600 EUR',
        'refund succeeded 600 EUR',
      ],
      money: [1_000, 1_000, 600],
    },
  ],
};
