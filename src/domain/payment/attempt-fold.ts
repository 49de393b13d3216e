// The fold of one attempt: its request, and the facts about its outcome.
import type { Recorded } from '../decider.ts';
import type { MethodRules } from '../payment-method.ts';
import {
  type Asked,
  type Attempt,
  type AttemptEvent,
  awaitsCustomer,
  isOpen,
  refusedAt,
  type SucceededAttempt,
  toldAt,
} from './attempt.ts';
import type { Fact } from './events.ts';
import {
  isDeclined,
  isNotFound,
  isNotSent,
  isOutcomeUnknown,
  isPending,
  isReturned,
  isSucceeded,
  type OperationEvent,
  type OutsideEvent,
  operationOf,
  type RequestedEvent,
} from './fact-names.ts';
import { actionLookUpAt } from './look-up.ts';
import type { RefusalTold } from './outcome.ts';

/** A fact about the outcome of an attempt. */
export type OutcomeEvent =
  | Exclude<OperationEvent, RequestedEvent | OutsideEvent>
  | Fact<
      | 'SuccessConfirmed'
      | 'LateSuccessRecorded'
      | 'MismatchRecorded'
      | 'CustomerActionRequired'
      | 'AuthorizationPrepared'
      | 'AuthorizationResumed'
      | 'AuthenticationCompleted'
      | 'CustomerActionGivenUp'
      | 'CustomerActionExpired'
      | 'AttemptFenced'
    >;

/** A fresh copy that nobody else has seen yet. */
type AttemptDraft = { -readonly [K in keyof Asked]: Asked[K] };

/** Where an attempt goes. */
type AttemptRoute = Pick<Asked, 'processor' | 'connectionId'>;

export function requestedAttempt(event: RequestedEvent, { id, revision, at }: Recorded, route: AttemptRoute): Attempt {
  const { type, data } = event;
  const { attemptId, reference, requestedAt, sendBy, nextLookUpAt, follows } = data;
  const amount = 'amount' in data ? data.amount : undefined;
  const draft: AttemptDraft & { readonly state: 'open'; readonly nextLookUpAt: number } = {
    attemptId,
    reference,
    operation: operationOf(event),
    amount: amount ?? 0,
    processor: route.processor,
    connectionId: route.connectionId,
    requestedAt,
    requestedRevision: revision,
    sendBy,
    state: 'open',
    lookUps: 0,
    nextLookUpAt,
    events: [amount === undefined ? { id, type, at } : { id, type, at, amount }],
  };
  if (type === 'AuthorizationRequested') {
    draft.processorToken = data.processorToken;
    if (data.threeDSecure !== undefined) draft.threeDSecure = data.threeDSecure;
    if (data.offSession !== undefined) draft.offSession = data.offSession;
    if (data.prepares !== undefined) draft.prepares = data.prepares;
  }
  if (type === 'CaptureRequested') draft.final = data.final;
  if (type === 'RefundRequested') draft.refund = refundOf(data);
  if (follows !== undefined) draft.follows = follows;
  return draft;
}

function refundOf({
  refundId,
  orderId,
  reason,
  allocations,
}: Fact<'RefundRequested'>['data']): NonNullable<Asked['refund']> {
  return { refundId, ...(orderId !== undefined && { orderId }), ...(reason !== undefined && { reason }), allocations };
}

/** An attempt that nobody here made: it is known with its outcome. */
export function outsideAttempt(event: OutsideEvent, recorded: Recorded, route: AttemptRoute): Attempt {
  const { type, data } = event;
  const { id, revision, at } = recorded;
  const { attemptId, amount, evidence } = data;
  return {
    attemptId,
    // unlike every reference, so that none finds it
    reference: '',
    operation: operationOf(event),
    amount,
    ...route,
    outside: true,
    requestedAt: at,
    requestedRevision: revision,
    answeredRevision: revision,
    sendBy: at,
    lookUps: 0,
    events: [{ id, type, at, amount, evidence: evidence.source }],
    ...(type === 'CapturedOutside' && { final: data.final }),
    ...(type === 'RefundedOutside' && { refund: { refundId: attemptId, allocations: data.allocations } }),
    ...successOf(data, recorded),
  };
}

