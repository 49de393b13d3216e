// Scenarios of the sandbox's faults by rule: for every fault, in every phase in which it may strike, the result for an
// authorization.
import type { FaultName, Phase } from '../../../src/processors/sandbox/faults.ts';
import type { Scenario, Step } from './scenario.ts';
import { AUTHORIZATION } from './steps.ts';

const REQUESTED = 'PaymentCreated AuthorizationRequested';
const AUTHORIZED = `${REQUESTED} PaymentAuthorized/answer`;

type OfFault = (rule: object) => Scenario;
/** A rule that strikes the authorization. */
const strikes = (what: object): { readonly faults: object } => ({
  faults: { rules: [{ match: { operation: 'authorization' }, do: what }] },
});

/** The request provably never arrived: nothing happened, and the token can pay again. */
const notSent: OfFault = (rule) => ({
  ...strikes(rule),
  steps: [['pay', '200 FAILED GATEWAY_UNAVAILABLE', `${REQUESTED} AuthorizationNotSent/answer`]],
  ledger: [],
  money: [0, 0, 0],
});

/** The deadline came before the connection was there, which is known a moment later. */
const notSentAtTheDeadline: OfFault = (rule) => ({
  ...strikes(rule),
  steps: [
    [
      'pay',
      '202 PENDING GATEWAY_TIMEOUT',
      `${REQUESTED} AuthorizationOutcomeUnknown/answer AuthorizationNotSent/answer`,
    ],
    ['after 1s', 'FAILED GATEWAY_UNAVAILABLE'],
  ],
  ledger: [],
  money: [0, 0, 0],
});

/** Unknown, and without effect: "not found" counts after the consistency window. */
const unknownInVain: OfFault = (rule) => ({
  ...strikes(rule),
  steps: [
    ['pay', '202 PENDING GATEWAY_TIMEOUT', `${REQUESTED} AuthorizationOutcomeUnknown/answer`],
    ['diff', 'equal, 1 open'],
    ['after 30s', 'PENDING GATEWAY_TIMEOUT', 'LookUpRecorded/lookup'],
    ['after 5m', 'FAILED GATEWAY_TIMEOUT', 'AttemptFenced/lookup AuthorizationNotFound/lookup'],
  ],
  ledger: [],
  money: [0, 0, 0],
});

/** Unknown, and the money moved. */
const unknownAndDone: OfFault = (rule) => ({
  ...strikes(rule),
  steps: [
    ['pay', '202 PENDING GATEWAY_TIMEOUT', `${REQUESTED} AuthorizationOutcomeUnknown/answer`],
    ['diff', 'equal, 1 open'],
    ['after 30s', 'AUTHORIZED', 'PaymentAuthorized/lookup'],
  ],
  ledger: [AUTHORIZATION],
  money: [1_000, 0, 0],
});

/** Late, but within the deadline. */
const merelySlow: OfFault = (rule) => ({
  ...strikes({ ...rule, delayMs: 50 }),
  steps: [['pay', '200 AUTHORIZED', AUTHORIZED]],
  ledger: [AUTHORIZATION],
  money: [1_000, 0, 0],
});

/** An answer about something else than was asked: never built on, voided. */
const notBelieved: OfFault = (rule) => ({
  ...strikes(rule),
  steps: [
    [
      'pay',
      '200 FAILED APPLICATION_ERROR',
      `${REQUESTED} MismatchRecorded/answer CancellationRequested AuthorizationVoided/answer`,
    ],
  ],
  ledger: [AUTHORIZATION, 'cancellation succeeded 0 EUR'],
  money: [0, 0, 0],
});

/** Answered well; then its notification meets a fault. `sent`: the notifications that are sent at once. */
const answered =
  (learnt: string, sent: string | undefined, ...later: readonly Step[]): OfFault =>
  (rule) => ({
    ...strikes(rule),
    steps: [['pay', '200 AUTHORIZED', `${REQUESTED} ${learnt}`, sent], ...later],
    ledger: [AUTHORIZATION],
    money: [1_000, 0, 0],
  });
const ANSWER = 'PaymentAuthorized/answer';
/** The notification is on its way at the same time. */
const EITHER = 'PaymentAuthorized/answer|notification';
const SUCCEEDED = 'authorization.succeeded 202';

const CALL = {
  before_send: notSent,
  before_effect: unknownInVain,
  after_effect_before_reply: unknownAndDone,
  during_reply: unknownAndDone,
};
const SENT = { before_effect: unknownInVain, after_effect_before_reply: unknownAndDone, during_reply: unknownAndDone };
const WRONG = { after_effect_before_reply: notBelieved, during_reply: notBelieved };

export const faultScenarios: { readonly [F in FaultName]: { readonly [P in Phase]?: OfFault } } = {
  reset: { ...CALL, after_reply: answered(ANSWER, undefined) },
  hang: { ...CALL, before_send: notSentAtTheDeadline },
  slow: {
    before_send: merelySlow,
    before_effect: merelySlow,
    after_effect_before_reply: merelySlow,
    during_reply: merelySlow,
  },
  429: CALL,
  500: CALL,
  502: CALL,
  503: CALL,
  invalid_json: SENT,
  unknown_status: SENT,
  wrong_id: SENT,
  wrong_amount: WRONG,
  wrong_currency: WRONG,
  duplicate: { after_reply: answered(EITHER, `${SUCCEEDED}, ${SUCCEEDED}`) },
  delay: { after_reply: answered(ANSWER, undefined, ['after 3s', 'AUTHORIZED', '', SUCCEEDED]) },
  reorder: {
    after_reply: answered(ANSWER, undefined, ['after 9s', 'AUTHORIZED'], ['after 1s', 'AUTHORIZED', '', SUCCEEDED]),
  },
  drop: { after_reply: answered(ANSWER, undefined, ['after 1m', 'AUTHORIZED']) },
  bad_signature: {
    after_reply: answered(ANSWER, 'authorization.succeeded 401', ['after 1s', 'AUTHORIZED', '', SUCCEEDED]),
  },
  unknown_payment: { after_reply: answered(EITHER, `${SUCCEEDED}, ${SUCCEEDED}`) },
};
