// What may be asked of a payment now: each decision is tried, so that a page offers nothing that would be refused.
import type { Decision } from '../decider.ts';
import { requestAdjustment } from './adjust.ts';
import { requestCancellation } from './cancel.ts';
import { requestCapture } from './capture.ts';
import type { PaymentEvent } from './events.ts';
import type { KnownPayment } from './payment.ts';
import { requestRefund } from './refund.ts';

export interface PossibleOperations {
  /** Minor units, as `refundUpTo`; 0: it cannot be captured. */
  readonly captureUpTo: number;
  readonly refundUpTo: number;
  readonly canCancel: boolean;
  readonly canAdjust: boolean;
}

/** `at`: ms. Whether the payment's processor supports an operation is known only when it is asked. */
export function possibleOperations(payment: KnownPayment, paymentId: string, at: number): PossibleOperations {
  const attempt = { attemptId: `${paymentId}.possible`, at, sendBy: at, callEndsAt: at };
  const { amount } = payment;
  return {
    captureUpTo: askedAmount(requestCapture({ ...attempt, final: true })(payment)),
    refundUpTo: askedAmount(requestRefund({ ...attempt, refundId: 'possible' })(payment)),
    canCancel: isPossible(requestCancellation(attempt)(payment)),
    canAdjust: isPossible(requestAdjustment({ ...attempt, amount })(payment)),
  };
}

/** The amount of what would be requested: without one of their own, requests take all that is left. */
function askedAmount(decision: Decision<PaymentEvent>): number {
  const [event] = decision.kind === 'accepted' ? decision.events : [];
  return event !== undefined && 'amount' in event.data ? (event.data.amount ?? 0) : 0;
}

/** An accepted decision without events: it is so already, or under way. */
const isPossible = (decision: Decision<PaymentEvent>): boolean => decision.kind === 'accepted' && decision.events.length > 0;
