// Scenarios of the cards that are about 3-D Secure, by the id of their row in the sandbox's table.
import type { Scenario } from './scenario.ts';

const ASKED = 'PaymentCreated AuthorizationRequested CustomerActionRequired/answer';
const WAITS = '200 PENDING 3DS_AUTHENTICATION';
const BACK = '303 /checkout/3ds/return';
const APPROVED = 'AUTHORIZED AUTH_SUCCESS';
const RESUMED = 'AuthorizationResumed AuthenticationCompleted/answer PaymentAuthorized/answer';
const NOTIFIED = 'AuthenticationCompleted/notification PaymentAuthorized/notification';
const AUTHORIZED = ['authorization succeeded 1000 EUR'];
const DECLINED = ['authorization declined 1000 EUR'];

/** Approved with the customer, and declined without. */
const declinedLater = (code: string): readonly Scenario[] => [
  {
    steps: [['pay', '200 AUTHORIZED', 'PaymentCreated AuthorizationRequested PaymentAuthorized/answer']],
    ledger: AUTHORIZED,
    money: [1_000, 0, 0],
  },
  {
    steps: [
      [
        'pay {"paymentMethod": {"paymentType": "UNSCHEDULED"}}',
        `200 DECLINED ${code}`,
        'PaymentCreated AuthorizationRequested AuthorizationDeclined/answer',
      ],
    ],
    ledger: DECLINED,
    money: [0, 0, 0],
  },
];

