// The state of a payment at a moment: the document that its events fold to, and that its read models keep.
import type { DisputeStatus, DisputeType } from '../dispute-status.ts';
import type { Operation } from '../operation.ts';
import type { Attempt, Checks } from './attempt.ts';
import type { DisputeSubmission, Fact, PaymentCreation } from './events.ts';
import type { DeclineType } from './outcome.ts';

/** The public names (contract §4). */
export const paymentStatuses = [
  'PENDING',
  'AUTHORIZED',
  'SETTLING',
  'PARTIALLY_SETTLED',
  'SETTLED',
  'DECLINED',
  'FAILED',
  'CANCELLED',
] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];

export const PAYMENT_STATUS_WORDS: { readonly [S in PaymentStatus]: string } = {
  PENDING: 'The authorization has no outcome yet, or the customer has to act.',
  AUTHORIZED: 'The amount is held, and nothing is captured.',
  SETTLING: 'A capture was accepted, and its outcome follows.',
  PARTIALLY_SETTLED: 'A part is captured; the rest is held or released.',
  SETTLED: 'The whole authorized amount is captured.',
  DECLINED: 'The issuer or the processor refused. Final.',
  FAILED: 'The payment did not come about, for another reason than a refusal. Final.',
  CANCELLED: 'The payment was cancelled, or its authorization expired. Final.',
};

/** DECLINED, FAILED and CANCELLED are final (contract §4). */
export const isFinal = (status: PaymentStatus): status is 'DECLINED' | 'FAILED' | 'CANCELLED' =>
  status === 'DECLINED' || status === 'FAILED' || status === 'CANCELLED';

/** Why a payment or an attempt is not what was wanted; the words are made when it is shown (status-reason.ts). */
export interface Cause {
  readonly because:
    | 'declined'
    | 'returned'
    | 'unknown'
    | 'not_sent'
    | 'not_found'
    /** By manual confirmation. */
    | 'did_not_happen'
    | 'mismatched'
    | 'action_expired'
    /** The customer did not pay on the method's page, or with what was shown, in time. */
    | 'not_paid'
    | 'awaiting_funds';
  readonly operation: Operation;
  readonly code?: string;
  readonly declineType?: DeclineType;
}

export interface Dispute {
  readonly disputeId: string;
  /** The processor's own name for it. */
  readonly processorDisputeId: string;
  /** The capture that is disputed, where the processor says which. */
  readonly attemptId?: string;
  /** Counted from 1; status, amount and deadline are those of this round. */
  readonly round: number;
  readonly type: DisputeType;
  readonly status: DisputeStatus;
  /** Minor units. */
  readonly amount: number;
  readonly currencyCode: string;
  readonly reason?: string;
  readonly reasonCode?: string;
  readonly openedAt: number;
  readonly challengeRequiredBy?: number;
  /** The merchant's evidence, kept or sent. */
  readonly submission?: DisputeSubmission;
  /** How many times the evidence was kept or changed. */
  readonly drafts?: number;
  /** The newest that the merchant asked to be sent. */
  readonly answer?: AnswerToDispute;
  /** When the processor reported that the round was open, or its end if that was reported first, ms. */
  readonly begunAt: number;
  /** For a later round: what the customer already had when it began, minor units. */
  readonly lostBefore?: number;
  /** For a prevented dispute: what the processor refunded, apart from refunds on record, minor units. */
  readonly refunded?: { readonly amount: number; readonly refunds: readonly string[] };
  /** For a dispute that is over: the time (ms) of the processor's newest report on that. */
  readonly endedAt?: number;
  /**
   * `clock`: only our own clock has ended it, so the processor's next word on it counts, whatever that is.
   * `notification`: `endedAt` is of the processor's clock.
   */
  readonly endedBy?: 'clock' | 'notification';
  /**
   * Look-ups in its status without an end: of an OPEN one after its time to answer, of a CHALLENGED one. And when the
   * next is due, ms.
   */
  readonly lookUps?: number;
  readonly nextLookUpAt?: number;
}

/** The merchant's answer on its way to the processor. */
interface AskedAnswer {
  readonly answerId: string;
  readonly kind: 'evidence' | 'acceptance';
  /** The evidence as it was asked to be sent; what the merchant keeps may have changed since. */
  readonly submission?: DisputeSubmission;
  readonly reference: string;
  /** The round of the dispute that it answers. */
  readonly round: number;
  readonly requestedAt: number;
  readonly requestedRevision: number;
  readonly sendBy: number;
  /** True if the call is definitely over: its response, or its timeout, is recorded. */
  readonly hasEnded: boolean;
  readonly lookUps: number;
  /** When a look-up first did not find it, ms. */
  readonly notFoundAt?: number;
}
/** As of an attempt (attempt.ts). */
export type OpenAnswer = AskedAnswer & {
  readonly state: 'open' | 'unknown' | 'pending';
  readonly nextLookUpAt: number;
};
export type AnswerToDispute =
  | OpenAnswer
  /** overtaken: the dispute has gone on in another way while the answer was open, so that it came to nothing. */
  | (AskedAnswer & { readonly state: 'succeeded' | 'not_sent' | 'not_found' | 'overtaken' })
  | (AskedAnswer & { readonly state: 'declined'; readonly code: string });

