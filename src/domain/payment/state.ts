// The fold of a payment's events to the document that is known of it.
import type { Decider, Recorded } from '../decider.ts';
import type { Attempt, Checks } from './attempt.ts';
import { afterLookUp, afterOutcome, type OutcomeEvent, requestedAttempt, withLine } from './attempt-fold.ts';
import { foldedDisputes } from './dispute-fold.ts';
import { type Fact, type PaymentCreation, type PaymentEvent, paymentCategory } from './events.ts';
import type { RequestedEvent } from './fact-names.ts';
import type { KnownPayment, Payment } from './payment.ts';
import { authorizationOf, type Draft, finished, retotalled } from './totals.ts';

export const payment: Decider<Payment, PaymentEvent> = {
  category: paymentCategory,
  initial: { status: 'absent' },
  evolve(before, event, recorded) {
    if (event.type === 'PaymentCreated') return { status: 'created', creation: event.data };
    if (event.type === 'PaymentAbandoned') return { status: 'abandoned', abandonedAt: recorded.at };
    if (before.status === 'created' && event.type === 'AuthorizationRequested') return begun(before.creation, event, recorded);
    if (before.status === 'absent' || before.status === 'abandoned' || before.status === 'created')
      throw new Error(`${event.type} before AuthorizationRequested`);
    switch (event.type) {
      case 'AuthorizationRequested':
      case 'CaptureRequested':
      case 'CancellationRequested':
      case 'RefundRequested':
      case 'AdjustmentRequested':
        return afterRequest(before, event, recorded);
      case 'LookUpRecorded': {
        const { data } = event;
        return { ...before, attempts: changed(before.attempts, data.attemptId, (attempt) => afterLookUp(attempt, data, recorded)) };
      }
      case 'CancellationIntended':
        return { ...before, cancellation: event.data, dateUpdated: recorded.at };
      case 'PaymentCancelled':
        return retotalled(
          draftOf(before, { status: 'CANCELLED', statusReason: undefined, cancellation: event.data, dateUpdated: recorded.at }),
        );
      case 'AuthorizationExpired': {
        const line = { id: recorded.id, type: event.type, at: recorded.at };
        const attempts = changed(before.attempts, authorizationOf(before)?.attemptId, (attempt) => withLine(attempt, line));
        return retotalled(draftOf(before, { attempts, holdExpired: true, dateUpdated: recorded.at }));
      }
      case 'OverRefundAccepted':
        return retotalled(draftOf(before, { overRefundAccepted: event.data.amount, dateUpdated: recorded.at }));
      case 'VaultingRecorded':
        return { ...vaulted(before, event.data.paymentMethodToken), vaulting: event.data, dateUpdated: recorded.at };
      case 'DisputeOpened':
      case 'DisputeEvidenceSubmitted':
      case 'DisputeAccepted':
      case 'DisputeWon':
      case 'DisputeLost':
      case 'DisputeExpired':
        return retotalled(draftOf(before, { disputes: foldedDisputes(before.disputes, event), dateUpdated: recorded.at }));
      default: {
        const draft = draftOf(before, { dateUpdated: recorded.at });
        draft.attempts = changed(before.attempts, event.data.attemptId, (attempt) => afterOutcome(attempt, event, recorded));
        writeOutcome(draft, event);
        return retotalled(draft);
      }
    }
  },
};

const draftOf = (before: KnownPayment, change: Partial<Draft>): Draft => ({ ...before, ...change });

