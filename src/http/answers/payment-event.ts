// GET /payments/{id}/events: the facts of a payment, oldest first, without internal members (contract §4).
import { z } from 'zod';
import { publicEventId } from '../../domain/category.ts';
import { type PaymentEvent, paymentCategory, SHOWN_WHOLE } from '../../domain/payment/events.ts';
import { isOfOperation, type OperationEvent, type Result, resultOf } from '../../domain/payment/fact-names.ts';
import { FACT_WORDS } from '../../domain/payment/fact-words.ts';
import type { Unsealed } from '../../journal/envelope.ts';
import { formatTime } from '../../world.ts';
import { Instant, pageOf, valuesIn } from './shapes.ts';

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

export const PaymentEventListAnswer = pageOf('PaymentEventList', PaymentEventAnswer);
export type PaymentEventListAnswer = z.infer<typeof PaymentEventListAnswer>;

/** `date` is when it was recorded; when something happened is in its data. */
export const paymentEventAnswer = ({ event, recorded, metadata }: Unsealed<PaymentEvent>): PaymentEventAnswer => ({
  id: publicEventId(recorded.id),
  type: event.type,
  date: formatTime(recorded.at),
  revision: recorded.revision,
  actor: { kind: metadata.actor.kind, id: metadata.actor.id },
  data: publicData(event),
});

type Names = readonly string[];

/** The members that are times, in ms, and go out as text. */
const TIMES: ReadonlySet<string> = new Set([
  'challengeRequiredBy',
  'createdAt',
  'expiresAt',
  'holdExpiresAt',
  'nextLookUpAt',
  'occurredAt',
  'openedAt',
  'requestedAt',
  'retryAt',
  'sendBy',
  'sentAt',
]);
const MONEY: Names = ['amount', 'currencyCode'];
/** The members of objects that do not go out whole: a processor may know more, such as a cryptogram. */
const INSIDE: ReadonlyMap<string, Names> = new Map([
  ['evidence', ['source', 'sentAt', 'notificationId', 'occurredAt', 'detail']],
  ['follows', ['attemptId', 'because']],
  [
    'paymentMethod',
    [
      'paymentMethodToken',
      'paymentMethodType',
      'paymentMethodData',
      'isVaulted',
      'vaultOnSuccess',
      'descriptor',
      'paymentType',
      'authorizationType',
      'captureMode',
    ],
  ],
  ['possible', ['multipleCaptures', 'adjustment']],
  ['shown', MONEY],
  ['threeDSecure', ['responseCode', 'protocolVersion', 'challengeIssued', 'eci']],
]);

const ORDERED: Names = ['orderId', ...MONEY, 'customerId', 'customer', 'order', 'metadata'];
const REFUND: Names = ['refundId', 'orderId', 'reason', 'allocations'];
const ROUND: Names = ['round', 'type', 'reason', 'reasonCode', 'openedAt', 'challengeRequiredBy'];
const LEARNT: Names = ['attemptId', 'evidence'];
const NAMED: Names = [...LEARNT, 'processorTransactionId'];
const PLACE: Names = ['connectionId', 'network'];
const NETWORK_NAMES: Names = ['networkTransactionId', 'transactionLinkId'];
const CHECKS: Names = [...NETWORK_NAMES, 'avsResult', 'cvcResult', 'threeDSecure', 'holdExpiresAt', 'possible'];
const DONE: Names = [...NAMED, ...MONEY, ...PLACE];
const REASON: Names = ['code', 'declineType', 'networkCode', 'advice'];
const LOST: Names = [...LEARNT, 'nextLookUpAt'];
const DISPUTE: Names = ['disputeId', 'evidence'];
const ANSWERED: Names = [...DISPUTE, 'answerId'];
const ASKED: Names = ['reference', 'requestedAt', 'sendBy', 'nextLookUpAt'];

/** The public fields of the facts of an operation; not every operation has all of them. */
const OF_OPERATION: { readonly [R in Result]: Names } = {
  requested: [...ASKED, ...MONEY, ...REFUND, 'attemptId', 'follows', 'processor', 'connectionId', 'final', 'metadata'],
  succeeded: [...DONE, ...CHECKS],
  declined: [...DONE, ...REASON, ...NETWORK_NAMES, 'refused', 'networkAdviceCode'],
  pending: [...NAMED, 'nextLookUpAt'],
  not_sent: [...LEARNT, 'retryAt'],
  unknown: LOST,
  not_found: [...LEARNT, 'retryAt'],
  returned: [...LEARNT, ...MONEY, ...PLACE, ...REASON],
  outside: [...DONE, 'final', 'allocations'],
};

