// The events and requests that the tests of payments are told with: one payment of 1000, attempt ids pay_1.<name>.

import type { Operation } from '../../../src/domain/operation.ts';
import type { Fact, PaymentCreation, PaymentEvent } from '../../../src/domain/payment/events.ts';
import { factsOf, OPERATIONS } from '../../../src/domain/payment/operations.ts';
import type { NotFound, Outcome, Reason, Succeeded } from '../../../src/domain/payment/outcome.ts';
import type { Cause, KnownPayment, Payment } from '../../../src/domain/payment/payment.ts';
import { isKnown } from '../../../src/domain/payment/queries.ts';
import { referenceOf } from '../../../src/domain/payment/reference.ts';
import { settleAttempt } from '../../../src/domain/payment/settle.ts';
import type { Settlement } from '../../../src/domain/payment/settlement.ts';
import { statusReason } from '../../../src/domain/payment/status-reason.ts';

/** The time of everything that is asked, ms. */
export const AT = 1_000_000;
/** Sent within 5 s, looked up after 30 s. */
export const timing = { at: AT, sendBy: AT + 5_000, callEndsAt: AT + 30_000 };
/** Where the payment is authorized, with the processor's name for its card. */
export const route = { processor: 'sandbox', connectionId: 'sandbox', processorToken: 'tok_1' };
/** Where the money of its facts moves. */
export const place = { connectionId: 'sandbox', network: 'VISA' };

export const id = (name: string): string => `pay_1.${name}`;

export const creation: PaymentCreation = {
  accountId: 'acc_1',
  sessionId: 'cs_1',
  createdAt: AT,
  orderId: 'order-1',
  currencyCode: 'EUR',
  amount: 1_000,
  paymentMethod: {
    paymentMethodToken: 'pm_1',
    paymentMethodType: 'PAYMENT_CARD',
    paymentMethodData: {
      network: 'VISA',
      first6Digits: '424242',
      last4Digits: '4242',
      expirationMonth: '12',
      expirationYear: '2030',
    },
    fingerprint: 'f'.repeat(64),
    isVaulted: false,
    vaultOnSuccess: false,
    authorizationType: 'FINAL',
    captureMode: 'MANUAL',
  },
};

export const created = (
  other: Partial<PaymentCreation> = {},
  method: Partial<PaymentCreation['paymentMethod']> = {},
): PaymentEvent => ({
  type: 'PaymentCreated',
  data: { ...creation, ...other, paymentMethod: { ...creation.paymentMethod, ...method } },
});
/** The common members of the request for `pay_1.<name>`. */
const asked = (name: string) => ({
  attemptId: id(name),
  reference: referenceOf(id(name)),
  requestedAt: AT,
  sendBy: AT + 5_000,
  nextLookUpAt: AT + 30_000,
});
const euros = (amount: number) => ({ amount, currencyCode: 'EUR' });

export const authorizationRequested: Fact<'AuthorizationRequested'> = {
  type: 'AuthorizationRequested',
  data: { ...asked('a'), ...route, ...euros(1_000) },
};
/** The issuer asks the customer of `pay_1.a` for something, within an hour. */
export const actionRequired: Fact<'CustomerActionRequired'> = {
  type: 'CustomerActionRequired',
  data: {
    attemptId: id('a'),
    evidence: { source: 'answer' },
    action: { kind: 'redirect', url: 'https://issuer.example/3ds' },
    processorTransactionId: 'tx_a',
    resumeTokenHash: 'f'.repeat(64),
    expiresAt: AT + 3_600_000,
  },
};
export const captureRequested = (
  name: string,
  amount: number,
  final = true,
  metadata?: Record<string, unknown>,
): PaymentEvent => ({
  type: 'CaptureRequested',
  data: { ...asked(name), ...euros(amount), final, ...(metadata && { metadata }) },
});
export const cancellationRequested = (name: string): PaymentEvent => ({
  type: 'CancellationRequested',
  data: asked(name),
});
export const adjustmentRequested = (name: string, amount: number): PaymentEvent => ({
  type: 'AdjustmentRequested',
  data: { ...asked(name), ...euros(amount) },
});
export const refundRequested = (name: string, amount: number, from: string): PaymentEvent => ({
  type: 'RefundRequested',
  data: { ...asked(name), ...euros(amount), refundId: `ref_${name}`, allocations: [{ attemptId: id(from), amount }] },
});

const CODE = { code: 'GENERIC_DECLINE', declineType: 'HARD' } as const;
/** Why an authorization was declined. */
export const DECLINE: Cause = { because: 'declined', operation: 'authorization', ...CODE };

type Source = Settlement['source'];
const learnt = (name: string, source: Source = 'answer') => ({ attemptId: id(name), evidence: { source } });
const reported = (name: string, amount: number, currencyCode = 'EUR') => ({
  processorTransactionId: `tx_${name}`,
  amount,
  currencyCode,
});

