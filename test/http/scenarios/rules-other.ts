// Scenarios of rules of faults on cancellations, adjustments, look-ups, tokenizations and notifications, by a name.
import { DONE, IN_VAIN, NOT_SENT, rule, rules } from './rules.ts';
import type { Scenario } from './scenario.ts';
import { AUTHORIZATION, CAPTURE, CAPTURED, ESTIMATED, PAID, UNKNOWN, VOID } from './steps.ts';

const otherChanges: { readonly [name: string]: Scenario } = {
  'a cancellation that is not sent leaves the payment authorized': {
    ...rules(rule('cancellation', NOT_SENT)),
    steps: [
      PAID,
      ['cancel', '422 CancellationDeclined GATEWAY_UNAVAILABLE', 'CancellationRequested CancellationNotSent/answer'],
      ['cancel', '200 CANCELLED', 'CancellationRequested AuthorizationVoided/answer'],
    ],
    ledger: [AUTHORIZATION, VOID],
    money: [1_000, 0, 0],
  },
  'a cancellation whose answer is lost is found': {
    ...rules(rule('cancellation', DONE)),
    steps: [
      PAID,
      ['cancel', '202 AUTHORIZED GATEWAY_TIMEOUT', 'CancellationRequested CancellationOutcomeUnknown/answer'],
      ['after 30s', 'CANCELLED', 'AuthorizationVoided/lookup'],
    ],
    ledger: [AUTHORIZATION, VOID],
    money: [1_000, 0, 0],
  },
  'an adjustment whose answer is lost is found': {
    ...rules(rule('adjustment', DONE)),
    steps: [
      ESTIMATED,
      [
        'adjust {"amount": 1500}',
        '202 AUTHORIZED GATEWAY_TIMEOUT',
        'AdjustmentRequested AdjustmentOutcomeUnknown/answer',
      ],
      ['after 30s', 'AUTHORIZED', 'AuthorizationAdjusted/lookup'],
    ],
    ledger: [AUTHORIZATION, 'adjustment succeeded 1500 EUR'],
    money: [1_500, 0, 0],
  },
  'an adjustment that is not sent leaves the total as it was': {
    ...rules(rule('adjustment', NOT_SENT)),
    steps: [
      ESTIMATED,
      [
        'adjust {"amount": 1500}',
        '422 AdjustmentDeclined GATEWAY_UNAVAILABLE',
        'AdjustmentRequested AdjustmentNotSent/answer',
      ],
    ],
    ledger: [AUTHORIZATION],
    money: [1_000, 0, 0],
  },
  'a void that takes back a wrong authorization, and is not sent, is tried again': {
    ...rules(rule('authorization', { phase: 'during_reply', fault: 'wrong_amount' }), rule('cancellation', NOT_SENT)),
    steps: [
      [
        'pay',
        '200 PENDING APPLICATION_ERROR',
        'PaymentCreated AuthorizationRequested MismatchRecorded/answer CancellationRequested CancellationNotSent/answer',
      ],
      // A void that was provably not sent is still looked for before it is sent again.
      ['after 30s', 'PENDING APPLICATION_ERROR', 'LookUpRecorded/lookup'],
      ['after 5m', 'FAILED APPLICATION_ERROR', 'CancellationRequested AuthorizationVoided/answer'],
    ],
    ledger: [AUTHORIZATION, VOID],
    money: [0, 0, 0],
  },
};

const calls: { readonly [name: string]: Scenario } = {
  'a failed look-up settles nothing, and the next one settles the attempt': {
    ...rules(rule('authorization', DONE), rule('look_up', IN_VAIN)),
    steps: [
      ['pay', '202 PENDING GATEWAY_TIMEOUT', UNKNOWN],
      ['after 30s', 'PENDING GATEWAY_TIMEOUT', 'LookUpRecorded/lookup'],
      ['after 5m', 'AUTHORIZED', 'PaymentAuthorized/lookup'],
    ],
    ledger: [AUTHORIZATION],
    money: [1_000, 0, 0],
  },
  'an effect that comes after its caller gave up is found': {
    ...rules(rule('authorization', { phase: 'before_effect', fault: 'slow', delayMs: 20_000 })),
    steps: [
      ['pay', '202 PENDING GATEWAY_TIMEOUT', UNKNOWN],
      ['after 20s', 'PENDING GATEWAY_TIMEOUT'],
      ['ledger', AUTHORIZATION],
      ['after 10s', 'AUTHORIZED', 'PaymentAuthorized/lookup'],
    ],
    ledger: [AUTHORIZATION],
    money: [1_000, 0, 0],
  },
  'a connection that opens after the deadline sends no call': {
    ...rules(rule('authorization', { phase: 'before_send', fault: 'slow', delayMs: 20_000 })),
    steps: [
      ['pay', '202 PENDING GATEWAY_TIMEOUT', `${UNKNOWN} AuthorizationNotSent/answer`],
      ['after 20s', 'FAILED GATEWAY_UNAVAILABLE'],
    ],
    ledger: [],
    money: [0, 0, 0],
  },
  'a card that cannot be tokenized leaves no event, and can be tried again': {
    ...rules(rule('tokenization', NOT_SENT)),
    steps: [['tokenize', '503 ServiceUnavailable'], PAID],
    ledger: [AUTHORIZATION],
    money: [1_000, 0, 0],
    reported: ['StoreUnavailable: The sandbox cannot be used: refused with status 503 before it was sent'],
  },
};

const notifications: { readonly [name: string]: Scenario } = {
  'a notification comes as often as the rule says, and counts once': {
    ...rules(rule('capture', { duplicate: 3 })),
    steps: [
      PAID,
      [
        'capture',
        '200 SETTLED',
        'CaptureRequested PaymentCaptured/answer|notification',
        Array(4).fill('capture.succeeded 202').join(', '),
      ],
    ],
    ledger: [AUTHORIZATION, CAPTURE],
    money: [1_000, 1_000, 0],
  },
  'notifications come in reverse': {
    ...rules(rule('authorization', { reorder: true }), rule('capture', { reorder: true })),
    steps: [PAID, CAPTURED, ['after 20s', 'SETTLED', '', 'capture.succeeded 202, authorization.succeeded 202']],
    ledger: [AUTHORIZATION, CAPTURE],
    money: [1_000, 1_000, 0],
  },
  'a notification that comes while its call hangs is the answer': {
    ...rules(rule('authorization', { phase: 'during_reply', fault: 'hang', duplicate: true })),
    toldFirst: true,
    steps: [
      [
        'pay',
        '200 AUTHORIZED',
        'PaymentCreated AuthorizationRequested PaymentAuthorized/notification',
        'authorization.succeeded 202, authorization.succeeded 202',
      ],
    ],
    ledger: [AUTHORIZATION],
    money: [1_000, 0, 0],
  },
};

export const otherRules: { readonly [name: string]: Scenario } = { ...otherChanges, ...calls, ...notifications };
