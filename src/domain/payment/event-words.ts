// The words for an event besides its type: its sentence, and a title for a timeline. They are created when they are
// shown.
import { inCurrency } from '../money.ts';
import type { Operation } from '../operation.ts';
import { SKIPPED } from '../routing/recorded-rules.ts';
import type { Fact, PaymentEvent, SkippedConnection } from './events.ts';
import {
  isOfOperation,
  isOutside,
  isRequested,
  operationOf,
  type RequestedEvent,
  type Result,
  resultOf,
} from './fact-names.ts';
import { isAuthenticated, whatIsKnown } from './what-is-known.ts';

/** The operation of each attempt, by its id, out of the payment's whole history. */
export function operationsIn(events: Iterable<PaymentEvent>): ReadonlyMap<string, Operation> {
  const operations = new Map<string, Operation>();
  for (const event of events)
    if (isRequested(event) || isOutside(event)) operations.set(event.data.attemptId, operationOf(event));
  return operations;
}

/** The operation that an event is about; undefined for one of the payment as a whole. */
export const operationAbout = (
  { data }: PaymentEvent,
  operations: ReadonlyMap<string, Operation>,
): Operation | undefined =>
  'attemptId' in data && data.attemptId !== undefined ? operations.get(data.attemptId) : undefined;

/**
 * The details of an event besides its type: its evidence in a sentence, or the words of the person who asked. Undefined
 * if the evidence names only its source. `timeOf` formats a time (ms) for the reader.
 */
export function toldBy(
  event: PaymentEvent,
  operation: Operation = 'authorization',
  timeOf: (ms: number) => string,
): string | undefined {
  switch (event.type) {
    case 'PaymentCreated':
      return shownWords(event.data.shown);
    case 'RouteChosen':
      return routeWords(event.data);
    case 'CancellationIntended':
    case 'PaymentCancelled':
    case 'CancellationRequested':
    case 'RefundRequested':
      return event.data.reason;
    case 'VaultingRecorded':
      return event.data.refused === undefined
        ? `vaulted as ${event.data.paymentMethodToken}`
        : `refused: ${event.data.refused}`;
    case 'LookUpRecorded':
    case 'DisputeLookUpRecorded':
      return evidence(event, operation, `The next look-up is ${timeOf(event.data.nextLookUpAt)}.`);
    default:
      return evidence(event, operation);
  }
}

/** The sentence on the amount that the customer saw and agreed to; undefined for a payment without a pay button. */
const shownWords = (
  shown: { readonly amount: number; readonly currencyCode: string } | undefined,
): string | undefined => shown && `The pay button showed ${inCurrency(shown.amount, shown.currencyCode)}.`;

/** Connections by their names; by their ids in the choices of an older version. */
export function routeWords({
  version,
  rule,
  skipped,
  ...chosen
}: Omit<Fact<'RouteChosen'>['data'], 'attemptId'>): string {
  const nameOf = ({ connectionId, connectionName = connectionId }: Omit<SkippedConnection, 'because'>): string =>
    connectionName;
  return [
    `The rule ${JSON.stringify(rule)} of version ${version} chose ${nameOf(chosen)}.`,
    ...skipped.map((one) => `${nameOf(one)} was skipped: it ${SKIPPED[one.because]}.`),
  ].join(' ');
}

/** `more`: a sentence after a text that may be no sentence: operators write freely. */
function evidence(event: PaymentEvent, operation: Operation, more?: string): string | undefined {
  const { data } = event;
  if (!('evidence' in data) || data.evidence === undefined) return undefined;
  const known = whatIsKnown(event, operation) ?? ('detail' in data.evidence ? data.evidence.detail : undefined);
  const sentences = more === undefined ? [known] : [known?.replace(/[^.!?]$/, '$&.'), more];
  const told = sentences.filter((one) => one !== undefined).join(' ');
  return told === '' ? undefined : told;
}

const NOUN: { readonly [O in Operation]: string } = {
  authorization: 'Authorization',
  capture: 'Capture',
  cancellation: 'Cancellation',
  refund: 'Refund',
  adjustment: 'Adjustment',
};
const DONE: { readonly [O in Operation]: string } = {
  authorization: 'Authorized',
  capture: 'Captured',
  cancellation: 'Authorization released',
  refund: 'Refunded',
  adjustment: 'Authorization adjusted',
};
const ENDED: { readonly [R in Exclude<Result, 'succeeded'>]: string } = {
  requested: 'requested',
  declined: 'declined',
  pending: 'pending',
  not_sent: 'not sent',
  unknown: 'outcome unknown',
  not_found: 'did not happen',
  returned: 'returned',
  outside: 'made at the processor',
};

/**
 * A heading for the event in a timeline: "Captured", "Refund declined", "Outcome looked up"; its type in words where
 * nothing says more.
 */
