// One thing asked of a processor for a payment, and what is known of it.
import type { Recorded } from '../decider.ts';
import type { Allocation, FollowUp, PaymentEvent } from './events.ts';
import { nextLookUpAt } from './look-up-schedule.ts';
import type { EvidenceSource, Operation, Reason } from './outcome.ts';

/**
 * open: requested, no word yet. unknown: sent, and the answer got lost. pending: the processor has it and will tell.
 * The others are the end: succeeded, declined, not_sent (never got there), not_found (the processor never saw it).
 */
export type AttemptState = 'open' | 'unknown' | 'pending' | 'succeeded' | 'declined' | 'not_sent' | 'not_found';

/** A line of the attempt's own history (contract §4, `transactions[].events[]`). */
export interface AttemptEvent {
  /** The stored event's id, a bare UUID. */
  readonly id: string;
  readonly type: (Requested | Learnt)['type'] | 'AuthorizationExpired';
  readonly at: number;
  readonly amount?: number;
  readonly evidence?: EvidenceSource;
}

export interface Attempt {
  /** `<paymentId>.<suffix>` */
  readonly attemptId: string;
  readonly operation: Operation;
  /** Asked for, minor units; 0 for a cancellation, the new total for an adjustment. */
  readonly amount: number;
  readonly requestedAt: number;
  readonly requestedRevision: number;
  readonly sendBy: number;
  readonly state: AttemptState;
  /** A capture: whether the rest is released with it. */
  readonly final?: boolean;
  readonly refund?: {
    readonly refundId: string;
    readonly orderId?: string | undefined;
    readonly reason?: string | undefined;
    readonly allocations: readonly Allocation[];
  };
  /** Nobody asked for it: it follows from another attempt. */
  readonly follows?: FollowUp;
  /** Succeeded: as the processor reported it, minor units. */
  readonly bookedAmount?: number;
  /** Succeeded, but the payment had no place for it: in no total. */
  readonly late?: true;
  /** An authorization of another amount or currency than asked: in no total. */
  readonly mismatched?: true;
  /** What the processor says was done, where that is of another amount or currency than asked; minor units. */
  readonly reported?: { readonly amount: number; readonly currencyCode: string };
  /** Why it is not succeeded. */
  readonly reason?: Reason;
  readonly processorTransactionId?: string;
  /** Revision of the event that first said what became of it, `pending` included. */
  readonly answeredRevision?: number;
  /** Revision of the event that settled it for good. */
  readonly settledRevision?: number;
  /** When the processor is asked next, ms; also of a reversal that did not happen and is tried again. */
  readonly lookUpAt?: number;
  /** How often the processor was asked without settling it. */
  readonly lookUps: number;
  /** When a look-up first did not find it, ms by the clock of the node that asked; since what was last learnt of it. */
  readonly notFoundAt?: number;
  readonly events: readonly AttemptEvent[];
}

/** Not settled: it may have happened, or still happen. */
export const isOpen = ({ state }: Attempt): boolean => state === 'open' || state === 'unknown' || state === 'pending';

/** Nobody knows whether the processor has it. */
export const isInDoubt = ({ state }: Attempt): boolean => state === 'open' || state === 'unknown';

/** Whether its call is surely over: its own answer, or its silence, is on record. One that only a look-up calls unknown may be under way. */
export const callHasEnded = ({ state, events }: Attempt): boolean =>
  state === 'not_found' || events.some(({ evidence }) => evidence === 'answer');

/** It happened, and the payment's totals hold it. */
export const isBooked = ({ state, late, mismatched }: Attempt): boolean =>
  state === 'succeeded' && late === undefined && mismatched === undefined;

/** It takes back what another attempt did, and has to happen in the end. */
export const isReversal = ({ follows }: Attempt): boolean => follows !== undefined && follows.because !== 'automatic_capture';

/** The payment that an attempt belongs to. */
export const paymentIdOf = (attemptId: string): string => attemptId.slice(0, attemptId.indexOf('.'));

type Requested = Extract<PaymentEvent, { type: `${string}Requested` }>;
type LookUpMade = Extract<PaymentEvent, { type: 'LookUpScheduled' }>['data'];
type Learnt = Extract<PaymentEvent, { type: `Attempt${string}` | 'LateSuccessRecorded' | 'AnswerMismatched' }>;

const OPERATIONS = {
  AuthorizationRequested: 'authorization',
  CaptureRequested: 'capture',
  CancellationRequested: 'cancellation',
  RefundRequested: 'refund',
  AdjustmentRequested: 'adjustment',
} as const satisfies { readonly [T in Requested['type']]: Operation };

/** A fresh copy that nobody else has seen yet. */
type Draft = { -readonly [K in keyof Attempt]: Attempt[K] };

