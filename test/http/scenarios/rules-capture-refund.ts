// Scenarios of rules of faults on captures and refunds, by a name.
import { DONE, IN_VAIN, NOT_SENT, rule, rules } from './rules.ts';
import type { Scenario } from './scenario.ts';
import { AUTHORIZATION, CAPTURE, CAPTURED, PAID } from './steps.ts';

const captures: { readonly [name: string]: Scenario } = {
  'a capture that is not sent is refused, and can be asked for again': {
    ...rules(rule('capture', NOT_SENT)),
    steps: [
      PAID,
      ['capture', '422 CaptureDeclined GATEWAY_UNAVAILABLE', 'CaptureRequested CaptureNotSent/answer'],
      CAPTURED,
    ],
    ledger: [AUTHORIZATION, CAPTURE],
    money: [1_000, 1_000, 0],
  },
  'a capture that is lost before it happened holds the payment up until that is known': {
    ...rules(rule('capture', IN_VAIN)),
    steps: [
      PAID,
      ['capture', '202 AUTHORIZED GATEWAY_TIMEOUT', 'CaptureRequested CaptureOutcomeUnknown/answer'],
      ['capture', '409 PaymentOperationInProgress'],
      ['cancel', '409 PaymentOperationInProgress'],
      ['after 30s', 'AUTHORIZED GATEWAY_TIMEOUT', 'LookUpRecorded/lookup'],
      ['after 5m', 'AUTHORIZED GATEWAY_TIMEOUT', 'AttemptFenced/lookup CaptureNotFound/lookup'],
      CAPTURED,
    ],
    ledger: [AUTHORIZATION, CAPTURE],
    money: [1_000, 1_000, 0],
  },
  'a capture with a lost answer is found, and the amount is captured once': {
    ...rules(rule('capture', DONE)),
    steps: [
      PAID,
      [
        'capture {"amount": 400, "final": false}',
        '202 AUTHORIZED GATEWAY_TIMEOUT',
        'CaptureRequested CaptureOutcomeUnknown/answer',
      ],
      ['diff', 'equal, 1 open'],
      ['capture', '200 SETTLED', 'PaymentCaptured/lookup CaptureRequested PaymentCaptured/answer'],
    ],
    ledger: [AUTHORIZATION, 'capture succeeded 400 EUR', 'capture succeeded 600 EUR'],
    money: [1_000, 1_000, 0],
  },
  'an automatic capture whose answer is lost is found': {
    ...rules(rule('capture', DONE)),
    steps: [
      [
        'pay {"paymentMethod": {"captureMode": "AUTOMATIC"}}',
        '202 AUTHORIZED GATEWAY_TIMEOUT',
        'PaymentCreated AuthorizationRequested PaymentAuthorized/answer CaptureRequested CaptureOutcomeUnknown/answer',
      ],
      ['after 30s', 'SETTLED', 'PaymentCaptured/lookup'],
    ],
    ledger: [AUTHORIZATION, CAPTURE],
    money: [1_000, 1_000, 0],
  },
  'a capture that is answered with more than was asked is not believed, and booked as the look-up has it': {
    ...rules(rule('capture', { phase: 'during_reply', fault: 'wrong_amount' })),
    steps: [
      PAID,
      ['capture', '202 AUTHORIZED APPLICATION_ERROR', 'CaptureRequested MismatchRecorded/answer'],
      ['after 30s', 'SETTLED', 'PaymentCaptured/lookup'],
    ],
    ledger: [AUTHORIZATION, CAPTURE],
    money: [1_000, 1_000, 0],
  },
};

const refunds: { readonly [name: string]: Scenario } = {
  'a refund that is not sent releases its reservation': {
    ...rules(rule('refund', NOT_SENT)),
    steps: [
      PAID,
      CAPTURED,
      ['refund', '422 RefundDeclined GATEWAY_UNAVAILABLE', 'RefundRequested RefundNotSent/answer'],
      [
        'refund',
        '200 SETTLED, refund FAILED GATEWAY_UNAVAILABLE, refund SETTLED',
        'RefundRequested RefundSucceeded/answer',
      ],
    ],
    ledger: [AUTHORIZATION, CAPTURE, 'refund succeeded 1000 EUR'],
    money: [1_000, 1_000, 1_000],
  },
  'a refund that is lost before it happened keeps its part reserved until that is known': {
    ...rules(rule('refund', IN_VAIN)),
    steps: [
      PAID,
      CAPTURED,
      [
        'refund {"amount": 700}',
        '202 SETTLED GATEWAY_TIMEOUT, refund PENDING GATEWAY_TIMEOUT',
        'RefundRequested RefundOutcomeUnknown/answer',
      ],
      ['refund {"amount": 301}', '422 UnprocessableRefundAmount'],
      ['after 30s', 'SETTLED GATEWAY_TIMEOUT, refund PENDING GATEWAY_TIMEOUT', 'LookUpRecorded/lookup'],
      ['after 5m', 'SETTLED, refund FAILED GATEWAY_TIMEOUT', 'AttemptFenced/lookup RefundNotFound/lookup'],
    ],
    ledger: [AUTHORIZATION, CAPTURE],
    money: [1_000, 1_000, 0],
  },
  'a refund whose answer is lost is found, while another one passes': {
    ...rules(rule('refund', DONE)),
    steps: [
      PAID,
      CAPTURED,
      [
        'refund {"amount": 700}',
        '202 SETTLED GATEWAY_TIMEOUT, refund PENDING GATEWAY_TIMEOUT',
        'RefundRequested RefundOutcomeUnknown/answer',
      ],
      [
        'refund',
        '200 SETTLED, refund SETTLED, refund SETTLED',
        'RefundSucceeded/lookup RefundRequested RefundSucceeded/answer',
      ],
    ],
    ledger: [AUTHORIZATION, CAPTURE, 'refund succeeded 700 EUR', 'refund succeeded 300 EUR'],
    money: [1_000, 1_000, 1_000],
  },
  'a refund that is answered in another currency is not believed, and booked as the look-up has it': {
    ...rules(rule('refund', { phase: 'during_reply', fault: 'wrong_currency' })),
    steps: [
      PAID,
      CAPTURED,
      [
        'refund',
        '202 SETTLED APPLICATION_ERROR, refund PENDING APPLICATION_ERROR',
        'RefundRequested MismatchRecorded/answer',
      ],
      ['after 30s', 'SETTLED, refund SETTLED', 'RefundSucceeded/lookup'],
    ],
    ledger: [AUTHORIZATION, CAPTURE, 'refund succeeded 1000 EUR'],
    money: [1_000, 1_000, 1_000],
  },
  'the second refund alone is struck by a rule with nth': {
    faults: { rules: [{ match: { operation: 'refund', nth: 2 }, do: NOT_SENT }] },
    steps: [
      PAID,
      CAPTURED,
      ['refund {"amount": 100}', '200 SETTLED, refund SETTLED', 'RefundRequested RefundSucceeded/answer'],
      ['refund {"amount": 100}', '422 RefundDeclined GATEWAY_UNAVAILABLE', 'RefundRequested RefundNotSent/answer'],
      [
        'refund {"amount": 100}',
        '200 SETTLED, refund SETTLED, refund FAILED GATEWAY_UNAVAILABLE, refund SETTLED',
        'RefundRequested RefundSucceeded/answer',
      ],
    ],
    ledger: [AUTHORIZATION, CAPTURE, 'refund succeeded 100 EUR', 'refund succeeded 100 EUR'],
    money: [1_000, 1_000, 200],
  },
};

export const captureAndRefundRules: { readonly [name: string]: Scenario } = { ...captures, ...refunds };
