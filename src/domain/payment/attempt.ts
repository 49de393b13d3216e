// One thing asked of a processor for a payment, and what is known of it.
import type { Operation } from '../operation.ts';
import type { Allocation, AskedAgain, Fact, FollowUp, PaymentEvent, WithAuthorization } from './events.ts';
import type { DeclineType, Evidence, EvidenceSource, RefusalTold, Succeeded } from './outcome.ts';

/** A line of the attempt's own history (contract §4, `transactions[].events[]`). */
export interface AttemptEvent {
  /** The stored event's id, a bare UUID. */
  readonly id: string;
  readonly type: PaymentEvent['type'];
  /** When it was recorded, ms. */
  readonly at: number;
  readonly amount?: number;
  readonly evidence?: EvidenceSource;
}

/** The request of an attempt, and what stays whatever its outcome. */
export interface Asked {
  /** `<paymentId>.<suffix>` */
  readonly attemptId: string;
  /** The attempt's name at the processor. */
  readonly reference: string;
  readonly operation: Operation;
  /** Asked for, minor units; 0 for a cancellation, the new total for an adjustment. */
  readonly amount: number;
  readonly processor: string;
  readonly connectionId: string;
  /** An authorization: the processor's name for the card. */
  readonly processorToken?: string;
  /** An authorization: the issuer has asked for the customer to be authenticated. */
  readonly threeDSecure?: 'ask';
  /** An authorization: the merchant has begun it, and the customer is not there to be asked. */
  readonly offSession?: true;
  /** An authorization: nothing that may move money is sent before its name at the processor is on record. */
  readonly prepares?: true;
  readonly requestedAt: number;
  readonly requestedRevision: number;
  readonly sendBy: number;
  /** A capture: whether the rest is released with it. */
  readonly final?: boolean;
  readonly refund?: {
    readonly refundId: string;
    readonly orderId?: string | undefined;
    readonly reason?: string | undefined;
    readonly allocations: readonly Allocation[];
  };
  /** Nobody here asked for it: somebody moved the money at the processor, by whose name it is known. */
  readonly outside?: true;
  /** Nobody asked for it: it follows from another attempt. */
  readonly follows?: FollowUp | AskedAgain | WithAuthorization;
  readonly processorTransactionId?: string;
  /** An authorization that required an action of the customer: the keyed hash of its resume token. */
  readonly resumeTokenHash?: string;
  /** True if the resume token was used: the processor is asked to continue, and never to start again. */
  readonly resumed?: true;
  /** The revision of the event that first reported an outcome, including a pending one. */
  readonly answeredRevision?: number;
  /** How often the processor was asked without settling it. */
  readonly lookUps: number;
  /** True if the attempt can no longer take effect. */
  readonly fenced?: true;
  readonly events: readonly AttemptEvent[];
}

/** The success that the processor reports with a different amount or currency than requested; minor units. */
export interface Reported {
  readonly amount: number;
  readonly currencyCode: string;
}

/** Not settled. `nextLookUpAt`: when the processor is asked next, ms. */
interface Unsettled {
  readonly nextLookUpAt: number;
  /** When a look-up first did not find it, ms; since what was last learnt of it. */
  readonly notFoundAt?: number;
}
interface Settled {
  /** Revision of the event that settled it. */
  readonly settledRevision: number;
}
/** It did not happen. `retryAt`: when a reversal is tried again, ms. */
interface NotDone extends Settled {
  readonly retryAt?: number;
}

