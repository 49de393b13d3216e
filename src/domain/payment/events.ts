// What can happen to a payment. Attempts ask a processor for something; every attempt is requested before it is sent.
import { z } from 'zod';
import { category, event } from '../category.ts';
import { RecordedCustomer as Customer, RecordedOrder as Order } from '../client-session/recorded-fields.ts';
import { Evidence, Operation, Reason } from './outcome.ts';

const KnownCurrencyCode = z.string();
const PositiveAmount = z.number();
const RecordedMetadata = z.record(z.string(), z.unknown());
const PaymentMethodType = z.enum(['PAYMENT_CARD']);
const PaymentType = z.enum(['FIRST_PAYMENT', 'ECOMMERCE', 'SUBSCRIPTION', 'UNSCHEDULED']);
const AuthorizationType = z.enum(['FINAL', 'ESTIMATED']);
const CaptureMode = z.enum(['MANUAL', 'AUTOMATIC']);
const CardData = z.strictObject({
  network: z.enum(['VISA', 'MASTERCARD', 'AMEX', 'DISCOVER', 'OTHER']),
  first6Digits: z.string(),
  last4Digits: z.string(),
  expirationMonth: z.string(),
  expirationYear: z.string(),
  cardholderName: z.string().optional(),
});
/** Milliseconds since the epoch, business time. */
const Time = z.int().min(0);
/** What a processor reports; it is recorded whatever it is. */
const Reported = { processorTransactionId: z.string(), amount: z.number(), currencyCode: z.string() };

const PaymentMethodTerms = z.strictObject({
  paymentMethodToken: z.string(),
  paymentMethodType: PaymentMethodType,
  paymentMethodData: CardData,
  /** HMAC of the card number. */
  fingerprint: z.string().optional(),
  /** Whether the instrument was vaulted when the payment was made. */
  isVaulted: z.boolean(),
  vaultOnSuccess: z.boolean(),
  descriptor: z.string().optional(),
  paymentType: PaymentType.optional(),
  authorizationType: AuthorizationType,
  captureMode: CaptureMode,
});

export const PaymentCreation = z.strictObject({
  accountId: z.string(),
  sessionId: z.string().optional(),
  createdAt: Time,
  orderId: z.string(),
  currencyCode: KnownCurrencyCode,
  amount: PositiveAmount,
  customerId: z.string().optional(),
  customer: Customer.optional(),
  order: Order.optional(),
  metadata: RecordedMetadata.optional(),
  returnUrl: z.string().optional(),
  processor: z.string(),
  /** The processor's name for the card. */
  processorToken: z.string(),
  paymentMethod: PaymentMethodTerms,
});
export type PaymentCreation = z.infer<typeof PaymentCreation>;

/** What started an attempt that nobody asked for: it follows from how another attempt (`attemptId`) ended. */
export const FollowUp = z.strictObject({
  attemptId: z.string(),
  because: z.enum(['automatic_capture', 'intended_cancellation', 'answer_mismatch', 'late_success']),
});
export type FollowUp = z.infer<typeof FollowUp>;

/** Which captures a refund is taken from, by their attempt ids. */
export const Allocation = z.strictObject({ attemptId: z.string(), amount: PositiveAmount });
export type Allocation = z.infer<typeof Allocation>;

const requested = {
  /** `<paymentId>.<suffix>`: our reference and idempotency key at the processor. */
  attemptId: z.string(),
  requestedAt: Time,
  /** It is not sent later than this. */
  sendBy: Time,
  /** When the processor is first asked what became of it. */
  lookUpAt: Time,
  follows: FollowUp.optional(),
};
const learnt = { attemptId: z.string(), operation: Operation, evidence: Evidence, at: Time };

export const paymentCategory = category(
  'payment',
  z.discriminatedUnion('type', [
    event('PaymentCreated', PaymentCreation),
    /** Takes the place of a creation that never came, so that it never will: its claims are free. */
    event('PaymentAbandoned', z.strictObject({ abandonedAt: Time })),
    event('AuthorizationRequested', z.strictObject({ ...requested, amount: PositiveAmount })),
    event(
      'CaptureRequested',
      z.strictObject({ ...requested, amount: PositiveAmount, final: z.boolean(), metadata: RecordedMetadata.optional() }),
    ),
    /** The void of an authorization, or of the rest that was not captured. */
    event('CancellationRequested', z.strictObject({ ...requested, reason: z.string().optional() })),
    event(
      'RefundRequested',
      z.strictObject({
        ...requested,
        refundId: z.string(),
        amount: PositiveAmount,
        orderId: z.string().optional(),
        reason: z.string().optional(),
        /** Empty for the reversal of a capture that is in no total. */
        allocations: z.array(Allocation),
      }),
    ),
    /** `amount` is the new total. */
    event('AdjustmentRequested', z.strictObject({ ...requested, amount: PositiveAmount })),
    /** Again, where an operator had vouched for it: how the processor calls it, and for a capture how much it was; it is booked once. */
    event(
      'AttemptSucceeded',
      z.strictObject({
        ...learnt,
        ...Reported,
        avsResult: z.string().optional(),
        cvcResult: z.string().optional(),
        /** An authorization: when the issuer's hold ends, ms, where the processor says so. */
        holdExpiresAt: z.number().optional(),
      }),
    ),
    event('AttemptDeclined', z.strictObject({ ...learnt, reason: Reason, processorTransactionId: z.string().optional() })),
    event('AttemptPending', z.strictObject({ ...learnt, processorTransactionId: z.string().optional() })),
    event('AttemptNotSent', z.strictObject({ ...learnt, reason: Reason })),
    event('AttemptUnknown', z.strictObject({ ...learnt, reason: Reason })),
    event('AttemptNotFound', z.strictObject({ ...learnt, reason: Reason })),
    /** The processor was asked at `at` and the matter stays open until `lookUpAt`. */
    event(
      'LookUpScheduled',
      z.strictObject({
        attemptId: z.string(),
        at: Time,
        answer: z.enum(['succeeded', 'declined', 'requires_action', 'pending', 'unknown', 'not_found', 'not_sent', 'unreachable']),
        lookUpAt: Time,
        evidence: Evidence.optional(),
      }),
    ),
    /** Somebody wants it cancelled while its authorization is not known yet. */
    event('CancellationIntended', z.strictObject({ attemptId: z.string(), reason: z.string().optional(), at: Time })),
    event('PaymentCancelled', z.strictObject({ attemptId: z.string(), reason: z.string().optional(), at: Time })),
    /** What was not captured is no longer held. */
    event('AuthorizationExpired', z.strictObject({ at: Time })),
    /** A success that the payment has no place for any more; its amount is in no total, and it is reversed where it can be. */
    event('LateSuccessRecorded', z.strictObject({ ...learnt, ...Reported })),
    /** A success in another amount or currency than asked: nothing is built on it. */
    event('AnswerMismatched', z.strictObject({ ...learnt, ...Reported, reason: Reason })),
    /** More is refunded than captured, by `amount`, because a success was told late: an operator has seen to it. */
    event('OverRefundAccepted', z.strictObject({ amount: PositiveAmount, evidence: Evidence, at: Time })),
    /** What became of `vaultOnSuccess`: the token that its card is vaulted under, or the errorId of the refusal. */
    event('VaultingRecorded', z.strictObject({ paymentMethodToken: z.string().optional(), refused: z.string().optional() })),
  ]),
);
export type PaymentEvent = z.infer<typeof paymentCategory.event>;
