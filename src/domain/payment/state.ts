// The fold of a payment's events to the document that is known of it.
import type { Decider, Recorded } from '../decider.ts';
import { namesHolder, withoutHolder } from '../payment-instrument/recorded-data.ts';
import { METHODS } from '../payment-method.ts';
import { type Attempt, authorizationOf, awaitsCustomer } from './attempt.ts';
import {
  afterLookUp,
  afterOutcome,
  afterRepetition,
  type OutcomeEvent,
  outsideAttempt,
  requestedAttempt,
  withLine,
} from './attempt-fold.ts';
import { answeredDisputes, foldedDisputes } from './dispute-fold.ts';
import { type Fact, type PaymentCreation, type PaymentEvent, paymentCategory } from './events.ts';
import {
  attemptAskedFor,
  isOnTheWay,
  isOutside,
  isRequested,
  type OutsideEvent,
  operationOf,
  type RequestedEvent,
} from './fact-names.ts';
import { rulesOf, usesHold } from './operations.ts';
import type { Dispute, KnownPayment, Payment, PaymentRoute } from './payment.ts';
import { type Draft, finished, retotalled } from './totals.ts';

export const payment: Decider<Payment, PaymentEvent> = {
  category: paymentCategory,
  initial: { status: 'absent' },
  subjectOf(before, { type, data }, id) {
    const creation = type === 'PaymentCreated' ? data : 'creation' in before ? before.creation : undefined;
    const of = creation ?? ('accountId' in before ? before : undefined);
    return {
      accountId: of?.accountId ?? '',
      customerId: of?.customerId,
      otherwise: of?.sessionId === undefined ? `payment ${id}` : `session ${of.sessionId}`,
    };
  },
  // The process that records a request calls the processor, and records the outcome. An outcome that is recorded
  // together with a request, as before an automatic capture, is told to merchants at once, so its document does not
  // wait.
  goesOn: (events) => attemptAskedFor(events) !== undefined && events.every(isUntold),
  evolve: after,
  causeOf: (before, { type, data }) =>
    'cancellation' in before &&
    (type === 'PaymentCancelled' || ('follows' in data && data.follows?.because === 'intended_cancellation'))
      ? before.cancellation?.intendedBy
      : undefined,
};

/** True if the payment's fold holds personal data. */
export const holdsPerson = ({ customer, paymentMethod, disputes }: KnownPayment): boolean =>
  customer !== undefined ||
  namesHolder(paymentMethod.paymentMethodData) ||
  disputes.some(({ submission, answer }) => submission !== undefined || answer?.submission !== undefined);

function withoutPerson({ customer: _erased, ...payment }: KnownPayment): KnownPayment {
  const { paymentMethod } = payment;
  return {
    ...payment,
    paymentMethod: { ...paymentMethod, paymentMethodData: withoutHolder(paymentMethod.paymentMethodData) },
    disputes: payment.disputes.map(withoutEvidence),
  };
}

function withoutEvidence({ submission: _kept, answer, ...dispute }: Dispute): Dispute {
  if (answer === undefined) return dispute;
  const { submission: _sent, ...asked } = answer;
  return { ...dispute, answer: asked };
}

const isUntold = (event: PaymentEvent): boolean =>
  event.type === 'PaymentCreated' || isRequested(event) || isOnTheWay(event);

/** A draft of a payment with changed members. */
const drafted = (before: KnownPayment, change: Partial<Draft>): Draft => Object.assign({ ...before }, change);

