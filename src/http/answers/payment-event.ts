// GET /payments/{id}/events: the facts of a payment, oldest first, without internal members (contract §4).
import { z } from 'zod';
import { type PaymentEvent, paymentCategory, SHOWN_WHOLE } from '../../domain/payment/events.ts';
import { isOfOperation, type OperationEvent, type Result, resultOf } from '../../domain/payment/fact-names.ts';
import { FACT_WORDS } from '../../domain/payment/fact-words.ts';
import { publicEventId } from '../../domain/public-event-id.ts';
import type { Unsealed } from '../../journal/envelope.ts';
import { formatTime } from '../../world.ts';
import { Instant } from './instant.ts';
import { valuesIn } from './values.ts';

export const PaymentEventAnswer = z
  .strictObject({
    id: z.string().regex(/^evt_/),
    type: z.string().meta({ description: 'The kind of fact; new types may be added.', ...valuesIn(FACT_WORDS) }),
    date: Instant,
    revision: z.int().min(0),
    actor: z.strictObject({
      kind: z.enum(['apiKey', 'checkout', 'operator', 'policy', 'processor', 'user']),
      id: z.string(),
    }),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'PaymentEvent' });
export type PaymentEventAnswer = z.infer<typeof PaymentEventAnswer>;

/** Without `nextCursor` there are no more. */
export const PaymentEventListAnswer = z
  .strictObject({ data: z.array(PaymentEventAnswer), nextCursor: z.string().optional() })
  .meta({ id: 'PaymentEventList' });
export type PaymentEventListAnswer = z.infer<typeof PaymentEventListAnswer>;

/** `date` is when it was recorded; when something happened is in its data. */
export const paymentEventAnswer = ({ event, recorded, metadata }: Unsealed<PaymentEvent>): PaymentEventAnswer => ({
  id: publicEventId(recorded.id),
  type: event.type,
  date: formatTime(recorded.at),
  revision: recorded.revision,
  actor: { kind: metadata.actor.kind, id: metadata.actor.id },
  data: publicMembers(event.data, membersOf(event)),
});

/** How a member goes out: as it is, as a time, or the service's own object by its own list. */
type ShownAs = 'as it is' | 'time' | { readonly [member: string]: ShownAs };
type ShownMembers = { readonly [member: string]: ShownAs };

const EVIDENCE: ShownMembers = {
  source: 'as it is',
  sentAt: 'time',
  notificationId: 'as it is',
  occurredAt: 'time',
  detail: 'as it is',
};
const METHOD: ShownMembers = {
  paymentMethodToken: 'as it is',
  paymentMethodType: 'as it is',
  paymentMethodData: 'as it is',
  isVaulted: 'as it is',
  vaultOnSuccess: 'as it is',
  descriptor: 'as it is',
  paymentType: 'as it is',
  authorizationType: 'as it is',
  captureMode: 'as it is',
};
const MONEY: ShownMembers = { amount: 'as it is', currencyCode: 'as it is' };
const LEARNT: ShownMembers = { attemptId: 'as it is', evidence: EVIDENCE };
const NAMED: ShownMembers = { ...LEARNT, processorTransactionId: 'as it is' };
const PLACE: ShownMembers = { connectionId: 'as it is', network: 'as it is' };
/** A processor may know more, such as a cryptogram. */
const AUTHENTICATION: ShownMembers = {
  responseCode: 'as it is',
  protocolVersion: 'as it is',
  challengeIssued: 'as it is',
  eci: 'as it is',
};
const NETWORK_NAMES: ShownMembers = { networkTransactionId: 'as it is', transactionLinkId: 'as it is' };
const CHECKS: ShownMembers = {
  ...NETWORK_NAMES,
  avsResult: 'as it is',
  cvcResult: 'as it is',
  threeDSecure: AUTHENTICATION,
  holdExpiresAt: 'time',
  possible: { multipleCaptures: 'as it is', adjustment: 'as it is' },
};
const DONE: ShownMembers = { ...NAMED, ...MONEY, ...PLACE };
const REASON: ShownMembers = {
  code: 'as it is',
  declineType: 'as it is',
  networkCode: 'as it is',
  advice: 'as it is',
};
const OPERATION: ShownMembers = { operation: 'as it is' };
const LOST: ShownMembers = { ...LEARNT, nextLookUpAt: 'time' };
const ASKED: ShownMembers = {
  attemptId: 'as it is',
  reference: 'as it is',
  requestedAt: 'time',
  sendBy: 'time',
  nextLookUpAt: 'time',
  follows: { attemptId: 'as it is', because: 'as it is' },
};
const DISPUTE: ShownMembers = { disputeId: 'as it is', evidence: EVIDENCE };
const ANSWERED: ShownMembers = { ...DISPUTE, answerId: 'as it is' };

/** The public fields of the facts of an operation; not every operation has all of them. */
const OF_OPERATION: { readonly [R in Result]: ShownMembers } = {
  requested: {
    ...ASKED,
    ...MONEY,
    processor: 'as it is',
    connectionId: 'as it is',
    final: 'as it is',
    metadata: 'as it is',
    reason: 'as it is',
    refundId: 'as it is',
    orderId: 'as it is',
    allocations: 'as it is',
  },
  succeeded: { ...DONE, ...CHECKS },
  declined: { ...DONE, ...REASON, ...NETWORK_NAMES, refused: 'as it is', networkAdviceCode: 'as it is' },
  pending: { ...NAMED, nextLookUpAt: 'time' },
  not_sent: { ...LEARNT, retryAt: 'time' },
  unknown: LOST,
  not_found: { ...LEARNT, retryAt: 'time' },
  returned: { ...LEARNT, ...MONEY, ...PLACE, ...REASON },
  outside: { ...DONE, final: 'as it is', allocations: 'as it is' },
};

