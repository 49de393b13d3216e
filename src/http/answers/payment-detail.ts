// One payment as the dashboard shows it: the API's own object, what may be asked of it, and its attempts and answers to
// disputes that are not settled.
import { z } from 'zod';
import { Amount } from '../../commands/fields/amount.ts';
import type { Decision } from '../../domain/decider.ts';
import { requestAdjustment, requestCancellation, requestCapture } from '../../domain/payment/change.ts';
import { type PaymentEvent, SkippedConnection } from '../../domain/payment/events.ts';
import type { KnownPayment, PaymentRoute } from '../../domain/payment/payment.ts';
import { requestRefund } from '../../domain/payment/refund.ts';
import { answer } from './answer.ts';
import { derivedStatusAnswer, derivedStatusMember } from './listed-payment.ts';
import {
  DifferenceView,
  differsView,
  type History,
  OpenAttemptView,
  OpenDisputeAnswerView,
  openAttemptViews,
  openDisputeAnswerViews,
  overRefundedView,
} from './open-attempts.ts';
import { PaymentAnswer, paymentAnswer } from './payment.ts';

export const PaymentDetailAnswer = z
  .strictObject({
    payment: PaymentAnswer,
    ...derivedStatusMember,
    sessionId: z.string().optional(),
    /** The amount that the pay button of the checkout showed. */
    shown: z.strictObject({ amount: Amount, currencyCode: z.string() }).optional(),
    /** The newest choice by the rules of routing; absent for a payment without rules. */
    route: z
      .strictObject({
        version: z.int().min(1),
        rule: z.string(),
        connectionId: z.string(),
        /** The name that it had then. */
        connectionName: z.string().optional(),
        skipped: z.array(SkippedConnection),
      })
      .optional(),
    /** Minor units, as all of these. Captures and refunds whose outcome is not known yet. */
    amountCapturePending: Amount,
    amountRefundPending: Amount,
    openAttempts: z.array(OpenAttemptView),
    openDisputeAnswers: z.array(OpenDisputeAnswerView),
    /** OVER_REFUNDED: by so much; null where it is not, or is closed. */
    overRefunded: Amount.nullable(),
    /** DIFFERS: the totals at the processor; null where they do not, or that is closed. */
    differs: DifferenceView.nullable(),
    /** The amounts that would be accepted now; 0: not possible. */
    possible: z.strictObject({
      captureUpTo: Amount,
      refundUpTo: Amount,
      canCancel: z.boolean(),
      canAdjust: z.boolean(),
    }),
  })
  .meta({ id: 'PaymentDetail' });
/** Shown at a time; more come when these are settled. */
const MOST_OPEN = 100;
export type PaymentDetailAnswer = z.infer<typeof PaymentDetailAnswer>;

/**
 * `at`: the time of the request, ms. `history` is asked only where evidence of an attempt or an answer has to be told.
 */
export async function paymentDetailAnswer(
  id: string,
  revision: number,
  payment: KnownPayment,
  at: number,
  history: () => History,
): Promise<PaymentDetailAnswer> {
  return answer(PaymentDetailAnswer, payment, {
    payment: paymentAnswer(id, revision, payment, { expandEvents: true }),
    ...derivedStatusAnswer(payment),
    route: payment.route && routeView(payment.route),
    openAttempts: (await openAttemptViews(payment, history)).slice(0, MOST_OPEN),
    openDisputeAnswers: await openDisputeAnswerViews(payment, history),
    overRefunded: overRefundedView(payment),
    differs: differsView(payment),
    possible: possibleOperations(payment, id, at),
  });
}

const routeView = ({ attemptId: _attempt, fallback: _fallback, ...chosen }: PaymentRoute) => chosen;

/**
 * Each decision is tried, so that a page offers nothing that would be refused. Whether the payment's processor supports
 * an operation is known only when it is asked.
 */
function possibleOperations(payment: KnownPayment, paymentId: string, at: number): PaymentDetailAnswer['possible'] {
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
const isPossible = (decision: Decision<PaymentEvent>): boolean =>
  decision.kind === 'accepted' && decision.events.length > 0;
