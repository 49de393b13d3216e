// The fold of a payment's events; for those outside this folder also the document that it makes, and what they may ask of it.
import type { Decider, Recorded } from '../decider.ts';
import { type Attempt, afterLearning, afterLookUp, requestedAttempt } from './attempt.ts';
import { type PaymentCreation, type PaymentEvent, paymentCategory } from './events.ts';
import type { KnownPayment, Payment } from './payment.ts';
import { authorizationOf, type Draft, retotalled } from './totals.ts';

export { type Attempt, type AttemptEvent, type AttemptState, callHasEnded, isBooked, isInDoubt, isOpen, paymentIdOf } from './attempt.ts';
export type { PaymentCreation, PaymentEvent } from './events.ts';
export { lookUpAfter, lookUpSchedule, nextLookUpAt } from './look-up-schedule.ts';
export { type KnownPayment, type Payment, type PaymentStatus, paymentStatuses } from './payment.ts';
export {
  attemptOf,
  attemptsToAskAbout,
  awaitsOperator,
  dueExpiryAt,
  dueLookUpAt,
  givesTokenBack,
  isKnown,
  isOver,
  isVouched,
  openAttempts,
  openOverRefund,
  refusedReversals,
  unsettledAttempts,
  wantsVaulting,
} from './queries.ts';
export { isFinal } from './totals.ts';

export const payment: Decider<Payment, PaymentEvent> = {
  category: paymentCategory,
  initial: { status: 'absent' },
  evolve(before, event, recorded) {
    if (event.type === 'PaymentCreated') return created(event.data, recorded);
    if (event.type === 'PaymentAbandoned') return { status: 'abandoned', ...event.data };
    if (before.status === 'absent' || before.status === 'abandoned') throw new Error(`${event.type} before PaymentCreated`);
    switch (event.type) {
      case 'AuthorizationRequested':
      case 'CaptureRequested':
      case 'CancellationRequested':
      case 'RefundRequested':
      case 'AdjustmentRequested': {
        const draft: Draft = { ...afterRequest(before, event), dateUpdated: recorded.at };
        draft.attempts = [...before.attempts, requestedAttempt(event, recorded)];
        return retotalled(draft);
      }
      case 'LookUpScheduled': {
        const { data } = event;
        return { ...before, attempts: changed(before.attempts, data.attemptId, (attempt) => afterLookUp(attempt, data)) };
      }
      case 'CancellationIntended': {
        const { attemptId, reason } = event.data;
        return { ...before, cancellation: { attemptId, ...(reason !== undefined && { reason }) }, dateUpdated: recorded.at };
      }
      case 'PaymentCancelled': {
        const { attemptId, reason } = event.data;
        const cancellation = { attemptId, ...(reason !== undefined && { reason }) };
        return retotalled({ ...before, status: 'CANCELLED', cancellation, dateUpdated: recorded.at });
      }
      case 'AuthorizationExpired': {
        const expired = { id: recorded.id, type: event.type, at: event.data.at };
        const toldBy = (authorization: Attempt): Attempt => ({ ...authorization, events: [...authorization.events, expired] });
        const attempts = changed(before.attempts, authorizationOf(before)?.attemptId, toldBy);
        return retotalled({ ...before, attempts, restReleased: true, dateUpdated: recorded.at });
      }
      case 'OverRefundAccepted':
        return retotalled({ ...before, overRefundAccepted: event.data.amount, dateUpdated: recorded.at });
      case 'VaultingRecorded':
        return { ...vaulted(before, event.data.paymentMethodToken), vaulting: event.data, dateUpdated: recorded.at };
      default: {
        const { attemptId } = event.data;
        const draft: Draft = { ...before, dateUpdated: recorded.at };
        draft.attempts = changed(before.attempts, attemptId, (attempt) => afterLearning(attempt, event, recorded, before.attempts));
        writeOutcome(draft, event);
        return retotalled(draft);
      }
    }
  },
};

// Member by member, because leaving one out of a spread costs more than all the rest of the fold.
function created(creation: PaymentCreation, recorded: Recorded): KnownPayment {
  const { accountId, createdAt, orderId, currencyCode, amount, processor, processorToken, paymentMethod } = creation;
  const draft: Draft = {
    status: 'PENDING',
    accountId,
    date: createdAt,
    dateUpdated: recorded.at,
    orderId,
    currencyCode,
    amount,
    processor,
    processorToken,
    paymentMethod,
    amountAuthorized: 0,
    amountCapturable: 0,
    amountCaptured: 0,
    amountCapturePending: 0,
    amountRefundable: 0,
    amountRefunded: 0,
    amountRefundPending: 0,
    restReleased: false,
    attempts: [],
  };
  const { sessionId, customerId, customer, order, metadata, returnUrl } = creation;
  if (sessionId !== undefined) draft.sessionId = sessionId;
  if (customerId !== undefined) draft.customerId = customerId;
  if (customer !== undefined) draft.customer = customer;
  if (order !== undefined) draft.order = order;
  if (metadata !== undefined) draft.metadata = metadata;
  if (returnUrl !== undefined) draft.returnUrl = returnUrl;
  return draft;
}

const changed = (attempts: readonly Attempt[], attemptId: string | undefined, change: (attempt: Attempt) => Attempt): readonly Attempt[] =>
  attempts.map((attempt) => (attempt.attemptId === attemptId ? change(attempt) : attempt));

function afterRequest(before: KnownPayment, { type, data }: Extract<PaymentEvent, { type: `${string}Requested` }>): KnownPayment {
  if (data.follows !== undefined || (type !== 'CaptureRequested' && type !== 'AdjustmentRequested')) return before;
  const { cancellation: _givenUp, ...kept } = before; // whoever goes on with a payment no longer wants it cancelled
  return type === 'CaptureRequested' && data.metadata !== undefined ? { ...kept, metadata: { ...kept.metadata, ...data.metadata } } : kept;
}

const vaulted = (before: KnownPayment, paymentMethodToken: string | undefined): KnownPayment =>
  paymentMethodToken === undefined
    ? before
    : { ...before, paymentMethod: { ...before.paymentMethod, paymentMethodToken, isVaulted: true } };

/** What an outcome changes besides its attempt, and the totals that follow from the attempts. */
function writeOutcome(draft: Draft, event: PaymentEvent): void {
  switch (event.type) {
    case 'AttemptSucceeded':
      writeSuccess(draft, event.data);
      return;
    case 'AttemptDeclined':
    case 'AttemptPending':
    case 'AnswerMismatched':
    case 'LateSuccessRecorded': {
      const { operation, processorTransactionId } = event.data;
      if (operation === 'authorization' && processorTransactionId !== undefined) draft.processorTransactionId = processorTransactionId;
    }
  }
}

function writeSuccess(draft: Draft, data: Extract<PaymentEvent, { type: 'AttemptSucceeded' }>['data']): void {
  const { operation, attemptId, processorTransactionId, avsResult, cvcResult, holdExpiresAt } = data;
  switch (operation) {
    case 'authorization':
      draft.processorTransactionId = processorTransactionId;
      if (avsResult !== undefined) draft.avsResult = avsResult;
      if (cvcResult !== undefined) draft.cvcResult = cvcResult;
      if (holdExpiresAt !== undefined) draft.holdExpiresAt = holdExpiresAt;
      return;
    case 'capture':
      if (draft.attempts.some((attempt) => attempt.attemptId === attemptId && attempt.final === true)) draft.restReleased = true;
      return;
    case 'cancellation':
      draft.restReleased = true;
      return;
    case 'adjustment':
    case 'refund':
      return;
    default:
      operation satisfies never;
  }
}
