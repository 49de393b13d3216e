// Scenarios of rules of faults on answers to disputes, by a name: each with a card whose customers dispute what they
// paid.
import { DONE, IN_VAIN, NOT_SENT, rule, rules } from './rules.ts';
import type { Scenario, Step } from './scenario.ts';
import { AUTHORIZATION, CAPTURE, CAPTURED, OPENED, PAID, DISPUTE_TOLD as TOLD } from './steps.ts';

const EVIDENCE = 'evidence {"text": "delivered", "submit": true}';
const ASKED = 'DisputeEvidenceDrafted DisputeAnswerRequested';
const UNKNOWN = `${ASKED} DisputeAnswerOutcomeUnknown/answer`;
const HANGS = { phase: 'before_effect', fault: 'hang' };
const NOT_FOUND: readonly Step[] = [
  ['after 30s', 'SETTLED, dispute OPEN', 'DisputeLookUpRecorded/lookup'],
  ['after 5m', 'SETTLED, dispute OPEN', 'DisputeAnswerNotFound/lookup'],
];
const money = [1_000, 1_000, 0] as const;
const disputed = (outcome: string): readonly string[] => [AUTHORIZATION, CAPTURE, `dispute ${outcome} 1000 EUR`];

export const disputeRules: { readonly [name: string]: Scenario } = {
  // The first: of scenarios before it no dispute expires meanwhile.
  'an answer that never arrived has not succeeded when the dispute expires': {
    ...rules(rule('dispute_answer', HANGS), {
      match: { operation: 'look_up' },
      do: { phase: 'before_effect', fault: '503' },
    }),
    steps: [
      PAID,
      CAPTURED,
      OPENED,
      ['after 6d', 'SETTLED, dispute OPEN'],
      [EVIDENCE, '202 SETTLED, dispute OPEN', UNKNOWN],
      ['after 30s', 'SETTLED, dispute OPEN', 'DisputeLookUpRecorded/lookup'],
      // Whether the notification or the look-up of that day is first.
      ['after 1d', 'SETTLED, dispute EXPIRED', 'DisputeLookUpRecorded/lookup DisputeExpired/notification', TOLD],
    ],
    ledger: disputed('expired'),
    money,
  },
  'evidence that is not sent leaves the dispute open, and is sent again': {
    ...rules(rule('dispute_answer', NOT_SENT)),
    steps: [
      PAID,
      CAPTURED,
      OPENED,
      [EVIDENCE, '503 ServiceUnavailable GATEWAY_UNAVAILABLE', `${ASKED} DisputeAnswerNotSent/answer`],
      [EVIDENCE, '200 SETTLED, dispute CHALLENGED', 'DisputeAnswerRequested DisputeEvidenceSubmitted/answer', TOLD],
    ],
    ledger: disputed('challenged'),
    money,
  },
  'an acceptance that is not sent leaves the dispute open, and is sent again': {
    ...rules(rule('dispute_answer', NOT_SENT)),
    steps: [
      PAID,
      CAPTURED,
      OPENED,
      ['accept', '503 ServiceUnavailable GATEWAY_UNAVAILABLE', 'DisputeAnswerRequested DisputeAnswerNotSent/answer'],
      ['accept', '200 SETTLED, dispute ACCEPTED', 'DisputeAnswerRequested DisputeAccepted/answer', TOLD],
    ],
    ledger: disputed('accepted'),
    money,
  },
  'evidence that never arrives is not found after the window, and another answer is possible then': {
    ...rules(rule('dispute_answer', HANGS)),
    steps: [
      PAID,
      CAPTURED,
      OPENED,
      [EVIDENCE, '202 SETTLED, dispute OPEN', UNKNOWN],
      ['accept', '409 PaymentOperationInProgress'],
      ...NOT_FOUND,
      ['accept', '200 SETTLED, dispute ACCEPTED', 'DisputeAnswerRequested DisputeAccepted/answer', TOLD],
    ],
    ledger: disputed('accepted'),
    money,
  },
  'evidence without effect is not found after the window': {
    ...rules(rule('dispute_answer', IN_VAIN)),
    steps: [PAID, CAPTURED, OPENED, [EVIDENCE, '202 SETTLED, dispute OPEN', UNKNOWN], ...NOT_FOUND],
    ledger: disputed('open'),
    money,
  },
  'evidence whose answer is lost is told by the notification': {
    ...rules(rule('dispute_answer', DONE)),
    steps: [
      PAID,
      CAPTURED,
      OPENED,
      // The notification arrives a moment later.
      [EVIDENCE, '202 SETTLED, dispute OPEN', `${UNKNOWN} DisputeEvidenceSubmitted/notification`, TOLD],
      ['after 1s', 'SETTLED, dispute CHALLENGED'],
    ],
    ledger: disputed('challenged'),
    money,
  },
};