/** No word yet. */
interface UnansweredAttempt extends Unsettled {
  readonly state: 'open';
}
/** Sent, and the response was lost, or the report of the processor was not accepted. */
interface UnknownAttempt extends Unsettled {
  readonly state: 'unknown';
  readonly reported?: Reported;
  /** A look-up has found it so as well: the processor has nothing more to tell, and an operator closes it. */
  readonly mismatchFound?: true;
}
/** The processor has it and will tell. */
interface PendingAttempt extends Unsettled {
  readonly state: 'pending';
}
/** The customer has to do something before it goes on; that is looked at when it expires, ms. */
export interface ActionRequired extends Unsettled {
  readonly state: 'action_required';
  readonly action: Fact<'CustomerActionRequired'>['data']['action'];
  readonly resumeTokenHash: string;
  readonly requiredAt: number;
  /** The resume token is good until then, ms. */
  readonly expiresAt: number;
  /** The customer wants to pay in another way. */
  readonly givenUp?: true;
}
export interface SucceededAttempt extends Settled {
  readonly state: 'succeeded';
  readonly processorTransactionId: string;
  /** As it was booked, minor units. */
  readonly bookedAmount: number;
  /**
   * The time (ms) of the newest report: by the processor's clock, otherwise when the processor was asked, otherwise
   * when it was recorded.
   */
  readonly toldAt: number;
  /** The payment had no place for it: in no total. */
  readonly late?: true;
  /** An authorization of another amount or currency than asked: in no total. */
  readonly mismatched?: true;
  readonly reported?: Reported;
}
interface DeclinedAttempt extends Settled {
  readonly state: 'declined';
  /** The attempt that goes on in its place. */
  readonly retriedAs?: string;
  readonly code: string;
  readonly declineType: DeclineType;
  /** An authorization without the customer: the network's own codes, and its advice. */
  readonly told?: RefusalTold;
  /** By the processor itself: no issuer was asked. */
  readonly refused?: true;
  /**
   * The time (ms) of the newest report: by the processor's clock, otherwise when a look-up asked; undefined for a
   * response.
   */
  readonly toldAt?: number;
  /** When the processor is asked for the fence that makes the refusal final, ms; undefined if none is owed. */
  readonly fenceAt?: number;
}
/** It had succeeded and came back: it counts as if it had failed. */
interface ReturnedAttempt extends Settled {
  readonly state: 'returned';
  /** When the newest such word was so, ms. */
  readonly toldAt: number;
  readonly code?: string;
  readonly declineType?: DeclineType;
}
/** It never got there. */
interface NotSentAttempt extends NotDone {
  readonly state: 'not_sent';
  /** The attempt that goes on in its place. */
  readonly retriedAs?: string;
}
/** The processor never saw it. */
interface NotFoundAttempt extends NotDone {
  readonly state: 'not_found';
  /** An operator found out that it did not happen. */
  readonly byOperator?: true;
}
/** The customer did not do what had to be done. */
interface ActionExpired extends Settled {
  readonly state: 'action_expired';
}

type KnownAttempt =
  | UnansweredAttempt
  | UnknownAttempt
  | PendingAttempt
  | ActionRequired
  | SucceededAttempt
  | DeclinedAttempt
  | ReturnedAttempt
  | NotSentAttempt
  | NotFoundAttempt
  | ActionExpired;
export type Attempt = Asked & KnownAttempt;
export type AttemptState = Attempt['state'];
export type OpenAttempt = Asked & (UnansweredAttempt | UnknownAttempt | PendingAttempt | ActionRequired);

/** The authorization of a payment that counts: an issuer may have asked for another one. */
export const authorizationOf = ({ attempts }: { readonly attempts: readonly Attempt[] }): Attempt | undefined =>
  attempts.findLast(({ operation }) => operation === 'authorization');

/** Not settled: it may have happened, or still happen. */
export const isOpen = (attempt: Attempt): attempt is OpenAttempt =>
  attempt.state === 'open' ||
  attempt.state === 'unknown' ||
  attempt.state === 'pending' ||
  attempt.state === 'action_required';

/** No report of the processor counts yet: its call is in progress, its response was lost, or was not accepted. */
export const isUnanswered = ({ state }: Attempt): boolean => state === 'open' || state === 'unknown';

/**
 * True if the newest call is definitely over: its response, or its timeout, is recorded. If only a look-up calls it
 * unknown, the call may still be running.
 */
export const callHasEnded = ({ state, events }: Attempt): boolean =>
  state === 'not_found' ||
  events.slice(events.findLastIndex(beginsCall) + 1).some(({ evidence }) => evidence === 'answer');

/** When the customer last came back, ms: a second call began. Undefined before. */
export const resumedAt = ({ events }: Attempt): number | undefined => events.findLast(isOfCall)?.at;

/** Began a second call: the one that goes on after an action of the customer. */
const isOfCall = ({ type }: AttemptEvent): boolean => type === 'AuthorizationResumed';

/** Began a call that is not over with it: after a preparation, or an action of the customer. */
const beginsCall = (event: AttemptEvent): boolean => event.type === 'AuthorizationPrepared' || isOfCall(event);

/** Nothing was ever sent for it that may move money: its preparation is not on record. */
export const isUnprepared = ({ prepares, processorTransactionId }: Attempt): boolean =>
  prepares === true && processorTransactionId === undefined;

/** The customer has to do something, and the processor may still take it. */
export const awaitsCustomer = (attempt: Attempt): attempt is Asked & ActionRequired =>
  attempt.state === 'action_required';

/** True if the processor has reported that it has the attempt: "not found" is no longer accepted. */
export const wasAccepted = ({ state, resumeTokenHash }: Attempt): boolean =>
  state === 'pending' || resumeTokenHash !== undefined;