function after(before: Payment, event: PaymentEvent, recorded: Recorded): Payment {
  if (event.type === 'PaymentCreated') return { status: 'created', creation: event.data };
  if (event.type === 'PaymentAbandoned') return { status: 'abandoned', abandonedAt: recorded.at };
  if (before.status === 'created' && event.type === 'RouteChosen') return { ...before, route: event.data };
  if (before.status === 'created' && event.type === 'AuthorizationRequested')
    return begun(before.creation, before.route, event, recorded);
  if (before.status === 'absent' || before.status === 'abandoned' || before.status === 'created')
    throw new Error(`${event.type} before AuthorizationRequested`);
  if (isRequested(event)) return afterRequest(before, event, recorded);
  if (isOutside(event)) return afterOutside(before, event, recorded);
  switch (event.type) {
    case 'LookUpRecorded': {
      const { data } = event;
      return {
        ...before,
        attempts: changed(before.attempts, data.attemptId, (attempt) => afterLookUp(attempt, data, recorded)),
      };
    }
    case 'OutcomeRepeated': {
      const { data } = event;
      const attempts = changed(before.attempts, data.attemptId, (attempt) => afterRepetition(attempt, data, recorded));
      return retotalled(drafted(before, { attempts, dateUpdated: recorded.at }));
    }
    case 'RouteChosen':
      return { ...before, route: { ...before.route, ...event.data } };
    case 'CancellationIntended':
      return intended(before, event.data, recorded);
    case 'PaymentCancelled':
      return retotalled(
        drafted(before, {
          status: 'CANCELLED',
          statusReason: undefined,
          cancellation: event.data,
          dateUpdated: recorded.at,
        }),
      );
    case 'AuthorizationExpired': {
      const line = { id: recorded.id, type: event.type, at: recorded.at };
      const attempts = changed(before.attempts, authorizationOf(before)?.attemptId, (attempt) =>
        withLine(attempt, line),
      );
      const { evidence } = event.data;
      const byClock = evidence === undefined || evidence.source === 'clock' ? ({ endedBy: 'clock' } as const) : {};
      return retotalled(drafted(before, { attempts, holdExpired: true, ...byClock, dateUpdated: recorded.at }));
    }
    case 'StandingRecorded':
      return withStanding(before, event.data, recorded);
    case 'DifferenceAccepted': {
      const { standing, ...rest } = before;
      const accepted = standing?.difference === undefined ? {} : { acceptedDifference: standing.difference };
      return { ...rest, ...accepted, dateUpdated: recorded.at };
    }
    case 'OverRefundAccepted':
      return retotalled(drafted(before, { overRefundAccepted: event.data.amount, dateUpdated: recorded.at }));
    case 'CustomerErased':
      return { ...withoutPerson(before), dateUpdated: recorded.at };
    case 'VaultingRecorded':
      return { ...vaulted(before, event.data.paymentMethodToken), vaulting: event.data, dateUpdated: recorded.at };
    case 'DisputeLookUpRecorded':
      return { ...before, disputes: answeredDisputes(before.disputes, event, recorded) };
    case 'DisputeEvidenceDrafted':
    case 'DisputeAnswerRequested':
    case 'DisputeAnswerDeclined':
    case 'DisputeAnswerPending':
    case 'DisputeAnswerNotSent':
    case 'DisputeAnswerOutcomeUnknown':
    case 'DisputeAnswerNotFound':
      return { ...before, disputes: answeredDisputes(before.disputes, event, recorded), dateUpdated: recorded.at };
    case 'DisputeOpened':
    case 'DisputeEvidenceSubmitted':
    case 'DisputeAccepted':
    case 'DisputeWon':
    case 'DisputeLost':
    case 'DisputeExpired':
    case 'DisputePrevented':
      return retotalled(
        drafted(before, { disputes: foldedDisputes(before.disputes, event, recorded.at), dateUpdated: recorded.at }),
      );
    default: {
      const draft = drafted(before, { dateUpdated: recorded.at });
      const { action } = METHODS[before.paymentMethod.paymentMethodType];
      draft.attempts = changed(before.attempts, event.data.attemptId, (attempt) =>
        afterOutcome(attempt, event, recorded, action),
      );
      writeOutcome(draft, event);
      return retotalled(draft);
    }
  }
}

/**
 * The processor is asked for the fence soon: the due time moves from the end of the customer's time to `nextLookUpAt`.
 */
function intended(
  before: KnownPayment,
  { nextLookUpAt, ...wish }: Fact<'CancellationIntended'>['data'],
  { id, at }: Recorded,
): KnownPayment {
  const wished = { ...before, cancellation: { ...wish, intendedBy: id }, dateUpdated: at };
  if (nextLookUpAt === undefined) return wished;
  const attempts = before.attempts.map((attempt) => (awaitsCustomer(attempt) ? { ...attempt, nextLookUpAt } : attempt));
  return { ...wished, attempts };
}