/** It was done as `amount`; a void releases that much. */
export const wentThrough = (name: string, operation: Operation, amount: number): PaymentEvent => ({
  type: factsOf(operation).succeeded,
  data: { ...learnt(name), ...reported(name, amount), ...place },
});
export const wasDeclined = (name: string, operation: Operation): PaymentEvent => ({
  type: factsOf(operation).declined,
  data: { ...learnt(name), ...CODE, ...place },
});
export const isPending = (name: string, operation: Operation): PaymentEvent => ({
  type: factsOf(operation).pending,
  data: { ...learnt(name), processorTransactionId: `tx_${name}`, nextLookUpAt: AT + 30_000 },
});
export const isUnknown = (name: string, operation: Operation): PaymentEvent => ({
  type: factsOf(operation).unknown,
  data: { ...learnt(name), nextLookUpAt: AT + 30_000 },
});
/** `retryAt`: of a reversal that is tried again. */
export const wasNotSent = (name: string, operation: Operation, retryAt?: number): PaymentEvent => ({
  type: factsOf(operation).not_sent,
  data: { ...learnt(name), ...(retryAt !== undefined && { retryAt }) },
});
export const wasNotFound = (name: string, operation: Operation, retryAt?: number): PaymentEvent => ({
  type: factsOf(operation).not_found,
  data: { ...learnt(name), ...(retryAt !== undefined && { retryAt }) },
});
/** It had succeeded with `amount`, and came back. */
export const cameBack = (name: string, operation: 'capture' | 'refund', amount: number): PaymentEvent => ({
  type: OPERATIONS[operation].facts.returned,
  data: { ...learnt(name, 'notification'), ...euros(amount), ...place },
});

/** A success that is not believed; all but an authorization stay open. */
export const answeredWrongly = (
  name: string,
  operation: Operation,
  amount: number,
  currencyCode = 'EUR',
): PaymentEvent => ({
  type: 'MismatchRecorded',
  data: {
    ...learnt(name),
    operation,
    ...reported(name, amount, currencyCode),
    ...place,
    ...(operation !== 'authorization' && { nextLookUpAt: AT + 30_000 }),
  },
});
/** A look-up that settled nothing. */
export const lookedUp = (
  name: string,
  operation: Operation,
  answer: 'unknown' | 'not_found' | 'succeeded',
  nextLookUpAt: number,
): PaymentEvent => ({ type: 'LookUpRecorded', data: { ...learnt(name, 'lookup'), operation, answer, nextLookUpAt } });
export const holdExpired: PaymentEvent = {
  type: 'AuthorizationExpired',
  data: { amount: 1_000, currencyCode: 'EUR', ...place, evidence: { source: 'notification' } },
};

/**
 * The money of a cancelled voucher, which came anyway: its refund was asked for, and the processor refused it.
 */
export const heldTooLate: readonly PaymentEvent[] = [
  created(),
  authorizationRequested,
  { type: 'PaymentCancelled', data: { attemptId: id('v') } },
  {
    type: 'LateSuccessRecorded',
    data: { ...learnt('a', 'notification'), operation: 'authorization', ...reported('a', 1_000), ...place },
  },
  {
    type: 'RefundRequested',
    data: {
      ...asked('a-refund'),
      follows: { attemptId: id('a'), because: 'late_success' },
      refundId: id('a-refund'),
      ...euros(1_000),
      allocations: [],
    },
  },
  wasDeclined('a-refund', 'refund'),
];

/** Histories that many tests begin with. */
export const pending = [created(), authorizationRequested];
export const authorized = [...pending, wentThrough('a', 'authorization', 1_000)];
export const estimated = [
  created({}, { authorizationType: 'ESTIMATED' }),
  authorizationRequested,
  wentThrough('a', 'authorization', 1_000),
];
export const partlySettled = [...authorized, captureRequested('c', 400, false), wentThrough('c', 'capture', 400)];
/** PENDING, with a hold over there that is not the one that was asked for. */
export const mismatched: readonly PaymentEvent[] = [...pending, answeredWrongly('a', 'authorization', 1_000, 'USD')];
export const settled = [...authorized, captureRequested('c', 1_000), wentThrough('c', 'capture', 1_000)];

export const success = (name: string, amount: number, currencyCode = 'EUR'): Succeeded => ({
  kind: 'succeeded',
  ...reported(name, amount, currencyCode),
});
export const declined: Outcome = { kind: 'declined', ...CODE };
export const pendingAnswer = (name: string): Outcome => ({ kind: 'pending', processorTransactionId: `tx_${name}` });
export const unknown: Outcome = { kind: 'unknown', detail: 'no answer within 25000 ms' };
export const notSent: Outcome = { kind: 'not_sent', detail: 'connection refused' };
export const notFound: NotFound = { kind: 'not_found' };

/** Settles `pay_1.<name>`, a minute after it was asked. */
export const settle = (name: string, outcome: Outcome | NotFound, source: Settlement['source'] = 'answer') =>
  settleAttempt({
    attemptId: id(name),
    outcome,
    evidence: { source },
    source,
    at: AT + 60_000,
    sendBy: AT + 65_000,
    callEndsAt: AT + 90_000,
  });

/** The payment, when there is one; a test about nothing is a failed test. */
export function known(payment: Payment): KnownPayment {
  if (!isKnown(payment)) throw new Error(`the payment is ${payment.status}`);
  return payment;
}

/** Why the payment stands as it does, in public words. */
export function reasonOf(payment: Payment): Reason | undefined {
  const cause = known(payment).statusReason;
  return cause && statusReason(cause);
}