/** It happened, and the payment's totals hold it. */
export const isBooked = (attempt: Attempt): attempt is Asked & SucceededAttempt =>
  attempt.state === 'succeeded' && attempt.late === undefined && attempt.mismatched === undefined;

/** An authorization of another amount or currency than asked, held over there. */
export const isMismatched = (attempt: Attempt): boolean => attempt.state === 'succeeded' && attempt.mismatched === true;

/**
 * Money that moved otherwise than asked, by a look-up too: it is asked about no more, and reserved until an operator
 * closes it.
 */
export const isFoundMismatched = (attempt: Attempt): boolean =>
  attempt.state === 'unknown' && attempt.mismatchFound === true;

/** The success that the processor reported and that was not accepted. */
export const reportedOf = (attempt: Attempt): Reported | undefined =>
  attempt.state === 'unknown' || attempt.state === 'succeeded' ? attempt.reported : undefined;

/** Refused, and somebody can still confirm it again at the processor until it is fenced. */
export const owesFence = (attempt: Attempt): boolean => attempt.state === 'declined' && attempt.fenceAt !== undefined;

/** True if a page that its customer was sent to may confirm it again: nothing else is paid before its fence. */
export const keepsSession = (attempt: Attempt): boolean => owesFence(attempt) && attempt.resumeTokenHash !== undefined;

/** When it wants attention, ms: the processor is asked, a refusal is fenced, or a reversal is tried again. */
export function dueAtOf(attempt: Attempt): number | undefined {
  if (isFoundMismatched(attempt)) return undefined;
  if (isOpen(attempt)) return attempt.nextLookUpAt;
  if (attempt.state === 'declined') return attempt.fenceAt;
  return attempt.state === 'not_sent' || attempt.state === 'not_found' ? attempt.retryAt : undefined;
}

/** When a look-up first did not find it, ms. */
export const notFoundAtOf = (attempt: Attempt): number | undefined =>
  isOpen(attempt) ? attempt.notFoundAt : undefined;

/** It takes back what another attempt did, and has to happen in the end. */
export const isReversal = ({ follows }: Attempt): boolean => follows !== undefined && !GOES_ON.has(follows.because);
const GOES_ON: ReadonlySet<string> = new Set([
  'automatic_capture',
  'with_authorization',
  'authentication_required',
  'fallback',
]);

/** Its authorization has taken the money: nobody asked for it, and the processor was not called for it. */
export const isCapturedWith = ({ follows }: Attempt): boolean => follows?.because === 'with_authorization';

/**
 * The time (ms) of a report: by the processor's clock, otherwise when the processor was asked, otherwise when it was
 * recorded.
 */
export const toldAt = ({ occurredAt, sentAt }: Evidence, recordedAt: number): number =>
  occurredAt ?? sentAt ?? recordedAt;

/** The time (ms) of a refusal. Undefined for a response, because a notification may overtake it. */
export const refusedAt = ({ source, occurredAt, sentAt }: Evidence): number | undefined =>
  occurredAt ?? (source === 'lookup' ? sentAt : undefined);

const OF_AUTHENTICATION: ReadonlySet<string> = new Set(['responseCode', 'protocolVersion', 'challengeIssued', 'eci']);
/**
 * The part of an authentication that is stored: a processor may report more, such as a cryptogram, which no log should
 * hold.
 */
export const keptAuthentication = (threeDSecure: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(threeDSecure).filter(([name]) => OF_AUTHENTICATION.has(name)));

/** The part of a success that is not about its attempt alone. */
export type Checks = Pick<
  Fact<'PaymentAuthorized'>['data'],
  | 'avsResult'
  | 'cvcResult'
  | 'threeDSecure'
  | 'holdExpiresAt'
  | 'possible'
  | 'networkTransactionId'
  | 'transactionLinkId'
>;

export function checksOf({ authorization = {} }: Succeeded): Checks {
  const { avsResult, cvcResult, threeDSecure, holdExpiresAt, possible } = authorization;
  const { networkTransactionId, transactionLinkId } = authorization;
  return {
    ...(avsResult !== undefined && { avsResult }),
    ...(cvcResult !== undefined && { cvcResult }),
    ...(threeDSecure !== undefined && { threeDSecure: keptAuthentication(threeDSecure) }),
    ...(holdExpiresAt !== undefined && { holdExpiresAt }),
    ...(possible !== undefined && { possible }),
    ...(networkTransactionId !== undefined && { networkTransactionId }),
    ...(transactionLinkId !== undefined && { transactionLinkId }),
  };
}