type WholeType = (typeof SHOWN_WHOLE)[number];
/** Every member that the recorded schema has, of a fact that is shown whole. */
const WHOLE: ReadonlyMap<string, ShownMembers> = new Map(
  SHOWN_WHOLE.map((type) => [
    type,
    Object.fromEntries(
      Object.keys(paymentCategory.data.get(type)?.shape ?? {}).map((member) => [member, 'as it is' as const]),
    ),
  ]),
);
const isWhole = (event: PaymentEvent): event is Extract<PaymentEvent, { readonly type: WholeType }> =>
  WHOLE.has(event.type);

/**
 * The public fields of each type of event that is not shown whole (contract §4). A field that is not listed stays
 * internal, such as the caller's own account, and the names that the processor and the store key give to a card.
 */
const PUBLIC: { readonly [T in Exclude<PaymentEvent['type'], OperationEvent['type'] | WholeType>]: ShownMembers } = {
  PaymentCreated: {
    sessionId: 'as it is',
    shown: MONEY,
    createdAt: 'time',
    orderId: 'as it is',
    ...MONEY,
    customerId: 'as it is',
    customer: 'as it is',
    order: 'as it is',
    metadata: 'as it is',
    returnUrl: 'as it is',
    paymentMethod: METHOD,
  },
  PaymentAbandoned: {},
  RouteChosen: {
    attemptId: 'as it is',
    version: 'as it is',
    rule: 'as it is',
    connectionId: 'as it is',
    connectionName: 'as it is',
    skipped: 'as it is',
  },
  SuccessConfirmed: { ...DONE, ...OPERATION, vouchedAmount: 'as it is', ...CHECKS },
  OutcomeRepeated: { ...LEARNT, ...OPERATION, ...REASON },
  LateSuccessRecorded: { ...DONE, ...OPERATION },
  MismatchRecorded: { ...DONE, ...OPERATION, nextLookUpAt: 'time' },
  LookUpRecorded: { ...LOST, ...OPERATION, answer: 'as it is' },
  AttemptFenced: { ...LEARNT, ...OPERATION },
  AuthorizationPrepared: NAMED,
  CustomerActionRequired: { ...NAMED, expiresAt: 'time' },
  AuthorizationResumed: { attemptId: 'as it is' },
  AuthenticationCompleted: { ...LOST, threeDSecure: AUTHENTICATION },
  CustomerActionGivenUp: { attemptId: 'as it is', nextLookUpAt: 'time' },
  CancellationIntended: { attemptId: 'as it is', reason: 'as it is' },
  AuthorizationExpired: { ...MONEY, ...PLACE, evidence: EVIDENCE },
  OverRefundAccepted: { ...MONEY, evidence: EVIDENCE },
  StandingRecorded: {
    answer: 'as it is',
    captured: 'as it is',
    capturable: 'as it is',
    refunded: 'as it is',
    currencyCode: 'as it is',
    nextLookUpAt: 'time',
    evidence: EVIDENCE,
  },
  DifferenceAccepted: { evidence: EVIDENCE },
  DisputeOpened: {
    ...DISPUTE,
    processorDisputeId: 'as it is',
    round: 'as it is',
    type: 'as it is',
    attemptId: 'as it is',
    ...MONEY,
    ...PLACE,
    reason: 'as it is',
    reasonCode: 'as it is',
    openedAt: 'time',
    challengeRequiredBy: 'time',
  },
  DisputeAnswerRequested: {
    disputeId: 'as it is',
    answerId: 'as it is',
    reference: 'as it is',
    answer: 'as it is',
    requestedAt: 'time',
    sendBy: 'time',
    nextLookUpAt: 'time',
  },
  DisputeAnswerDeclined: { ...ANSWERED, ...REASON },
  DisputeAnswerPending: { ...ANSWERED, nextLookUpAt: 'time' },
  DisputeAnswerNotSent: ANSWERED,
  DisputeAnswerOutcomeUnknown: { ...ANSWERED, nextLookUpAt: 'time' },
  DisputeAnswerNotFound: ANSWERED,
  DisputeLookUpRecorded: { ...ANSWERED, answer: 'as it is', nextLookUpAt: 'time' },
  DisputeEvidenceSubmitted: { ...DISPUTE, submission: 'as it is', submitted: 'as it is', nextLookUpAt: 'time' },
  DisputeAccepted: DISPUTE,
  DisputeWon: DISPUTE,
  DisputeLost: DISPUTE,
  DisputeExpired: DISPUTE,
  DisputePrevented: { ...DISPUTE, ...MONEY, refunds: 'as it is' },
};

const membersOf = (event: PaymentEvent): ShownMembers => {
  if (isOfOperation(event)) return OF_OPERATION[resultOf(event)];
  return isWhole(event) ? (WHOLE.get(event.type) ?? {}) : PUBLIC[event.type];
};

/** The latest time of a Date, in ms; a processor may report any number. */
const LAST_TIME = 8.64e15;

const publicMembers = (data: object, members: ShownMembers): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(data).flatMap(([name, value]) => {
      const shown = Object.hasOwn(members, name) ? members[name] : undefined;
      return shown === undefined || value === undefined || isEmpty(value) ? [] : [[name, publicMember(shown, value)]];
    }),
  );

function publicMember(shown: ShownAs, value: unknown): unknown {
  if (shown === 'as it is') return value;
  if (shown === 'time') return typeof value === 'number' && Math.abs(value) <= LAST_TIME ? formatTime(value) : value;
  return typeof value === 'object' && value !== null ? publicMembers(value, shown) : value;
}

const isEmpty = (value: unknown): boolean =>
  (Array.isArray(value) && value.length === 0) ||
  (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
