// The history of a payment's money as it goes out (contract §4, `transactions`): the sale, then each requested refund.
import { z } from 'zod';
import { Amount } from '../../commands/fields/amount.ts';
import { KnownCurrencyCode } from '../../commands/fields/currency.ts';
import { publicEventId } from '../../domain/category.ts';
import type { Attempt, AttemptEvent } from '../../domain/payment/attempt.ts';
import { namedBy, type Result } from '../../domain/payment/fact-names.ts';
import { hasAmount } from '../../domain/payment/operations.ts';
import { EvidenceSource } from '../../domain/payment/outcome.ts';
import type { KnownPayment } from '../../domain/payment/payment.ts';
import { statusReason } from '../../domain/payment/status-reason.ts';
import { causeOf } from '../../domain/payment/totals.ts';
import { formatTime } from '../../world.ts';
import { bytesOf } from '../answer-size.ts';
import { answer } from './answer.ts';
import { PaymentStatusName, StatusReasonAnswer } from './payment-status.ts';
import { Instant } from './shapes.ts';

const TransactionEvent = z.strictObject({
  id: z.string(),
  type: z.string(),
  date: Instant,
  amount: z.int().optional(),
  final: z.boolean().optional(),
  evidence: EvidenceSource.optional(),
});

export const TransactionAnswer = z
  .strictObject({
    id: z.string(),
    transactionType: z.enum(['SALE', 'REFUND']),
    amount: Amount,
    currencyCode: KnownCurrencyCode,
    /** The SALE has the payment's status; a REFUND is PENDING, SETTLED or FAILED. */
    status: PaymentStatusName,
    date: Instant,
    orderId: z.string().optional(),
    reason: z.string().optional(),
    processorTransactionId: z.string().optional(),
    statusReason: StatusReasonAnswer.optional(),
    events: z.array(TransactionEvent).optional(),
  })
  .meta({ id: 'Transaction' });
export type TransactionAnswer = z.infer<typeof TransactionAnswer>;

interface TransactionsAnswer {
  readonly transactions: TransactionAnswer[];
  /** Older refunds, which had no room. */
  readonly transactionsOmitted: number | undefined;
}

/** Newest events of a transaction that are listed with it; the payment's own events are a list with pages. */
const MOST_EVENTS_OF_SALE = 500;
const MOST_EVENTS_OF_REFUND = 10;
/** So many fit, whatever they hold; more are measured. */
const UNMEASURED_REFUNDS = 50;

/**
 * The sale first, refunds in the order of their requests. `expandEvents`: each with what happened to it. `roomFor`:
 * bytes of JSON that an answer has for the refunds; where they take more, the oldest are left out. No refund is ever
 * refused for their number.
 */
export function transactionAnswers(
  id: string,
  payment: KnownPayment,
  expandEvents: boolean,
  roomFor: () => number,
): TransactionsAnswer {
  const all = refunds(payment, expandEvents);
  const kept = all.length <= UNMEASURED_REFUNDS ? all : newestThatFit(all, roomFor());
  const transactionsOmitted = all.length - kept.length || undefined;
  return { transactions: [sale(id, payment, expandEvents), ...kept], transactionsOmitted };
}

function newestThatFit(all: readonly TransactionAnswer[], room: number): readonly TransactionAnswer[] {
  let [from, left] = [all.length, room];
  for (const refund of all.toReversed()) {
    left -= bytesOf(refund) + 1;
    if (left < 0) break;
    from -= 1;
  }
  return all.slice(from);
}

/** A requested refund; the reversal of a late success belongs to the sale's story. */
const isRefund = ({ operation, follows }: Attempt): boolean => operation === 'refund' && follows === undefined;

function sale(id: string, payment: KnownPayment, expandEvents: boolean): TransactionAnswer {
  const { statusReason: cause, attempts } = payment;
  const ofSale = expandEvents ? attempts.filter((attempt) => !isRefund(attempt)) : undefined;
  return {
    id: attempts[0]?.attemptId ?? id,
    transactionType: 'SALE',
    amount: payment.amount,
    currencyCode: payment.currencyCode,
    status: payment.status,
    date: formatTime(payment.date),
    orderId: payment.orderId,
    processorTransactionId: payment.processorTransactionId,
    statusReason: cause && statusReason(cause),
    events: ofSale && eventsOf(ofSale).slice(-MOST_EVENTS_OF_SALE),
  };
}

const refunds = (payment: KnownPayment, expandEvents: boolean): readonly TransactionAnswer[] =>
  payment.attempts.flatMap((attempt) => {
    if (attempt.refund === undefined || !isRefund(attempt)) return [];
    const cause = causeOf(attempt, payment);
    const { refundId: id, orderId, reason } = attempt.refund;
    const refund = answer(TransactionAnswer, attempt, {
      id,
      transactionType: 'REFUND',
      currencyCode: payment.currencyCode,
      status: refundStatus(attempt),
      date: attempt.requestedAt,
      orderId,
      reason,
      statusReason: cause && statusReason(cause),
      events: expandEvents ? eventsOf([attempt]).slice(-MOST_EVENTS_OF_REFUND) : undefined,
    });
    return [refund];
  });

function refundStatus({ state }: Attempt): 'PENDING' | 'SETTLED' | 'FAILED' {
  switch (state) {
    case 'succeeded':
      return 'SETTLED';
    case 'open':
    case 'unknown':
    case 'pending':
    case 'action_required':
      return 'PENDING';
    case 'action_expired':
    case 'returned':
    case 'declined':
    case 'not_sent':
    case 'not_found':
      return 'FAILED';
    default:
      return state satisfies never;
  }
}

/** The facts that an attempt of any operation may have; a success that is not accepted leaves the outcome open. */
const RESULTS: ReadonlyMap<string, Result> = new Map([
  ['SuccessConfirmed', 'succeeded'],
  ['LateSuccessRecorded', 'succeeded'],
  ['MismatchRecorded', 'unknown'],
]);

/** The name of contract §4; undefined for a fact that has none. */
function nameOf(operation: string, type: AttemptEvent['type']): string | undefined {
  if (type === 'AuthorizationExpired') return 'AUTHORIZATION_EXPIRED';
  const result = namedBy(type)?.result ?? RESULTS.get(type);
  return result && `${operation}_${result}`.toUpperCase();
}

/** In the order in which they happened. */
function eventsOf(attempts: readonly Attempt[]): z.infer<typeof TransactionEvent>[] {
  const events = attempts.flatMap(({ operation, amount: asked, final, events: history }) =>
    history.flatMap(({ id, type: fact, at, amount = hasAmount(operation) ? asked : undefined, evidence }) => {
      const type = nameOf(operation, fact);
      if (type === undefined) return [];
      const members = { id: publicEventId(id), type, date: at, amount, final, evidence };
      return [members];
    }),
  );
  return events.toSorted((one, other) => one.date - other.date).map((members) => answer(TransactionEvent, members));
}
