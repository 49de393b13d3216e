// A look-up that settled nothing: what is known now, and when the processor is asked again.
import { accept, type Decision } from '../decider.ts';
import { isOpen, isUnanswered, owesFence } from './attempt.ts';
import type { PaymentEvent } from './events.ts';
import { factsOf } from './operations.ts';
import type { Evidence, LookUp } from './outcome.ts';
import type { Payment } from './payment.ts';
import { attemptOf, isKnown, isToBeRetried } from './queries.ts';
import { noSuchPayment } from './refusals.ts';

export interface LookUpMade {
  readonly attemptId: string;
  readonly answer: LookUp['kind'];
  /** If the response names it: the id of an operation in progress at the processor. */
  readonly processorTransactionId: string | undefined;
  readonly evidence: Evidence;
  /** ms */
  readonly nextLookUpAt: number;
}

/** An attempt whose caller never came back becomes unknown by it; one that the processor is working on, pending. */
export const recordLookUp =
  ({ attemptId, answer, processorTransactionId, evidence, nextLookUpAt }: LookUpMade) =>
  (payment: Payment): Decision<PaymentEvent> => {
    const attempt = attemptOf(payment, attemptId);
    if (!isKnown(payment) || attempt === undefined) return noSuchPayment();
    if (!isOpen(attempt) && !isToBeRetried(payment, attempt) && !owesFence(attempt)) return accept();
    const { operation } = attempt;
    const facts = factsOf(operation);
    const learnt = { attemptId, evidence, nextLookUpAt };
    const asked: PaymentEvent = { type: 'LookUpRecorded', data: { ...learnt, operation, answer } };
    if ((answer === 'pending' || answer === 'requires_action') && isUnanswered(attempt)) {
      const named = processorTransactionId === undefined ? {} : { processorTransactionId };
      return accept<PaymentEvent>({ type: facts.pending, data: { ...learnt, ...named } }, asked);
    }
    return attempt.state === 'open'
      ? accept<PaymentEvent>({ type: facts.unknown, data: learnt }, asked)
      : accept(asked);
  };
