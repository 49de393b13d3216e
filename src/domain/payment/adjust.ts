// Adjust: another total for an estimated authorization (contract §4).
import { accept, type Decision, reject } from '../decider.ts';
import type { AttemptTiming } from './create.ts';
import type { PaymentEvent } from './events.ts';
import { isFinal, type Payment } from './payment.ts';
import { attemptOf, isKnown } from './queries.ts';
import { paymentIdOf } from './reference.ts';
import { inProgress, noSuchPayment, wrongStatus } from './refusals.ts';
import { requestedAs } from './requested-as.ts';

interface AdjustmentInput extends AttemptTiming {
  readonly attemptId: string;
  /** The new total in minor units, at least 1; lower than before is allowed. */
  readonly amount: number;
}

/** PaymentOperationInProgress, InvalidPaymentStatus, IncorrectPaymentAuthorizationType, in this order. */
export const requestAdjustment =
  ({ attemptId, amount, at, sendBy, callEndsAt }: AdjustmentInput) =>
  (payment: Payment): Decision<PaymentEvent> => {
    if (!isKnown(payment)) return noSuchPayment();
    if (attemptOf(payment, attemptId) !== undefined) return accept();
    const paymentId = paymentIdOf(attemptId);
    if (isFinal(payment.status)) return wrongStatus(payment, paymentId, 'adjusted');
    const busy = inProgress(payment, paymentId, at);
    if (busy !== undefined) return busy;
    if (payment.status !== 'AUTHORIZED') return wrongStatus(payment, paymentId, 'adjusted');
    if (payment.paymentMethod.authorizationType !== 'ESTIMATED') {
      const details = { paymentId, paymentStatus: payment.status };
      return reject('IncorrectPaymentAuthorizationType', 'Only an ESTIMATED authorization can be adjusted.', details);
    }
    const request = requestedAs(payment, attemptId, { at, sendBy, callEndsAt });
    return accept({ type: 'AdjustmentRequested', data: { ...request, amount, currencyCode: payment.currencyCode } });
  };