/** Not settled: it may have arrived, or still arrive. */
export const isOpenAnswer = (answer: AnswerToDispute | undefined): answer is OpenAnswer =>
  answer !== undefined && (answer.state === 'open' || answer.state === 'unknown' || answer.state === 'pending');

/** What a read of the payment at its processor showed and no rule explains: its totals there, minor units. */
export interface StandingDifference {
  readonly captured: number;
  readonly capturable: number;
  readonly refunded: number;
  readonly currencyCode: string;
}

export type PaymentRoute = Readonly<Fact<'RouteChosen'>['data']>;

/** The fields that every payment has, whatever its status. */
export interface PaymentFacts extends Readonly<Omit<PaymentCreation, 'createdAt' | 'emailHash'>>, Readonly<Checks> {
  /** When it was created, in ms. */
  readonly date: number;
  /** When its last event was recorded, ms; look-ups do not count. */
  readonly dateUpdated: number;
  /** Where its newest authorization went. */
  readonly processor: string;
  readonly connectionId: string;
  /**
   * Minor units, as all of these. Captured + capture pending ≤ authorized, always; refunded + refund pending ≤ captured
   * whenever a refund is accepted, but a success that is told late is booked whatever the total.
   */
  readonly amountAuthorized: number;
  /** The amount that can still be captured. */
  readonly amountCapturable: number;
  readonly amountCaptured: number;
  /** Of captures that are open, unknown or pending. */
  readonly amountCapturePending: number;
  readonly amountRefundable: number;
  readonly amountRefunded: number;
  /** Of refunds that are open, unknown or pending. */
  readonly amountRefundPending: number;
  /** The disputed amount that was not won; the whole captured amount if a dispute is in another currency. */
  readonly amountDisputed: number;
  /** How much more was refunded than captured when an operator accepted that, and still is. */
  readonly overRefundAccepted?: number;
  /** The issuer holds what was not captured no longer. */
  readonly holdExpired: boolean;
  /**
   * True if the uncaptured part of the authorization is no longer held: voided, expired, or released by a final
   * capture.
   */
  readonly restReleased: boolean;
  /** A cancellation is wanted, until something else is asked of it. */
  readonly cancellation?: {
    readonly attemptId: string;
    readonly reason?: string | undefined;
    /** Id of the event that put the wish on record, where the authorization was not known yet. */
    readonly intendedBy?: string;
  };
  /** The result of `vaultOnSuccess`. */
  readonly vaulting?: { readonly paymentMethodToken?: string | undefined; readonly refused?: string | undefined };
  /** The newest choice by rules, and what they allow after a refusal; undefined for a payment without rules. */
  readonly route?: PaymentRoute;
  /** Only our own clock has ended it: the processor's next word on it counts, whatever that is. */
  readonly endedBy?: 'clock';
  /**
   * What is owed or open between the record and the processor. `since`: when that began, ms. `nextLookUpAt`: when the
   * payment is read next, ms.
   */
  readonly standing?: {
    readonly answer: Fact<'StandingRecorded'>['data']['answer'];
    readonly since: number;
    readonly nextLookUpAt?: number;
    readonly difference?: StandingDifference;
  };
  /** The newest difference that an operator has seen to. */
  readonly acceptedDifference?: StandingDifference;
  /** In the order of their requests; the first is an authorization. */
  readonly attempts: readonly Attempt[];
  /** In the order in which they were opened. */
  readonly disputes: readonly Dispute[];
}

/** Its authorization is not known, or not accepted. */
interface PendingPayment extends PaymentFacts {
  readonly status: 'PENDING';
  readonly statusReason?: Cause;
  readonly processorTransactionId?: string;
}
interface AuthorizedPayment extends PaymentFacts {
  readonly status: 'AUTHORIZED' | 'SETTLING' | 'PARTIALLY_SETTLED' | 'SETTLED';
  /** Which outcome is unknown, or why the last operation was refused. */
  readonly statusReason?: Cause;
  /** The processor's name for the authorization; every later operation refers to it. */
  readonly processorTransactionId: string;
}
/** It came to nothing. */
export interface RefusedPayment extends PaymentFacts {
  readonly status: 'DECLINED' | 'FAILED';
  readonly statusReason: Cause;
  readonly processorTransactionId?: string;
}
interface CancelledPayment extends PaymentFacts {
  readonly status: 'CANCELLED';
  readonly statusReason?: never;
  readonly processorTransactionId?: string;
}
export type KnownPayment = PendingPayment | AuthorizedPayment | RefusedPayment | CancelledPayment;

/**
 * abandoned: it was never made, and never will be. created: its authorization is requested by the next event of the
 * same append, so that only a reader between the two sees it.
 */
export type Payment =
  | { readonly status: 'absent' }
  | { readonly status: 'abandoned'; readonly abandonedAt: number }
  | { readonly status: 'created'; readonly creation: PaymentCreation; readonly route?: PaymentRoute }
  | KnownPayment;
