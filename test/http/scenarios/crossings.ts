// Scenarios where a card or a fault meets automatic capture, vaulting, or a reversal: by the expected facts, with the
// card's number.
import { DONE, NOT_SENT, rule, rules } from './rules.ts';
import type { Scenario, Step } from './scenario.ts';
import { AUTHORIZATION, CAPTURE } from './steps.ts';

const AUTOMATIC = 'pay {"paymentMethod": {"captureMode": "AUTOMATIC"}}';
const VAULTING = 'pay {"customerId": "c-9", "paymentMethod": {"vaultOnSuccess": true}}';
const REQUESTED = 'PaymentCreated AuthorizationRequested';
const AUTHORIZED = `${REQUESTED} PaymentAuthorized/answer`;
const CAPTURED = 'CaptureRequested PaymentCaptured/answer';
const VOIDED = 'CancellationRequested AuthorizationVoided/answer';
const PENDING: Step = [AUTOMATIC, '200 PENDING', `${REQUESTED} AuthorizationPending/answer`];
const UNKNOWN: Step = ['pay', '202 PENDING GATEWAY_TIMEOUT', `${REQUESTED} AuthorizationOutcomeUnknown/answer`];
const SUCCEEDED = 'authorization.succeeded 202';
const VOID = 'cancellation succeeded 0 EUR';

/** Given up after six minutes; the processor comes back with a success after ten. */
const GIVEN_UP: readonly Step[] = [
  UNKNOWN,
  ['after 30s', 'PENDING GATEWAY_TIMEOUT', 'LookUpRecorded/lookup'],
  ['after 5m', 'FAILED GATEWAY_TIMEOUT', 'AttemptFenced/lookup AuthorizationNotFound/lookup'],
];

export const crossings: readonly (readonly [name: string, number: string, scenario: Scenario])[] = [
  [
    'an automatic capture of less',
    '4000009900003016',
    {
      steps: [[AUTOMATIC, '200 PARTIALLY_SETTLED', `${AUTHORIZED} ${CAPTURED}`]],
      ledger: [AUTHORIZATION, 'capture succeeded 900 EUR'],
      money: [1_000, 900, 0],
    },
  ],
  [
    'an automatic capture that is confirmed later',
    '4000009900003040',
    {
      steps: [
        [AUTOMATIC, '200 SETTLING', `${AUTHORIZED} CaptureRequested CapturePending/answer`],
        ['after 5s', 'SETTLED', 'PaymentCaptured/notification', 'capture.succeeded 202'],
      ],
      ledger: [AUTHORIZATION, CAPTURE],
      money: [1_000, 1_000, 0],
    },
  ],
  [
    'an automatic capture that is not sent leaves the payment authorized',
    '4242424242424242',
    {
      ...rules(rule('capture', NOT_SENT)),
      steps: [
        [AUTOMATIC, '200 AUTHORIZED GATEWAY_UNAVAILABLE', `${AUTHORIZED} CaptureRequested CaptureNotSent/answer`],
        ['capture', '200 SETTLED', CAPTURED],
      ],
      ledger: [AUTHORIZATION, CAPTURE],
      money: [1_000, 1_000, 0],
    },
  ],
  [
    'an automatic capture of an authorization that a look-up found',
    '4000009900001044',
    {
      steps: [
        [AUTOMATIC, UNKNOWN[1], UNKNOWN[2] ?? ''],
        ['after 30s', 'SETTLED', `PaymentAuthorized/lookup ${CAPTURED}`],
      ],
      ledger: [AUTHORIZATION, CAPTURE],
      money: [1_000, 1_000, 0],
    },
  ],
  [
    'an automatic capture of a notified authorization',
    '4000009900001010',
    {
      steps: [PENDING, ['after 5s', 'SETTLED', `PaymentAuthorized/notification ${CAPTURED}`, SUCCEEDED]],
      ledger: [AUTHORIZATION, CAPTURE],
      money: [1_000, 1_000, 0],
    },
  ],
  [
    'no automatic capture of a payment with a requested cancellation',
    '4000009900001010',
    {
      steps: [
        PENDING,
        ['cancel', '202 PENDING', 'CancellationIntended'],
        ['after 5s', 'CANCELLED', `PaymentAuthorized/notification ${VOIDED}`, SUCCEEDED],
      ],
      ledger: [AUTHORIZATION, VOID],
      money: [1_000, 0, 0],
    },
  ],
  [
    'the vaulting of a card whose payment was found by a look-up',
    '4000009900001044',
    {
      steps: [
        [VAULTING, UNKNOWN[1], UNKNOWN[2] ?? ''],
        ['after 30s', 'AUTHORIZED', 'PaymentAuthorized/lookup VaultingRecorded'],
      ],
      ledger: [AUTHORIZATION],
      money: [1_000, 0, 0],
    },
  ],
  [
    'a decline whose answer was lost',
    '4000000000000002',
    {
      ...rules(rule('authorization', DONE)),
      steps: [UNKNOWN, ['after 30s', 'DECLINED GENERIC_DECLINE', 'AuthorizationDeclined/lookup']],
      ledger: ['authorization declined 1000 EUR'],
      money: [0, 0, 0],
    },
  ],
  [
    'a look-up that is answered with another amount',
    '4242424242424242',
    {
      ...rules(rule('authorization', DONE), rule('look_up', { phase: 'during_reply', fault: 'wrong_amount' })),
      steps: [UNKNOWN, ['after 30s', 'FAILED APPLICATION_ERROR', `MismatchRecorded/lookup ${VOIDED}`]],
      ledger: [AUTHORIZATION, VOID],
      money: [0, 0, 0],
    },
  ],
  [
    'the void of a late success whose answer is lost',
    '4000009900002075',
    {
      ...rules(rule('cancellation', DONE)),
      steps: [
        ...GIVEN_UP,
        [
          'after 5m',
          'FAILED GATEWAY_TIMEOUT',
          'LateSuccessRecorded/notification CancellationRequested CancellationOutcomeUnknown/answer',
          SUCCEEDED,
        ],
        ['after 30s', 'FAILED GATEWAY_TIMEOUT', 'AuthorizationVoided/lookup'],
      ],
      ledger: [AUTHORIZATION, VOID],
      money: [0, 0, 0],
    },
  ],
  [
    'the void of a late success that is not sent is tried again',
    '4000009900002075',
    {
      ...rules(rule('cancellation', NOT_SENT)),
      steps: [
        ...GIVEN_UP,
        [
          'after 5m',
          'FAILED GATEWAY_TIMEOUT',
          'LateSuccessRecorded/notification CancellationRequested CancellationNotSent/answer',
          SUCCEEDED,
        ],
        ['after 5m', 'FAILED GATEWAY_TIMEOUT', VOIDED],
      ],
      ledger: [AUTHORIZATION, VOID],
      money: [0, 0, 0],
    },
  ],
];