/** Its lasting parts, with the new line of its history. */
function lasting(attempt: Attempt, line: AttemptEvent): AttemptDraft {
  const {
    attemptId,
    reference,
    operation,
    amount,
    processor,
    connectionId,
    requestedAt,
    requestedRevision,
    sendBy,
    lookUps,
  } = attempt;
  const events = [...attempt.events, line];
  const draft: AttemptDraft = {
    attemptId,
    reference,
    operation,
    amount,
    processor,
    connectionId,
    requestedAt,
    requestedRevision,
    sendBy,
    lookUps,
    events,
  };
  const { processorToken, threeDSecure, final, refund, follows, processorTransactionId, answeredRevision, fenced } =
    attempt;
  const { offSession, prepares, resumeTokenHash, resumed, outside } = attempt;
  if (outside !== undefined) draft.outside = outside;
  if (processorToken !== undefined) draft.processorToken = processorToken;
  if (threeDSecure !== undefined) draft.threeDSecure = threeDSecure;
  if (offSession !== undefined) draft.offSession = offSession;
  if (prepares !== undefined) draft.prepares = prepares;
  if (final !== undefined) draft.final = final;
  if (refund !== undefined) draft.refund = refund;
  if (follows !== undefined) draft.follows = follows;
  if (processorTransactionId !== undefined) draft.processorTransactionId = processorTransactionId;
  if (answeredRevision !== undefined) draft.answeredRevision = answeredRevision;
  if (resumeTokenHash !== undefined) draft.resumeTokenHash = resumeTokenHash;
  if (resumed !== undefined) draft.resumed = resumed;
  if (fenced !== undefined) draft.fenced = fenced;
  return draft;
}

function lineOf({ type, data }: OutcomeEvent, { id, at }: Recorded): AttemptEvent {
  const line: { -readonly [K in keyof AttemptEvent]: AttemptEvent[K] } = { id, type, at };
  if ('evidence' in data) line.evidence = data.evidence.source;
  // A refusal has no amount of its own here: what was asked for is shown.
  if ('amount' in data && data.amount !== undefined && !('code' in data)) line.amount = data.amount;
  return line;
}

const NOT_AUTHORIZATION: Pick<Fact<'AuthorizationDeclined'>['data'], 'retriedAs' | 'fenceAt'> = {};

/** What decides when the customer's card is tried again. */
function toldIn({ networkCode, networkAdviceCode, advice }: RefusalTold): { readonly told?: RefusalTold } {
  if (networkCode === undefined && networkAdviceCode === undefined && advice === undefined) return {};
  return {
    told: {
      ...(networkCode !== undefined && { networkCode }),
      ...(networkAdviceCode !== undefined && { networkAdviceCode }),
      ...(advice !== undefined && { advice }),
    },
  };
}

/** The attempt after a fact about its outcome. `action`: of the payment's method. */
export function afterOutcome(
  attempt: Attempt,
  event: OutcomeEvent,
  recorded: Recorded,
  action: MethodRules['action'],
): Attempt {
  const { data } = event;
  const draft = lasting(attempt, lineOf(event, recorded));
  if ('processorTransactionId' in data && data.processorTransactionId !== undefined)
    draft.processorTransactionId = data.processorTransactionId;
  if (isOutcomeUnknown(event)) return { ...draft, state: 'unknown', nextLookUpAt: event.data.nextLookUpAt };
  if (event.type === 'AuthorizationPrepared') {
    const { sendBy, nextLookUpAt } = event.data;
    return { ...draft, state: 'open', sendBy, nextLookUpAt };
  }
  if (draft.answeredRevision === undefined) draft.answeredRevision = recorded.revision;
  if (isPending(event)) return { ...draft, state: 'pending', nextLookUpAt: event.data.nextLookUpAt };
  const settledRevision = recorded.revision;
  // most outcomes: a second copy of each took a tenth of a rebuild
  if (isSucceeded(event)) return Object.assign(draft, successOf(event.data, recorded));
  if (isDeclined(event)) {
    const { code, declineType, evidence, refused } = event.data;
    const { retriedAs, fenceAt } = event.type === 'AuthorizationDeclined' ? event.data : NOT_AUTHORIZATION;
    const next = {
      ...(attempt.offSession === true && toldIn(event.data)),
      ...(refused !== undefined && { refused }),
      ...(retriedAs !== undefined && { retriedAs }),
      ...(fenceAt !== undefined && { fenceAt }),
    };
    const declined = { ...draft, state: 'declined' as const, code, declineType, settledRevision, ...next };
    const at = refusedAt(evidence);
    return at === undefined ? declined : { ...declined, toldAt: at };
  }
  if (isNotSent(event)) {
    const { retryAt } = event.data;
    const retriedAs = event.type === 'AuthorizationNotSent' ? event.data.retriedAs : undefined;
    return {
      ...draft,
      state: 'not_sent',
      settledRevision,
      ...(retryAt !== undefined && { retryAt }),
      ...(retriedAs !== undefined && { retriedAs }),
    };
  }
  if (isNotFound(event)) {
    const { retryAt, evidence } = event.data;
    const byOperator = evidence.source === 'operator' ? ({ byOperator: true } as const) : {};
    return { ...draft, state: 'not_found', settledRevision, ...byOperator, ...(retryAt !== undefined && { retryAt }) };
  }
  if (isReturned(event)) {
    const { code, declineType, evidence } = event.data;
    const told = { ...(code !== undefined && { code }), ...(declineType !== undefined && { declineType }) };
    return { ...draft, state: 'returned', settledRevision, toldAt: toldAt(evidence, recorded.at), ...told };
  }
  if (event.type === 'CustomerActionRequired') return afterAction(draft, event, recorded, action);
  return afterRareOutcome(attempt, draft, event, recorded);
}

