// The events and requests that the tests of payments are told with: one payment of 1000, attempt ids pay_1.<name>.

import { type Settlement, settleAttempt } from '../../../src/domain/payment/decide.ts';
import { declineReason } from '../../../src/domain/payment/decline-reason.ts';
import type { PaymentCreation, PaymentEvent } from '../../../src/domain/payment/events.ts';
import type { NotFound, Operation, Outcome, Reason, Succeeded } from '../../../src/domain/payment/outcome.ts';
import type { KnownPayment, Payment } from '../../../src/domain/payment/state.ts';

/** The time of everything that is asked, ms. */
export const AT = 1_000_000;
/** Sent within 5 s, looked up after 30 s. */
export const timing = { at: AT, sendBy: AT + 5_000, lookUpAt: AT + 30_000 };
const requestedAt = { requestedAt: AT, sendBy: AT + 5_000, lookUpAt: AT + 30_000 };

export const id = (name: string): string => `pay_1.${name}`;

export const creation: PaymentCreation = {
  accountId: 'acc_1',
  sessionId: 'cs_1',
  createdAt: AT,
  orderId: 'order-1',
  currencyCode: 'EUR',
  amount: 1_000,
  processor: 'sandbox',
  processorToken: 'tok_1',
  paymentMethod: {
    paymentMethodToken: 'pm_1',
    paymentMethodType: 'PAYMENT_CARD',
    paymentMethodData: { network: 'VISA', first6Digits: '424242', last4Digits: '4242', expirationMonth: '12', expirationYear: '2030' },
    fingerprint: 'f'.repeat(64),
    isVaulted: false,
    vaultOnSuccess: false,
    authorizationType: 'FINAL',
    captureMode: 'MANUAL',
  },
};

export const created = (other: Partial<PaymentCreation> = {}, method: Partial<PaymentCreation['paymentMethod']> = {}): PaymentEvent => ({
  type: 'PaymentCreated',
  data: { ...creation, ...other, paymentMethod: { ...creation.paymentMethod, ...method } },
});
export const authorizationRequested: PaymentEvent = {
  type: 'AuthorizationRequested',
  data: { attemptId: id('a'), amount: 1_000, ...requestedAt },
};
export const captureRequested = (name: string, amount: number, final = true, metadata?: Record<string, unknown>): PaymentEvent => ({
  type: 'CaptureRequested',
  data: { attemptId: id(name), amount, final, ...requestedAt, ...(metadata && { metadata }) },
});
export const cancellationRequested = (name: string): PaymentEvent => ({
  type: 'CancellationRequested',
  data: { attemptId: id(name), ...requestedAt },
});
export const adjustmentRequested = (name: string, amount: number): PaymentEvent => ({
  type: 'AdjustmentRequested',
  data: { attemptId: id(name), amount, ...requestedAt },
});
export const refundRequested = (name: string, amount: number, from: string): PaymentEvent => ({
  type: 'RefundRequested',
  data: { attemptId: id(name), refundId: `ref_${name}`, amount, allocations: [{ attemptId: id(from), amount }], ...requestedAt },
});

const CODE = { code: 'GENERIC_DECLINE', declineType: 'HARD' } as const;
export const DECLINE: Reason = declineReason(CODE, 'authorization');
export const TIMEOUT: Reason = { type: 'GATEWAY_TIMEOUT' };
const UNREACHABLE: Reason = { type: 'GATEWAY_UNAVAILABLE' };

const learnt = (name: string, operation: Operation) => ({
  attemptId: id(name),
  operation,
  evidence: { source: 'answer' as const },
  at: AT,
});
const reported = (name: string, amount: number, currencyCode = 'EUR') => ({ processorTransactionId: `tx_${name}`, amount, currencyCode });

export const wentThrough = (name: string, operation: Operation, amount: number): PaymentEvent => ({
  type: 'AttemptSucceeded',
  data: { ...learnt(name, operation), ...reported(name, amount) },
});
export const wasDeclined = (name: string, operation: Operation): PaymentEvent => ({
  type: 'AttemptDeclined',
  data: { ...learnt(name, operation), reason: declineReason(CODE, operation) },
});
export const isPending = (name: string, operation: Operation): PaymentEvent => ({
  type: 'AttemptPending',
  data: { ...learnt(name, operation), processorTransactionId: `tx_${name}` },
});
export const isUnknown = (name: string, operation: Operation): PaymentEvent => ({
  type: 'AttemptUnknown',
  data: { ...learnt(name, operation), reason: TIMEOUT },
});
export const wasNotSent = (name: string, operation: Operation): PaymentEvent => ({
  type: 'AttemptNotSent',
  data: { ...learnt(name, operation), reason: UNREACHABLE },
});
export const wasNotFound = (name: string, operation: Operation): PaymentEvent => ({
  type: 'AttemptNotFound',
  data: { ...learnt(name, operation), reason: TIMEOUT },
});

export const answeredWrongly = (name: string, operation: Operation, amount: number, currencyCode = 'EUR'): PaymentEvent => ({
  type: 'AnswerMismatched',
  data: { ...learnt(name, operation), ...reported(name, amount, currencyCode), reason: { type: 'APPLICATION_ERROR' } },
});

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
    lookUpAt: AT + 90_000,
  });

/** The payment, when there is one; a test about nothing is a failed test. */
export function known(payment: Payment): KnownPayment {
  if (payment.status === 'absent' || payment.status === 'abandoned') throw new Error(`the payment is ${payment.status}`);
  return payment;
}