type WholeType = (typeof SHOWN_WHOLE)[number];

/**
 * The public fields of each type of event that is not shown whole (contract §4). A field that is not listed stays
 * internal, such as the caller's own account, and the names that the processor and the store key give to a card.
 */
const PUBLIC: { readonly [T in Exclude<PaymentEvent['type'], OperationEvent['type'] | WholeType>]: Names } = {
  PaymentCreated: [...ORDERED, 'sessionId', 'shown', 'createdAt', 'returnUrl', 'paymentMethod'],
  PaymentAbandoned: [],
  RouteChosen: ['attemptId', 'version', 'rule', 'connectionId', 'connectionName', 'skipped'],
  SuccessConfirmed: [...DONE, ...CHECKS, 'operation', 'vouchedAmount'],
  OutcomeRepeated: [...LEARNT, ...REASON, 'operation'],
  LateSuccessRecorded: [...DONE, 'operation'],
  MismatchRecorded: [...DONE, 'operation', 'nextLookUpAt'],
  LookUpRecorded: [...LOST, 'operation', 'answer'],
  AttemptFenced: [...LEARNT, 'operation'],
  AuthorizationPrepared: NAMED,
  CustomerActionRequired: [...NAMED, 'expiresAt'],
  AuthorizationResumed: ['attemptId'],
  AuthenticationCompleted: [...LOST, 'threeDSecure'],
  CustomerActionGivenUp: ['attemptId', 'nextLookUpAt'],
  CancellationIntended: ['attemptId', 'reason'],
  AuthorizationExpired: [...MONEY, ...PLACE, 'evidence'],
  OverRefundAccepted: [...MONEY, 'evidence'],
  StandingRecorded: ['answer', 'captured', 'capturable', 'refunded', 'currencyCode', 'nextLookUpAt', 'evidence'],
  DifferenceAccepted: ['evidence'],
  DisputeOpened: [...DISPUTE, ...ROUND, ...MONEY, ...PLACE, 'processorDisputeId', 'attemptId'],
  DisputeAnswerRequested: ['disputeId', 'answerId', 'answer', ...ASKED],
  DisputeAnswerDeclined: [...ANSWERED, ...REASON],
  DisputeAnswerPending: [...ANSWERED, 'nextLookUpAt'],
  DisputeAnswerNotSent: ANSWERED,
  DisputeAnswerOutcomeUnknown: [...ANSWERED, 'nextLookUpAt'],
  DisputeAnswerNotFound: ANSWERED,
  DisputeLookUpRecorded: [...ANSWERED, 'answer', 'nextLookUpAt'],
  DisputeEvidenceSubmitted: [...DISPUTE, 'submission', 'submitted', 'nextLookUpAt'],
  DisputeAccepted: DISPUTE,
  DisputeWon: DISPUTE,
  DisputeLost: DISPUTE,
  DisputeExpired: DISPUTE,
  DisputePrevented: [...DISPUTE, ...MONEY, 'refunds'],
};

/** Every member that the recorded schema has, of a fact that is shown whole. */
const WHOLE: ReadonlyMap<string, Names> = new Map(
  SHOWN_WHOLE.map((type) => [type, Object.keys(paymentCategory.data.get(type)?.shape ?? {})]),
);
const isWhole = (event: PaymentEvent): event is Extract<PaymentEvent, { readonly type: WholeType }> =>
  WHOLE.has(event.type);

function publicData(event: PaymentEvent): Record<string, unknown> {
  if (isOfOperation(event)) return publicMembers(event.data, OF_OPERATION[resultOf(event)]);
  if (!isWhole(event)) return publicMembers(event.data, PUBLIC[event.type]);
  return publicMembers(event.data, WHOLE.get(event.type) ?? [], (_, value) => value);
}

/** In the order in which they were recorded. */
const publicMembers = (data: object, names: Names, shown = publicMember): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(data).flatMap(([name, value]) =>
      names.includes(name) && value !== undefined && !isEmpty(value) ? [[name, shown(name, value)]] : [],
    ),
  );

/** The latest time of a Date, in ms; a processor may report any number. */
const LAST_TIME = 8.64e15;

function publicMember(name: string, value: unknown): unknown {
  if (TIMES.has(name)) return typeof value === 'number' && Math.abs(value) <= LAST_TIME ? formatTime(value) : value;
  const inside = INSIDE.get(name);
  return inside !== undefined && typeof value === 'object' && value !== null ? publicMembers(value, inside) : value;
}

const isEmpty = (value: unknown): boolean =>
  (Array.isArray(value) && value.length === 0) ||
  (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
