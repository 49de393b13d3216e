// Scenarios of the cards whose notifications come early, often, late, wrongly or never, by the id of their row in the
// sandbox's table.
import type { Scenario } from './scenario.ts';
import { AUTHORIZATION, CAPTURE } from './steps.ts';

const PENDING = 'PaymentCreated AuthorizationRequested AuthorizationPending/answer';
const REFUND = 'refund succeeded 400 EUR';
/** Answer and notification come at the same time: either may be first, and the second has no effect. */
const EITHER = '/answer|notification';
/** `each`: the notifications of one operation, of whose type is one. */
const notifiedAtOnce = (each: (type: string) => string, learnt: string): Scenario => ({
  steps: [
    [
      'pay',
      '200 AUTHORIZED',
      `PaymentCreated AuthorizationRequested PaymentAuthorized${learnt}`,
      each('authorization.succeeded 202'),
    ],
    ['capture', '200 SETTLED', `CaptureRequested PaymentCaptured${learnt}`, each('capture.succeeded 202')],
    [
      'refund {"amount": 400}',
      '200 SETTLED, refund SETTLED',
      `RefundRequested RefundSucceeded${learnt}`,
      each('refund.succeeded 202'),
    ],
  ],
  ledger: [AUTHORIZATION, CAPTURE, REFUND],
  money: [1_000, 1_000, 400],
});

export const notificationCards: { readonly [card: string]: Scenario | readonly Scenario[] } = {
  'notified-before-answered': notifiedAtOnce((type) => type, EITHER),
  'notified-three-times': notifiedAtOnce((type) => [type, type, type].join(', '), EITHER),
  'notified-in-reverse': {
    steps: [
      ['pay', '200 AUTHORIZED', 'PaymentCreated AuthorizationRequested PaymentAuthorized/answer'],
      ['capture', '200 SETTLED', 'CaptureRequested PaymentCaptured/answer'],
      ['refund {"amount": 400}', '200 SETTLED, refund SETTLED', 'RefundRequested RefundSucceeded/answer'],
      [
        'after 20s',
        'SETTLED, refund SETTLED',
        '',
        'refund.succeeded 202, capture.succeeded 202, authorization.succeeded 202',
      ],
    ],
    ledger: [AUTHORIZATION, CAPTURE, REFUND],
    money: [1_000, 1_000, 400],
  },
  'notification-lost': {
    steps: [
      ['pay', '200 PENDING', PENDING],
      ['after 5s', 'PENDING'],
      ['after 25s', 'AUTHORIZED', 'PaymentAuthorized/lookup'],
    ],
    ledger: [AUTHORIZATION],
    money: [1_000, 0, 0],
  },
  'notification-badly-signed': {
    steps: [
      ['pay', '200 PENDING', PENDING],
      ['after 5s', 'PENDING', '', 'authorization.succeeded 401'],
      ['after 1s', 'AUTHORIZED', 'PaymentAuthorized/notification', 'authorization.succeeded 202'],
    ],
    ledger: [AUTHORIZATION],
    money: [1_000, 0, 0],
  },
  'success-after-cancellation': [
    {
      steps: [
        [
          'pay',
          '202 PENDING GATEWAY_TIMEOUT',
          'PaymentCreated AuthorizationRequested AuthorizationOutcomeUnknown/answer',
        ],
        ['cancel', '202 PENDING GATEWAY_TIMEOUT', 'CancellationIntended'],
        ['after 30s', 'PENDING GATEWAY_TIMEOUT', 'LookUpRecorded/lookup'],
        ['after 5m', 'FAILED GATEWAY_TIMEOUT', 'AttemptFenced/lookup AuthorizationNotFound/lookup'],
        // Late, kept visible, and given back at once.
        [
          'after 5m',
          'FAILED GATEWAY_TIMEOUT',
          'LateSuccessRecorded/notification CancellationRequested AuthorizationVoided/answer',
          'authorization.succeeded 202',
        ],
        ['diff', 'equal'],
      ],
      ledger: [AUTHORIZATION, 'cancellation succeeded 0 EUR'],
      money: [0, 0, 0],
    },
    {
      steps: [
        [
          'pay',
          '202 PENDING GATEWAY_TIMEOUT',
          'PaymentCreated AuthorizationRequested AuthorizationOutcomeUnknown/answer',
        ],
        ['after 30s', 'PENDING GATEWAY_TIMEOUT', 'LookUpRecorded/lookup'],
        ['after 5m', 'FAILED GATEWAY_TIMEOUT', 'AttemptFenced/lookup AuthorizationNotFound/lookup'],
        ['cancel', '400 InvalidPaymentStatus'],
        [
          'after 5m',
          'FAILED GATEWAY_TIMEOUT',
          'LateSuccessRecorded/notification CancellationRequested AuthorizationVoided/answer',
          'authorization.succeeded 202',
        ],
      ],
      ledger: [AUTHORIZATION, 'cancellation succeeded 0 EUR'],
      money: [0, 0, 0],
    },
  ],
};
