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
  readonly type: PaymentEvent['type'];
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
  readonly events: readonly AttemptEvent[];
}

/** Not settled: it may have happened, or still happen. */
export const isOpen = ({ state }: Attempt): boolean => state === 'open' || state === 'unknown' || state === 'pending';

/** Nobody knows whether the processor has it. */
export const isInDoubt = ({ state }: Attempt): boolean => state === 'open' || state === 'unknown';

/** It happened, and the payment's totals hold it. */
export const isBooked = ({ state, late, mismatched }: Attempt): boolean =>
  state === 'succeeded' && late === undefined && mismatched === undefined;

/** It takes back what another attempt did, and has to happen in the end. */
export const isReversal = ({ follows }: Attempt): boolean => follows !== undefined && follows.because !== 'automatic_capture';

/** The payment that an attempt belongs to. */
export const paymentIdOf = (attemptId: string): string => attemptId.slice(0, attemptId.indexOf('.'));

type Requested = Extract<PaymentEvent, { type: `${string}Requested` }>;
type Learnt = Extract<PaymentEvent, { type: `Attempt${string}` | 'LateSuccessRecorded' | 'AnswerMismatched' }>;

const OPERATIONS = {
  AuthorizationRequested: 'authorization',
  CaptureRequested: 'capture',
  CancellationRequested: 'cancellation',
  RefundRequested: 'refund',
  AdjustmentRequested: 'adjustment',
} as const satisfies { readonly [T in Requested['type']]: Operation };

export function requestedAttempt({ type, data }: Requested, { id, revision }: Recorded): Attempt {
  const { attemptId, requestedAt, sendBy, lookUpAt, follows } = data;
  const amount = 'amount' in data ? { amount: data.amount } : {};
  return {
    attemptId,
    operation: OPERATIONS[type],
    amount: 0,
    ...amount,
    requestedAt,
    requestedRevision: revision,
    sendBy,
    state: 'open',
    ...(type === 'CaptureRequested' && { final: data.final }),
    ...(type === 'RefundRequested' && { refund: refundOf(data) }),
    ...(follows !== undefined && { follows }),
    lookUpAt,
    lookUps: 0,
    events: [{ id, type, at: requestedAt, ...amount }],
  };
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
  const amount = 'amount' in data && { amount: data.amount };
  const { reason: _explained, lookUpAt, processorTransactionId, ...kept } = attempt;
  const named = ('processorTransactionId' in data ? data.processorTransactionId : undefined) ?? processorTransactionId;
  const next = {
    ...kept,
    ...('reason' in data && { reason: data.reason }),
    ...(named !== undefined && { processorTransactionId: named }),
    ...(type !== 'AttemptUnknown' && { answeredRevision: attempt.answeredRevision ?? revision }),
    events: [...attempt.events, { id, type, at: data.at, ...amount, evidence: data.evidence.source }],
  };
  const stillOpen = { ...(lookUpAt !== undefined && { lookUpAt }) };
  switch (type) {
    case 'AttemptSucceeded':
      return { ...next, state: 'succeeded', bookedAmount: data.amount, settledRevision: revision };
    case 'LateSuccessRecorded':
      return { ...next, state: 'succeeded', bookedAmount: data.amount, late: true, settledRevision: revision };
    case 'AnswerMismatched':
      // An authorization that nothing is built on is over with; money that moved wrongly stays open until somebody clears it up.
      return attempt.operation === 'authorization'
        ? { ...next, state: 'succeeded', bookedAmount: data.amount, mismatched: true, settledRevision: revision }
        : { ...next, state: 'unknown', ...stillOpen };
    case 'AttemptDeclined':
      return { ...next, state: 'declined', settledRevision: revision };
    case 'AttemptPending':
      return { ...next, state: 'pending', ...stillOpen };
    case 'AttemptUnknown':
      return { ...next, state: 'unknown', ...stillOpen };
    case 'AttemptNotSent':
    case 'AttemptNotFound': {
      const state = type === 'AttemptNotSent' ? 'not_sent' : 'not_found';
      return { ...next, state, settledRevision: revision, ...(isReversal(attempt) && { lookUpAt: nextTry(attempt, data.at, all) }) };
    }
    default:
      return type satisfies never;
  }
}

/** A reversal that did not happen is tried again on the schedule of the look-ups. */
const nextTry = (attempt: Attempt, at: number, all: readonly Attempt[]): number => {
  const tries = all.filter(({ follows }) => follows?.attemptId === attempt.follows?.attemptId).length;
  return nextLookUpAt(at, tries - 1);
};
