// The request of an attempt to a processor, with the known context of its payment.
import { type Attempt, authorizationOf } from '../../domain/payment/attempt.ts';
import type { KnownPayment } from '../../domain/payment/payment.ts';
import { attemptOf } from '../../domain/payment/queries.ts';
import { METHODS } from '../../domain/payment-method.ts';
import type { Known, OperationRequest } from '../../processors/processor.ts';

/** The request for the call and for every look-up after it. */
export function operationRequest(paymentId: string, payment: KnownPayment, attempt: Attempt): OperationRequest {
  const { reference, operation, amount, requestedAt, processorTransactionId } = attempt;
  const { accountId, currencyCode } = payment;
  const about = {
    reference,
    accountId,
    paymentId,
    amount,
    currencyCode,
    requestedAt,
    ...(processorTransactionId !== undefined && { processorTransactionId }),
  };
  const authorization = authorizationKnown(payment, attempt);
  switch (operation) {
    case 'authorization':
      return {
        ...about,
        operation,
        processorToken: attempt.processorToken ?? '',
        ...(attempt.threeDSecure !== undefined && { threeDSecure: attempt.threeDSecure }),
        ...(attempt.offSession !== undefined && { offSession: attempt.offSession }),
        ...optional(payment),
      };
    case 'capture':
      return { ...about, operation, authorization, final: attempt.final ?? true };
    case 'refund':
      return { ...about, operation, authorization, captures: capturesOf(payment, attempt) };
    default:
      return { ...about, operation, authorization };
  }
}

function optional({ paymentMethod, customer, customerId }: KnownPayment): object {
  const { descriptor, paymentType, authorizationType, paymentMethodType, vaultOnSuccess, isVaulted } = paymentMethod;
  const keeps = vaultOnSuccess && !isVaulted && customerId !== undefined && METHODS[paymentMethodType].isKept;
  return {
    ...(paymentMethodType !== 'PAYMENT_CARD' && { paymentMethodType }),
    ...(keeps && { keeps: true }),
    ...(descriptor !== undefined && { descriptor }),
    ...(paymentType !== undefined && { paymentType }),
    ...(authorizationType === 'ESTIMATED' && { isEstimated: true }),
    ...(customer?.billingAddress !== undefined && { billingAddress: customer.billingAddress }),
  };
}

/**
 * An attempt that an operator vouched for is booked under our own reference; the processor's name is not known then.
 */
const known = (reference: string, name: string | undefined): Known =>
  name === undefined || name === reference ? { reference } : { processorTransactionId: name };

/** The one that counts; where an attempt takes back another authorization, that one. */
function authorizationKnown(payment: KnownPayment, { follows }: Attempt): Known {
  const followed = follows && attemptOf(payment, follows.attemptId);
  if (followed?.operation === 'authorization') return known(followed.reference, followed.processorTransactionId);
  return known(authorizationOf(payment)?.reference ?? '', payment.processorTransactionId);
}

/**
 * The captures to which it is allocated. The reversal of a late capture is allocated to none, and reverses the capture
 * that it follows.
 */
function capturesOf(payment: KnownPayment, { refund, follows }: Attempt): readonly Known[] {
  const allocated = refund?.allocations.map(({ attemptId }) => attemptId) ?? [];
  const ids = allocated.length > 0 || follows === undefined ? allocated : [follows.attemptId];
  return ids.flatMap((attemptId) => {
    const capture = attemptOf(payment, attemptId);
    return capture === undefined ? [] : [known(capture.reference, capture.processorTransactionId)];
  });
}