// Member by member, because leaving one out of a spread costs more than all the rest of the fold.
function begun(
  creation: PaymentCreation,
  route: PaymentRoute | undefined,
  event: Fact<'AuthorizationRequested'>,
  recorded: Recorded,
): KnownPayment {
  const { accountId, orderId, currencyCode, amount, paymentMethod } = creation;
  const { processor, connectionId } = event.data;
  const draft: Draft = {
    status: 'PENDING',
    accountId,
    date: recorded.at,
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
  const { sessionId, customerId, customer, order, metadata, returnUrl, shown, agreement, forAgreement } = creation;
  if (sessionId !== undefined) draft.sessionId = sessionId;
  if (customerId !== undefined) draft.customerId = customerId;
  if (customer !== undefined) draft.customer = customer;
  if (order !== undefined) draft.order = order;
  if (metadata !== undefined) draft.metadata = metadata;
  if (returnUrl !== undefined) draft.returnUrl = returnUrl;
  if (shown !== undefined) draft.shown = shown;
  if (agreement !== undefined) draft.agreement = agreement;
  if (forAgreement !== undefined) draft.forAgreement = forAgreement;
  if (route !== undefined) draft.route = route;
  return finished(draft);
}

const changed = (
  attempts: readonly Attempt[],
  attemptId: string | undefined,
  change: (attempt: Attempt) => Attempt,
): readonly Attempt[] => attempts.map((attempt) => (attempt.attemptId === attemptId ? change(attempt) : attempt));

function afterRequest(before: KnownPayment, event: RequestedEvent, recorded: Recorded): KnownPayment {
  const draft = drafted(before, { dateUpdated: recorded.at });
  if (event.type === 'AuthorizationRequested') {
    draft.processor = event.data.processor;
    draft.connectionId = event.data.connectionId;
  }
  const followed = before.attempts.find(({ attemptId }) => attemptId === event.data.follows?.attemptId);
  // what takes back an earlier authorization goes to where that one went
  const route = event.type === 'AuthorizationRequested' || followed === undefined ? draft : followed;
  draft.attempts = [...before.attempts, requestedAttempt(event, recorded, route)];
  if (event.data.follows !== undefined) return retotalled(draft);
  if (event.type === 'CaptureRequested' && event.data.metadata !== undefined)
    draft.metadata = { ...draft.metadata, ...event.data.metadata };
  if (draft.cancellation === undefined || !goesOn(event)) return retotalled(draft);
  const { cancellation: _givenUp, ...kept } = draft; // a payment that goes on is no longer to be cancelled
  return retotalled(kept);
}

function afterOutside(before: KnownPayment, event: OutsideEvent, recorded: Recorded): KnownPayment {
  const draft = drafted(before, { dateUpdated: recorded.at });
  draft.attempts = [...before.attempts, outsideAttempt(event, recorded, draft)];
  if (event.type !== 'CapturedOutside' || draft.endedBy !== 'clock') return retotalled(draft);
  const { endedBy: _clock, ...reopened } = draft;
  return retotalled({ ...reopened, status: 'AUTHORIZED', holdExpired: false });
}

function withStanding(
  before: KnownPayment,
  { answer, captured, capturable, refunded, currencyCode, nextLookUpAt }: Fact<'StandingRecorded'>['data'],
  { at }: Recorded,
): KnownPayment {
  const draft = drafted(before, {});
  if (answer === 'agrees' && nextLookUpAt === undefined) {
    const { standing: _settled, ...agreed } = draft;
    return finished(agreed);
  }
  const isOn = before.standing !== undefined && (before.standing.answer === 'agrees') === (answer === 'agrees');
  draft.standing = {
    answer,
    since: isOn ? before.standing.since : at,
    ...(nextLookUpAt !== undefined && { nextLookUpAt }),
    ...(captured !== undefined &&
      capturable !== undefined &&
      refunded !== undefined &&
      currencyCode !== undefined && { difference: { captured, capturable, refunded, currencyCode } }),
  };
  // a difference is news for an operator; that it was asked again is not
  if (answer === 'differs' && before.standing?.answer !== 'differs') draft.dateUpdated = at;
  return finished(draft);
}

/** True if something is asked of the authorization other than to release it. */
function goesOn(event: RequestedEvent): boolean {
  const operation = operationOf(event);
  return operation !== 'authorization' && usesHold({ operation }) && rulesOf(operation).money !== 'released';
}

const vaulted = (before: KnownPayment, paymentMethodToken: string | undefined): KnownPayment =>
  paymentMethodToken === undefined
    ? before
    : { ...before, paymentMethod: { ...before.paymentMethod, paymentMethodToken, isVaulted: true } };

/** The changes of an outcome besides its attempt, and the totals that follow from the attempts. */
function writeOutcome(draft: Draft, event: OutcomeEvent): void {
  const { data } = event;
  const isNewest = authorizationOf(draft)?.attemptId === data.attemptId;
  if (isNewest && 'processorTransactionId' in data && data.processorTransactionId !== undefined)
    draft.processorTransactionId = data.processorTransactionId;
  if ('avsResult' in data && data.avsResult !== undefined) draft.avsResult = data.avsResult;
  if ('cvcResult' in data && data.cvcResult !== undefined) draft.cvcResult = data.cvcResult;
  if ('threeDSecure' in data && data.threeDSecure !== undefined) draft.threeDSecure = data.threeDSecure;
  if ('holdExpiresAt' in data && data.holdExpiresAt !== undefined) draft.holdExpiresAt = data.holdExpiresAt;
  if ('possible' in data && data.possible !== undefined) draft.possible = data.possible;
  // a refusal at another connection has names, too, and nothing refers to it later
  if (event.type !== 'PaymentAuthorized' && event.type !== 'SuccessConfirmed') return;
  const { networkTransactionId, transactionLinkId } = event.data;
  if (networkTransactionId !== undefined) draft.networkTransactionId = networkTransactionId;
  if (transactionLinkId !== undefined) draft.transactionLinkId = transactionLinkId;
}
