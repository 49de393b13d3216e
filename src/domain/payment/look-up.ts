// A look-up that settled nothing: what is known now, and when the processor is asked again.
import { accept, type Decision } from '../decider.ts';
import { isOpen } from './attempt.ts';
import type { PaymentEvent } from './events.ts';
import type { Evidence, LookUp } from './outcome.ts';
import type { Payment } from './payment.ts';
import { attemptOf, isKnown, isToBeRetried } from './queries.ts';
import { noSuchPayment } from './refusals.ts';
import { TIMEOUT } from './settle.ts';

export interface RecordedLookUp {
  readonly attemptId: string;
  readonly answer: LookUp['kind'];
  /** Where the answer told it: of what the processor is working on. */
  readonly processorTransactionId: string | undefined;
  readonly evidence: Evidence;
  /** ms */
  readonly nextLookUpAt: number;
  /** When it was asked, ms. */
  readonly at: number;
}

/** An attempt whose caller never came back becomes unknown by it; one that the processor is working on, pending. */
export const recordLookUp =
  ({ attemptId, answer, processorTransactionId, evidence, nextLookUpAt, at }: RecordedLookUp) =>
  (payment: Payment): Decision<PaymentEvent> => {
    const attempt = attemptOf(payment, attemptId);
    if (!isKnown(payment) || attempt === undefined) return noSuchPayment();
    if (!isOpen(attempt) && !isToBeRetried(payment, attempt)) return accept();
    const learnt = { attemptId, operation: attempt.operation, evidence, at };
    const scheduled: PaymentEvent = { type: 'LookUpScheduled', data: { attemptId, at, answer, lookUpAt: nextLookUpAt, evidence } };
    if ((answer === 'pending' || answer === 'requires_action') && (attempt.state === 'open' || attempt.state === 'unknown')) {
      const named = processorTransactionId === undefined ? {} : { processorTransactionId };
      return accept<PaymentEvent>({ type: 'AttemptPending', data: { ...learnt, ...named } }, scheduled);
    }
    return attempt.state === 'open'
      ? accept<PaymentEvent>({ type: 'AttemptUnknown', data: { ...learnt, reason: TIMEOUT } }, scheduled)
      : accept(scheduled);
  };