export function titleOf(event: PaymentEvent, operation: Operation = 'authorization'): string {
  if (isOfOperation(event)) {
    const result = resultOf(event);
    return result === 'succeeded' ? DONE[operationOf(event)] : `${NOUN[operationOf(event)]} ${ENDED[result]}`;
  }
  switch (event.type) {
    case 'PaymentCreated':
      return 'Payment created';
    case 'SuccessConfirmed':
      return `${NOUN[operation]} confirmed by the processor`;
    case 'OutcomeRepeated':
      return `${NOUN[operation]} reported again`;
    case 'LateSuccessRecorded':
      return `${NOUN[operation]} succeeded too late`;
    case 'MismatchRecorded':
      return `${NOUN[operation]} with a different amount`;
    case 'LookUpRecorded':
      return `${NOUN[operation]} looked up`;
    case 'AttemptFenced':
      return `${NOUN[operation]} fenced`;
    case 'CustomerActionRequired':
      return 'Customer action required';
    case 'AuthorizationPrepared':
      return 'Authorization prepared';
    case 'AuthorizationResumed':
      return 'Customer returned';
    case 'AuthenticationCompleted':
      return isAuthenticated(event) ? 'Customer authenticated' : 'Customer not authenticated';
    case 'CustomerActionGivenUp':
      return 'Customer chose another way to pay';
    case 'CustomerActionExpired':
      return 'Customer can no longer act';
    case 'CancellationIntended':
      return 'Cancellation requested';
    case 'OverRefundAccepted':
      return 'Over-refund closed';
    case 'StandingRecorded':
      return STANDING[event.data.answer];
    case 'DifferenceAccepted':
      return 'Difference closed';
    case 'VaultingRecorded':
      return event.data.refused === undefined ? 'Card vaulted' : 'Card not vaulted';
    case 'DisputeEvidenceDrafted':
      return 'Dispute evidence saved';
    case 'DisputeAnswerRequested':
      return event.data.answer === 'evidence' ? 'Dispute challenge requested' : 'Dispute acceptance requested';
    case 'DisputeAnswerDeclined':
      return 'Dispute response declined';
    case 'DisputeAnswerPending':
      return 'Dispute response pending';
    case 'DisputeAnswerNotSent':
      return 'Dispute response not sent';
    case 'DisputeAnswerOutcomeUnknown':
      return 'Dispute response: outcome unknown';
    case 'DisputeAnswerNotFound':
      return 'Dispute response did not arrive';
    case 'DisputeLookUpRecorded':
      return 'Dispute looked up';
    case 'DisputeEvidenceSubmitted':
      return event.data.submitted ? 'Dispute challenged' : 'Dispute evidence saved';
    default:
      return inWords(event.type);
  }
}

const STANDING: { readonly [A in Fact<'StandingRecorded'>['data']['answer']]: string } = {
  changed: 'Changed at the processor',
  unreachable: 'Read at the processor: no answer',
  agrees: 'Read at the processor: as recorded',
  differs: 'Differs at the processor',
};

/** `DisputeOpened`: "Dispute opened". */
const inWords = (type: string): string => type.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const VERB: { readonly [O in Operation]: string } = {
  authorization: 'to authorize',
  capture: 'to capture',
  cancellation: 'to release the authorization',
  refund: 'to refund',
  adjustment: 'to adjust the authorization to',
};
const BECAUSE: { readonly [B in NonNullable<RequestedEvent['data']['follows']>['because']]: string } = {
  authentication_required: 'The issuer requires the customer to authenticate first.',
  with_authorization: 'The money was taken with the authorization: there is nothing left to capture.',
  fallback: 'The rules of routing ask another connection after such an outcome.',
  automatic_capture: 'The payment is captured as soon as it is authorized.',
  intended_cancellation: 'The cancellation was requested before the outcome of the authorization was known.',
  answer_mismatch: 'A success with a different amount or currency than requested is being reversed.',
  late_success: 'An unexpected success is being reversed.',
};

/** `who`: the actor, as the beginning of a sentence. `timeOf` writes a time (ms) for the reader. */
export function whyWords(
  event: PaymentEvent,
  operation: Operation | undefined,
  who: string,
  timeOf: (ms: number) => string,
): string {
  if (event.type === 'PaymentCreated') {
    const { amount, currencyCode, orderId, shown } = event.data;
    const asked = `${who} asked for a payment of ${inCurrency(amount, currencyCode)} for ${orderId}.`;
    return shown === undefined ? asked : `${asked} ${shownWords(shown)}`;
  }
  if (isRequested(event)) return requestWords(event, who);
  if (event.type === 'DisputeAnswerRequested')
    return `${who} asked ${event.data.answer === 'evidence' ? 'to challenge the dispute with evidence' : 'to accept the dispute'}. The request was allowed, and recorded before the call.`;
  if (event.type === 'DisputeEvidenceDrafted') return `${who} saved evidence for the dispute.`;
  const told = toldBy(event, operation, timeOf);
  const title = titleOf(event, operation);
  return told === undefined ? `${title}.` : `${title}: ${told.replace(/[^.!?]$/, '$&.')}`;
}

function requestWords(event: RequestedEvent, who: string): string {
  const { data } = event;
  const verb = VERB[operationOf(event)];
  const what = 'amount' in data ? `${verb} ${inCurrency(data.amount, data.currencyCode)}` : verb;
  const reason =
    'reason' in data && data.reason !== undefined ? ` Reason: ${data.reason.replace(/[^.!?]$/, '$&.')}` : '';
  if (data.follows === undefined)
    return `${who} asked ${what}. The request was allowed, and recorded before the call.${reason}`;
  return `The service decided ${what}. ${BECAUSE[data.follows.because]}`;
}