/** By the id of a row of the table of cards: all of them for its only number. */
export const authenticationCards: { readonly [card: string]: Scenario | readonly Scenario[] } = {
  'challenge-then-approved': [
    {
      steps: [
        ['pay', WAITS, ASKED],
        ['capture', '409 PaymentOperationInProgress'],
        ['ledger', 'authorization requires_action 1000 EUR'],
        ['approve', BACK],
        ['resume', `200 ${APPROVED}`, RESUMED],
        ['resume', `200 ${APPROVED}`],
        ['after 5s', APPROVED, '', 'authorization.succeeded 202'],
        ['capture', '200 SETTLED AUTH_SUCCESS', 'CaptureRequested PaymentCaptured/answer'],
      ],
      ledger: [...AUTHORIZED, 'capture succeeded 1000 EUR'],
      money: [1_000, 1_000, 0],
    },
    // The customer closed the tab: the notification moves the payment, and a later resumption finds it done.
    {
      steps: [
        ['pay', WAITS, ASKED],
        ['approve', BACK],
        ['after 5s', APPROVED, NOTIFIED, 'authorization.succeeded 202'],
        ['resume', `200 ${APPROVED}`],
        ['approve', BACK],
      ],
      ledger: AUTHORIZED,
      money: [1_000, 0, 0],
    },
    {
      steps: [
        ['pay {"paymentMethod": {"captureMode": "AUTOMATIC"}}', WAITS, ASKED],
        ['approve', BACK],
        ['resume', '200 SETTLED AUTH_SUCCESS', `${RESUMED} CaptureRequested PaymentCaptured/answer`],
        ['after 5s', 'SETTLED AUTH_SUCCESS', '', 'authorization.succeeded 202'],
      ],
      ledger: [...AUTHORIZED, 'capture succeeded 1000 EUR'],
      money: [1_000, 1_000, 0],
    },
    {
      steps: [
        ['pay', WAITS, ASKED],
        ['fail', BACK],
        [
          'resume',
          '200 DECLINED AUTHENTICATION_FAILED AUTH_FAILED',
          'AuthorizationResumed AuthenticationCompleted/answer AuthorizationDeclined/answer',
        ],
        ['approve', BACK],
        ['after 5s', 'DECLINED AUTHENTICATION_FAILED AUTH_FAILED', '', 'authorization.failed 202'],
      ],
      ledger: DECLINED,
      money: [0, 0, 0],
    },
    // Nobody acts: after an hour the processor is asked to withdraw the action.
    {
      steps: [
        ['pay', WAITS, ASKED],
        ['after 30s', 'PENDING 3DS_AUTHENTICATION'],
        ['after 59m', 'PENDING 3DS_AUTHENTICATION'],
        ['after 30s', 'FAILED AUTHENTICATION_REQUIRED', 'AttemptFenced/lookup CustomerActionExpired'],
        ['approve', '410'],
      ],
      ledger: DECLINED,
      money: [0, 0, 0],
    },
    {
      steps: [
        ['pay', WAITS, ASKED],
        ['cancel', '200 CANCELLED', 'CancellationIntended AttemptFenced/lookup PaymentCancelled CustomerActionExpired'],
        ['approve', '410'],
        ['after 1h', 'CANCELLED'],
      ],
      ledger: DECLINED,
      money: [0, 0, 0],
    },
    // The customer has just approved, and nobody has heard of it: the cancellation finds that, and voids it.
    {
      steps: [
        ['pay', WAITS, ASKED],
        ['approve', BACK],
        [
          'cancel',
          '200 CANCELLED AUTH_SUCCESS',
          'CancellationIntended AuthenticationCompleted/lookup PaymentAuthorized/lookup CancellationRequested AuthorizationVoided/answer',
        ],
        ['after 5s', 'CANCELLED AUTH_SUCCESS', '', 'authorization.succeeded 202'],
      ],
      ledger: [...AUTHORIZED, 'cancellation succeeded 0 EUR'],
      money: [1_000, 0, 0],
    },
  ],
  'challenge-then-declined': {
    steps: [
      ['pay', WAITS, ASKED],
      ['approve', BACK],
      [
        'resume',
        '200 DECLINED GENERIC_DECLINE AUTH_SUCCESS',
        'AuthorizationResumed AuthenticationCompleted/answer AuthorizationDeclined/answer',
      ],
      ['after 5s', 'DECLINED GENERIC_DECLINE AUTH_SUCCESS', '', 'authorization.failed 202'],
    ],
    ledger: DECLINED,
    money: [0, 0, 0],
  },
  frictionless: {
    steps: [
      [
        'pay',
        `200 ${APPROVED}`,
        'PaymentCreated AuthorizationRequested AuthenticationCompleted/answer PaymentAuthorized/answer',
      ],
    ],
    ledger: AUTHORIZED,
    money: [1_000, 0, 0],
  },
  'demands-authentication': {
    steps: [
      [
        'pay',
        WAITS,
        'PaymentCreated AuthorizationRequested AuthorizationDeclined/answer AuthorizationRequested CustomerActionRequired/answer',
      ],
      ['approve', BACK],
      ['resume', `200 ${APPROVED}`, RESUMED],
      ['after 5s', APPROVED, '', 'authorization.succeeded 202'],
    ],
    ledger: [...DECLINED, ...AUTHORIZED],
    money: [1_000, 0, 0],
  },
  'mandate-revoked': declinedLater('AUTHORIZATION_REVOKED'),
  'insufficient-funds-later': declinedLater('INSUFFICIENT_FUNDS'),
  'expired-later': declinedLater('EXPIRED_CARD'),
  'authentication-later': declinedLater('AUTHENTICATION_REQUIRED'),
  'revoked-for-all-later': declinedLater('AUTHORIZATION_REVOKED'),
  'stolen-later': declinedLater('STOLEN_CARD'),
  'updated-later': declinedLater('EXPIRED_CARD'),
  'retry-after-72-hours': declinedLater('INSUFFICIENT_FUNDS'),
  'never-later': declinedLater('GENERIC_DECLINE'),
  'cancelled-later': declinedLater('GENERIC_DECLINE'),
  'retry-after-1-hour': declinedLater('INSUFFICIENT_FUNDS'),
  'link-needed-later': declinedLater('GENERIC_DECLINE'),
  'retry-after-10-days': declinedLater('INSUFFICIENT_FUNDS'),
  'demands-authentication-then-late-failure': {
    steps: [
      [
        'pay',
        `200 ${APPROVED}`,
        'PaymentCreated AuthorizationRequested AuthorizationDeclined/answer AuthorizationRequested AuthenticationCompleted/answer PaymentAuthorized/answer',
      ],
      ['after 5s', APPROVED, '', 'authorization.failed 202'],
      ['capture', '200 SETTLED AUTH_SUCCESS', 'CaptureRequested PaymentCaptured/answer'],
    ],
    ledger: [...DECLINED, ...AUTHORIZED, 'capture succeeded 1000 EUR'],
    money: [1_000, 1_000, 0],
  },
};
