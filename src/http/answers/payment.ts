// Payments as they go out (contract §4, "Payment object"): nothing empty, dates as text, nothing that only we need to know.
import { z } from 'zod';
import { AuthorizationType, CaptureMode, Customer, Order, PaymentType } from '../../domain/client-session/fields.ts';
import { KnownCurrencyCode } from '../../domain/currency.ts';
import { RecordedMetadata } from '../../domain/metadata.ts';
import { Amount } from '../../domain/money.ts';
import { EvidenceSource, Reason } from '../../domain/payment/outcome.ts';
import { type Attempt, type KnownPayment, paymentStatuses } from '../../domain/payment/state.ts';
import { CardData, PaymentMethodType } from '../../domain/payment-instrument/card.ts';
import { formatTime } from '../../world.ts';

export const Instant = z.iso.datetime({ precision: 3 });
export const PaymentStatusName = z.enum(paymentStatuses).meta({ id: 'PaymentStatus' });
export const StatusReasonAnswer = Reason.meta({ id: 'StatusReason' });

export const ProcessorAnswer = z
  .strictObject({
    name: z.string(),
    processorTransactionId: z.string().optional(),
    amountAuthorized: Amount,
    amountCapturable: Amount,
    amountCaptured: Amount,
    amountRefundable: Amount,
    amountRefunded: Amount,
    avsResult: z.string().optional(),
    cvcResult: z.string().optional(),
  })
  .meta({ id: 'PaymentProcessor' });

const TransactionEvent = z.strictObject({
  id: z.string(),
  type: z.string(),
  date: Instant,
  amount: z.number().optional(),
  final: z.boolean().optional(),
  evidence: EvidenceSource.optional(),
});

const TransactionAnswer = z
  .strictObject({
    id: z.string(),
    transactionType: z.enum(['SALE', 'REFUND']),
    amount: Amount,
    currencyCode: KnownCurrencyCode,
    /** A SALE's is the payment's; a REFUND is PENDING, SETTLED or FAILED. */
    status: PaymentStatusName,
    date: Instant,
    orderId: z.string().optional(),
    reason: z.string().optional(),
    processorTransactionId: z.string().optional(),
    statusReason: StatusReasonAnswer.optional(),
    events: z.array(TransactionEvent).optional(),
  })
  .meta({ id: 'Transaction' });
type TransactionAnswer = z.infer<typeof TransactionAnswer>;

export const PaymentAnswer = z
  .strictObject({
    id: z.string(),
    date: Instant,
    dateUpdated: Instant,
    status: PaymentStatusName,
    orderId: z.string(),
    currencyCode: KnownCurrencyCode,
    amount: Amount,
    customerId: z.string().optional(),
    customer: Customer.optional(),
    order: Order.optional(),
    metadata: RecordedMetadata.optional(),
    paymentMethod: z.strictObject({
      paymentMethodToken: z.string(),
      paymentMethodType: PaymentMethodType,
      paymentMethodData: CardData,
      isVaulted: z.boolean(),
      descriptor: z.string().optional(),
      paymentType: PaymentType.optional(),
      authorizationType: AuthorizationType,
      captureMode: CaptureMode,
    }),
    processor: ProcessorAnswer,
    statusReason: StatusReasonAnswer.optional(),
    transactions: z.array(TransactionAnswer).min(1),
    version: z.int().min(0),
  })
  .meta({ id: 'Payment' });
export type PaymentAnswer = z.infer<typeof PaymentAnswer>;

/** A payment keeps nothing empty (create.ts), so its members go out as they are. `revision` becomes the version; `expandEvents` is `?expand=transactions.events`. */
export function paymentAnswer(id: string, revision: number, payment: KnownPayment, expandEvents = false): PaymentAnswer {
  const { customerId, customer, order, metadata, statusReason } = payment;
  return {
    id,
    date: formatTime(payment.date),
    dateUpdated: formatTime(payment.dateUpdated),
    status: payment.status,
    orderId: payment.orderId,
    currencyCode: payment.currencyCode,
    amount: payment.amount,
    ...(customerId !== undefined && { customerId }),
    ...(customer !== undefined && { customer }),
    ...(order !== undefined && { order }),
    ...(metadata !== undefined && { metadata }),
    paymentMethod: paymentMethodAnswer(payment.paymentMethod),
    processor: processorAnswer(payment),
    ...(statusReason !== undefined && { statusReason }),
    transactions: [sale(id, payment, expandEvents), ...refunds(payment, expandEvents)],
    version: revision,
  };
}