export function requestedAttempt({ type, data }: Requested, { id, revision }: Recorded): Attempt {
  const { attemptId, requestedAt, sendBy, lookUpAt, follows } = data;
  const amount = 'amount' in data ? data.amount : undefined;
  const draft: Draft = {
    attemptId,
    operation: OPERATIONS[type],
    amount: amount ?? 0,
    requestedAt,
    requestedRevision: revision,
    sendBy,
    state: 'open',
    lookUps: 0,
    lookUpAt,
    events: [amount === undefined ? { id, type, at: requestedAt } : { id, type, at: requestedAt, amount }],
  };
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
}: Extract<Requested, { type: 'RefundRequested' }>['data']): NonNullable<Attempt['refund']> {
  return { refundId, ...(orderId !== undefined && { orderId }), ...(reason !== undefined && { reason }), allocations };
}

/** The attempt after an event that tells what became of it; `all` are the payment's attempts. */
export function afterLearning(attempt: Attempt, event: Learnt, { id, revision }: Recorded, all: readonly Attempt[]): Attempt {
  const { type, data } = event;
  const draft = unexplained(attempt);
  if ('reason' in data) draft.reason = data.reason;
  if ('processorTransactionId' in data && data.processorTransactionId !== undefined)
    draft.processorTransactionId = data.processorTransactionId;
  if (type === 'AnswerMismatched') draft.reported = { amount: data.amount, currencyCode: data.currencyCode };
  if (type !== 'AttemptUnknown' && attempt.answeredRevision === undefined) draft.answeredRevision = revision;
  const line = { id, type, at: data.at, evidence: data.evidence.source };
  draft.events = [...attempt.events, 'amount' in data ? { ...line, amount: data.amount } : line];
  draft.state = stateAfter(attempt.operation, type);
  if (isOpen(draft)) {
    // One that was settled already, and is open again because of what was told later, has no time any more.
    draft.lookUpAt = attempt.lookUpAt ?? nextLookUpAt(attempt.requestedAt, attempt.lookUps, data.at);
    return draft;
  }
  draft.settledRevision = revision;
  if (draft.state === 'succeeded' && 'amount' in data) draft.bookedAmount = data.amount;
  if (type === 'LateSuccessRecorded') draft.late = true;
  if (type === 'AnswerMismatched') draft.mismatched = true;
  if ((draft.state === 'not_sent' || draft.state === 'not_found') && isReversal(attempt)) draft.lookUpAt = nextTry(attempt, data.at, all);
  return draft;
}

/** The attempt after a look-up that did not settle it. */
export function afterLookUp(attempt: Attempt, { answer, at, lookUpAt }: LookUpMade): Attempt {
  const asked = { ...attempt, lookUpAt, lookUps: attempt.lookUps + 1 };
  return answer === 'not_found' && attempt.notFoundAt === undefined ? { ...asked, notFoundAt: at } : asked;
}

/** Its lasting parts: not why it had not succeeded, nor when it was to be looked up. */
function unexplained(attempt: Attempt): Draft {
  const { attemptId, operation, amount, requestedAt, requestedRevision, sendBy, state, lookUps, events } = attempt;
  const draft: Draft = { attemptId, operation, amount, requestedAt, requestedRevision, sendBy, state, lookUps, events };
  const { final, refund, follows, processorTransactionId, answeredRevision } = attempt;
  if (final !== undefined) draft.final = final;
  if (refund !== undefined) draft.refund = refund;
  if (follows !== undefined) draft.follows = follows;
  if (processorTransactionId !== undefined) draft.processorTransactionId = processorTransactionId;
  if (answeredRevision !== undefined) draft.answeredRevision = answeredRevision;
  return draft;
}

function stateAfter(operation: Operation, type: Learnt['type']): AttemptState {
  switch (type) {
    case 'AttemptSucceeded':
    case 'LateSuccessRecorded':
      return 'succeeded';
    case 'AnswerMismatched':
      // An authorization that nothing is built on is over with; money that moved wrongly stays open until somebody clears it up.
      return operation === 'authorization' ? 'succeeded' : 'unknown';
    case 'AttemptDeclined':
      return 'declined';
    case 'AttemptPending':
      return 'pending';
    case 'AttemptUnknown':
      return 'unknown';
    case 'AttemptNotSent':
      return 'not_sent';
    case 'AttemptNotFound':
      return 'not_found';
    default:
      return type satisfies never;
  }
}

/** A reversal that did not happen is tried again on the schedule of the look-ups. */
const nextTry = (attempt: Attempt, at: number, all: readonly Attempt[]): number => {
  const tries = all.filter(({ follows }) => follows?.attemptId === attempt.follows?.attemptId).length;
  return nextLookUpAt(at, tries - 1);
};