function afterAction(
  { resumed: _once, ...asked }: AttemptDraft,
  { data: { action, resumeTokenHash, expiresAt } }: Fact<'CustomerActionRequired'>,
  { at }: Recorded,
  ofMethod: MethodRules['action'],
): Attempt {
  return {
    ...asked,
    state: 'action_required',
    action,
    resumeTokenHash,
    requiredAt: at,
    expiresAt,
    nextLookUpAt: actionLookUpAt(action.kind === 'show' ? 'show' : ofMethod, expiresAt, asked.lookUps, at),
  };
}

type Rare = Exclude<OutcomeEvent, OperationEvent | Fact<'AuthorizationPrepared' | 'CustomerActionRequired'>>;

function afterRareOutcome(attempt: Attempt, draft: AttemptDraft, event: Rare, recorded: Recorded): Attempt {
  switch (event.type) {
    case 'SuccessConfirmed': {
      const confirmed = successOf(event.data, recorded);
      return {
        ...draft,
        ...confirmed,
        toldAt: Math.max(confirmed.toldAt, attempt.state === 'succeeded' ? attempt.toldAt : 0),
      };
    }
    case 'LateSuccessRecorded':
      return { ...draft, ...successOf(event.data, recorded), late: true };
    case 'MismatchRecorded': {
      const { amount, currencyCode, nextLookUpAt, operation } = event.data;
      const reported = { amount, currencyCode };
      // An authorization that nothing is built on is over with; money that moved wrongly stays open until somebody
      // clears it up.
      if (nextLookUpAt === undefined && operation !== 'authorization')
        return { ...draft, state: 'unknown', nextLookUpAt: recorded.at, reported, mismatchFound: true };
      return nextLookUpAt === undefined
        ? { ...draft, ...successOf(event.data, recorded), mismatched: true, reported }
        : { ...draft, state: 'unknown', nextLookUpAt, reported };
    }
    case 'AuthorizationResumed': {
      const { sendBy, nextLookUpAt } = event.data;
      return { ...draft, state: 'open', resumed: true, sendBy, nextLookUpAt };
    }
    case 'AuthenticationCompleted':
      return { ...draft, state: 'open', nextLookUpAt: event.data.nextLookUpAt };
    case 'CustomerActionGivenUp':
      if (!awaitsCustomer(attempt)) return { ...attempt, events: draft.events };
      return { ...attempt, events: draft.events, givenUp: true, nextLookUpAt: event.data.nextLookUpAt };
    case 'CustomerActionExpired':
      return { ...draft, state: 'action_expired', settledRevision: recorded.revision };
    case 'AttemptFenced': {
      if (attempt.state !== 'declined') return { ...attempt, events: draft.events, fenced: true };
      const { fenceAt: _owed, ...final } = attempt;
      return { ...final, events: draft.events, fenced: true };
    }
    default:
      return event satisfies never;
  }
}

interface ToldSuccess {
  readonly processorTransactionId: string;
  readonly amount?: number | undefined;
  readonly evidence: Fact<'PaymentCaptured'>['data']['evidence'];
}
const successOf = (
  { processorTransactionId, amount = 0, evidence }: ToldSuccess,
  { revision, at }: Recorded,
): SucceededAttempt => ({
  state: 'succeeded',
  processorTransactionId,
  bookedAmount: amount,
  toldAt: toldAt(evidence, at),
  settledRevision: revision,
});

/** The attempt after a look-up that did not settle it. */
export function afterLookUp(
  attempt: Attempt,
  { answer, nextLookUpAt }: Fact<'LookUpRecorded'>['data'],
  { at }: Recorded,
): Attempt {
  const lookUps = attempt.lookUps + 1;
  if (attempt.state === 'declined') return { ...attempt, lookUps, fenceAt: nextLookUpAt };
  if (!isOpen(attempt))
    return attempt.state === 'not_sent' || attempt.state === 'not_found'
      ? { ...attempt, lookUps, retryAt: nextLookUpAt }
      : attempt;
  const asked = { ...attempt, nextLookUpAt, lookUps };
  return answer === 'not_found' && attempt.notFoundAt === undefined ? { ...asked, notFoundAt: at } : asked;
}

/** The attempt after a later word that says what is on record. */
export function afterRepetition(
  attempt: Attempt,
  { evidence, code, declineType }: Fact<'OutcomeRepeated'>['data'],
  { at }: Recorded,
): Attempt {
  const told = {
    toldAt: toldAt(evidence, at),
    ...(code !== undefined && { code }),
    ...(declineType !== undefined && { declineType }),
  };
  switch (attempt.state) {
    case 'succeeded':
      return { ...attempt, toldAt: told.toldAt };
    case 'declined':
      return { ...attempt, ...told };
    case 'returned': {
      const { code: _older, declineType: _olderType, ...returned } = attempt;
      return { ...returned, ...told };
    }
    default:
      return attempt;
  }
}

/** The attempt with a line more in its history. */
export const withLine = (attempt: Attempt, line: AttemptEvent): Attempt => ({
  ...attempt,
  events: [...attempt.events, line],
});
