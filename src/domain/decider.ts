// A stream category, its fold, and the type of every decision. Operations are functions, not a union of commands.
import type { Category, DomainEvent } from './category.ts';
import type { RefusedId } from './operation.ts';
import type { PersonalSubject } from './personal.ts';

/** The journal's knowledge of an event besides its content. */
export interface Recorded {
  readonly id: string;
  readonly revision: number;
  /** `recordedAt`: milliseconds since the epoch, never smaller than the predecessor's. */
  readonly at: number;
}

export interface Decider<State extends object, Event extends DomainEvent> {
  readonly category: Category<Event>;
  readonly initial: State;
  /** Pure and total over the category's events; never mutates. */
  readonly evolve: (state: State, event: Event, recorded: Recorded) => State;
  /**
   * True if the process that appends these events appends to the stream again before it responds, for example the
   * outcome of a request. The document in the read models then waits a moment for that append (decision 126). Without
   * it: never.
   */
  readonly goesOn?: (events: readonly Event[]) => boolean;
  /**
   * The id of the event that leads to this one, where that is neither the one before it in its append nor what the
   * append as a whole follows from: a void follows from the merchant's wish, and not from the look-up that found
   * something to void.
   */
  readonly causeOf?: (state: State, event: Event) => string | undefined;
  /**
   * The person of an event with personal members. `state`: before the append; `id`: of the stream. A category with
   * personal members has it.
   */
  readonly subjectOf?: (state: State, event: Event, id: string) => PersonalSubject;
}

/** The errorIds of contract §7 that a decision can end in. */
export type RejectionId =
  | 'MetadataContainsEmptyKey'
  | 'ClientSessionValidationError'
  | 'InvalidPaymentInstrumentToken'
  | 'InvalidPaymentStatus'
  | 'InvalidDisputeStatus'
  | 'InvalidAgreementStatus'
  | 'IncorrectPaymentAuthorizationType'
  | 'InvalidCursor'
  | 'InsufficientScope'
  | 'NotFound'
  | 'Conflict'
  | 'ClientSessionCompleted'
  | 'AmountChanged'
  | 'PaymentOperationInProgress'
  | 'PaymentAlreadyRefunded'
  | 'PaymentDisputed'
  | 'RetryNotAllowed'
  | 'PaymentInstrumentVaultedElsewhere'
  | 'IdempotencyKeyInProgress'
  | 'PreconditionFailed'
  | 'RequestValidationError'
  | 'FieldNotUpdatable'
  | 'CardNumberNotAllowed'
  | 'UnprocessableCaptureAmount'
  | 'UnprocessableRefundAmount'
  | RefusedId
  | 'ConsentMissing'
  | 'OutsideAgreementTerms'
  | 'PeriodKeyReused'
  | 'InitialPaymentNotUsable'
  | 'OperationNotSupported'
  | 'EvidenceLimitReached'
  | 'IdempotencyKeyReused'
  | 'TooManyRequests'
  | 'ServiceUnavailable';

/** A violation of the request: a JSONPath from `$` and the fault there. */
export interface Violation {
  readonly path: string;
  readonly description: string;
}

interface StatusReason {
  readonly type:
    | 'ISSUER_DECLINE'
    | 'GATEWAY_TIMEOUT'
    | 'GATEWAY_UNAVAILABLE'
    | 'AWAITING_FUNDS'
    | 'PAYMENT_EXPIRED'
    | 'APPLICATION_ERROR'
    | 'AUTHENTICATION_REQUIRED';
  readonly declineType?: 'SOFT' | 'HARD' | undefined;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly advisedAction?: string | undefined;
}

/** Who says when a period may be tried again. */
export const RETRY_BECAUSE_WORDS = {
  DECLINED: 'The last try was declined, and nobody has named a time: a day.',
  NETWORK_ADVICE: 'The card network has named the time.',
  NETWORK_LIMIT: 'The card network allows so many declined tries in a time, and they were used.',
  NETWORK_FORBIDS: 'The card network allows no further try with this card.',
  PERIOD_OVER: 'Many later periods were charged since.',
} as const;
export type RetryBecause = keyof typeof RETRY_BECAUSE_WORDS;

export interface RejectionDetails {
  readonly recoverySuggestion?: string;
  readonly violations?: readonly Violation[];
  readonly paymentId?: string;
  readonly paymentStatus?: string;
  /** Minor units of `currencyCode`: what is asked for now. */
  readonly amount?: number;
  readonly currencyCode?: string;
  readonly statusReason?: StatusReason;
  readonly agreementStatus?: string;
  /** What ends the suspension of an agreement. */
  readonly action?: string;
  /** When the next try of a period may begin, ms. */
  readonly notBefore?: number;
  /** Why not before, or never. */
  readonly because?: RetryBecause;
  readonly retryAfterSeconds?: number;
}

export interface Rejection extends RejectionDetails {
  readonly kind: 'rejected';
  readonly errorId: RejectionId;
  readonly description: string;
  /** Set by the command layer: the answer of an earlier call with the same idempotency key. */
  readonly replayed?: boolean;
  /** The request that was refused, where that is an earlier one. */
  readonly diagnosticsId?: string;
}

export type Decision<Event> = { readonly kind: 'accepted'; readonly events: readonly Event[] } | Rejection;

export const accept = <Event>(...events: readonly Event[]): Decision<Event> => ({ kind: 'accepted', events });

export const reject = (errorId: RejectionId, description: string, details: RejectionDetails = {}): Rejection => ({
  kind: 'rejected',
  errorId,
  description,
  ...details,
});