function paymentMethodAnswer(method: KnownPayment['paymentMethod']): PaymentAnswer['paymentMethod'] {
  const { descriptor, paymentType } = method;
  return {
    paymentMethodToken: method.paymentMethodToken,
    paymentMethodType: method.paymentMethodType,
    paymentMethodData: method.paymentMethodData,
    isVaulted: method.isVaulted,
    ...(descriptor !== undefined && { descriptor }),
    ...(paymentType !== undefined && { paymentType }),
    authorizationType: method.authorizationType,
    captureMode: method.captureMode,
  };
}

export function processorAnswer(payment: KnownPayment): z.infer<typeof ProcessorAnswer> {
  const { processorTransactionId, avsResult, cvcResult } = payment;
  return {
    name: payment.processor,
    ...(processorTransactionId !== undefined && { processorTransactionId }),
    amountAuthorized: payment.amountAuthorized,
    amountCapturable: payment.amountCapturable,
    amountCaptured: payment.amountCaptured,
    amountRefundable: payment.amountRefundable,
    amountRefunded: payment.amountRefunded,
    ...(avsResult !== undefined && { avsResult }),
    ...(cvcResult !== undefined && { cvcResult }),
  };
}

/** A refund that somebody asked for; one that reverses a late success belongs to the sale's story. */
const isRefund = ({ operation, follows }: Attempt): boolean => operation === 'refund' && follows === undefined;

function sale(id: string, payment: KnownPayment, expandEvents: boolean): TransactionAnswer {
  const { processorTransactionId, statusReason, attempts } = payment;
  return {
    id: attempts[0]?.attemptId ?? id,
    transactionType: 'SALE',
    amount: payment.amount,
    currencyCode: payment.currencyCode,
    status: payment.status,
    date: formatTime(payment.date),
    orderId: payment.orderId,
    ...(processorTransactionId !== undefined && { processorTransactionId }),
    ...(statusReason !== undefined && { statusReason }),
    ...(expandEvents && { events: eventsOf(attempts.filter((attempt) => !isRefund(attempt))) }),
  };
}

function refunds({ attempts, currencyCode }: KnownPayment, expandEvents: boolean): readonly TransactionAnswer[] {
  return attempts.flatMap((attempt): readonly TransactionAnswer[] => {
    if (attempt.refund === undefined || !isRefund(attempt)) return [];
    const { refundId, orderId, reason } = attempt.refund;
    const { processorTransactionId, reason: statusReason } = attempt;
    return [
      {
        id: refundId,
        transactionType: 'REFUND',
        amount: attempt.amount,
        currencyCode,
        status: refundStatus(attempt),
        date: formatTime(attempt.requestedAt),
        ...(orderId !== undefined && { orderId }),
        ...(reason !== undefined && { reason }),
        ...(processorTransactionId !== undefined && { processorTransactionId }),
        ...(statusReason !== undefined && { statusReason }),
        ...(expandEvents && { events: eventsOf([attempt]) }),
      },
    ];
  });
}

function refundStatus({ state }: Attempt): 'PENDING' | 'SETTLED' | 'FAILED' {
  switch (state) {
    case 'succeeded':
      return 'SETTLED';
    case 'open':
    case 'unknown':
    case 'pending':
      return 'PENDING';
    case 'declined':
    case 'not_sent':
    case 'not_found':
      return 'FAILED';
    default:
      return state satisfies never;
  }
}

/** In the order in which they happened. */
function eventsOf(attempts: readonly Attempt[]): z.infer<typeof TransactionEvent>[] {
  const events = attempts.flatMap(({ operation, amount: asked, final, events: history }) =>
    history.map(({ id, type, at, amount = operation === 'cancellation' ? undefined : asked, evidence }) => ({
      at,
      answer: {
        id: `evt_${id}`,
        type,
        date: formatTime(at),
        ...(amount !== undefined && { amount }),
        ...(final !== undefined && { final }),
        ...(evidence !== undefined && { evidence }),
      },
    })),
  );
  return events.toSorted((one, other) => one.at - other.at).map(({ answer }) => answer);
}