// Member by member, because leaving one out of a spread costs more than all the rest of the fold.
function begun(creation: PaymentCreation, event: Fact<'AuthorizationRequested'>, recorded: Recorded): KnownPayment {
  const { accountId, createdAt, orderId, currencyCode, amount, paymentMethod } = creation;
  const { processor, connectionId } = event.data;
  const draft: Draft = {
    status: 'PENDING',
    accountId,
    date: createdAt,
    dateUpdated: recorded.at,
    orderId,
    currencyCode,
    amount,
    paymentMethod,
    processor,
    connectionId,
    amountAuthorized: 0,
    amountCapturable: 0,
    amountCaptured: 0,
    amountCapturePending: 0,
    amountRefundable: 0,
    amountRefunded: 0,
    amountRefundPending: 0,
    amountDisputed: 0,
    holdExpired: false,
    restReleased: false,
    attempts: [requestedAttempt(event, recorded, event.data)],
    disputes: [],
  };
  const { sessionId, customerId, customer, order, metadata, returnUrl } = creation;
  if (sessionId !== undefined) draft.sessionId = sessionId;
  if (customerId !== undefined) draft.customerId = customerId;
  if (customer !== undefined) draft.customer = customer;
  if (order !== undefined) draft.order = order;
  if (metadata !== undefined) draft.metadata = metadata;
  if (returnUrl !== undefined) draft.returnUrl = returnUrl;
  return finished(draft);
}

const changed = (attempts: readonly Attempt[], attemptId: string | undefined, change: (attempt: Attempt) => Attempt): readonly Attempt[] =>
  attempts.map((attempt) => (attempt.attemptId === attemptId ? change(attempt) : attempt));

function afterRequest(before: KnownPayment, event: RequestedEvent, recorded: Recorded): KnownPayment {
  const draft = draftOf(before, { dateUpdated: recorded.at });
  if (event.type === 'AuthorizationRequested') {
    draft.processor = event.data.processor;
    draft.connectionId = event.data.connectionId;
  }
  draft.attempts = [...before.attempts, requestedAttempt(event, recorded, draft)];
  if (event.data.follows !== undefined || (event.type !== 'CaptureRequested' && event.type !== 'AdjustmentRequested'))
    return retotalled(draft);
  if (event.type === 'CaptureRequested' && event.data.metadata !== undefined)
    draft.metadata = { ...draft.metadata, ...event.data.metadata };
  if (draft.cancellation === undefined) return retotalled(draft);
  const { cancellation: _givenUp, ...kept } = draft; // a payment that goes on is no longer to be cancelled
  return retotalled(kept);
}

const vaulted = (before: KnownPayment, paymentMethodToken: string | undefined): KnownPayment =>
  paymentMethodToken === undefined
    ? before
    : { ...before, paymentMethod: { ...before.paymentMethod, paymentMethodToken, isVaulted: true } };

/** What an outcome changes besides its attempt, and the totals that follow from the attempts. */
function writeOutcome(draft: Draft, event: OutcomeEvent): void {
  switch (event.type) {
    case 'PaymentAuthorized':
      writeName(draft, event.data.processorTransactionId);
      writeChecks(draft, event.data);
      return;
    case 'AuthorizationDeclined':
    case 'AuthorizationPending':
    case 'CustomerActionRequired':
      writeName(draft, event.data.processorTransactionId);
      return;
    case 'SuccessConfirmed':
    case 'MismatchRecorded':
    case 'LateSuccessRecorded':
      if (event.data.operation !== 'authorization') return;
      writeName(draft, event.data.processorTransactionId);
      if (event.type === 'SuccessConfirmed') writeChecks(draft, event.data);
      return;
    case 'AuthenticationCompleted':
      draft.threeDSecure = event.data.threeDSecure;
  }
}

function writeName(draft: Draft, processorTransactionId: string | undefined): void {
  if (processorTransactionId !== undefined) draft.processorTransactionId = processorTransactionId;
}

function writeChecks(draft: Draft, { avsResult, cvcResult, threeDSecure, holdExpiresAt }: Checks): void {
  if (avsResult !== undefined) draft.avsResult = avsResult;
  if (cvcResult !== undefined) draft.cvcResult = cvcResult;
  if (threeDSecure !== undefined) draft.threeDSecure = threeDSecure;
  if (holdExpiresAt !== undefined) draft.holdExpiresAt = holdExpiresAt;
}
