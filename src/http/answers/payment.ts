// Payments in answers (contract §4, "Payment object"), whole and as an item of GET /payments: no empty member, and no
// internal one.
import { z } from 'zod';
import { Amount } from '../../commands/fields/amount.ts';
import { KnownCurrencyCode } from '../../commands/fields/currency.ts';
import { AuthorizationType, CaptureMode, PaymentType } from '../../commands/fields/session-fields.ts';
import { isOpen } from '../../domain/payment/attempt.ts';
import { isOpenAnswer, type KnownPayment } from '../../domain/payment/payment.ts';
import { statusReason } from '../../domain/payment/status-reason.ts';
import { formatTime } from '../../world.ts';
import { bytesOf, MOST_ANSWER_BYTES } from '../answer-size.ts';
import { unlessEmpty } from './answer.ts';
import { Customer, Order } from './client-session.ts';
import { DisputeAnswer, disputeAnswer } from './dispute.ts';
import { methodMembers, methodShape } from './payment-instrument.ts';
import {
  type ActionToken,
  PaymentStatusName,
  RequiredAction,
  requiredAction,
  StatusReasonAnswer,
  ThreeDSecureAuthentication,
  threeDSecureAuthentication,
} from './payment-status.ts';
import { Instant } from './shapes.ts';
import { TransactionAnswer, transactionAnswers } from './transaction.ts';

/** The results of the checks of address and security code (contract §4). */
const CheckResult = z.enum(['MATCH', 'NO_MATCH', 'NOT_CHECKED', 'UNAVAILABLE']);

const ProcessorAnswer = z
  .strictObject({
    name: z.string(),
    processorTransactionId: z.string().optional(),
    amountAuthorized: Amount,
    amountCapturable: Amount,
    amountCaptured: Amount,
    amountRefundable: Amount,
    amountRefunded: Amount,
    avsResult: CheckResult.optional(),
    cvcResult: CheckResult.optional(),
  })
  .meta({ id: 'PaymentProcessor' });

export const PaymentAnswer = z
  .strictObject({
    id: z.string(),
    date: Instant,
    dateUpdated: Instant,
    status: PaymentStatusName,
    outcomeKnown: z.boolean().meta({
      description:
        'False while an operation of the payment, or a response to a dispute, is in progress, pending or of unknown outcome: money may still move.',
    }),
    orderId: z.string(),
    currencyCode: KnownCurrencyCode,
    amount: Amount,
    customerId: z.string().optional(),
    agreementId: z.string().optional(),
    periodKey: z.string().optional(),
    customer: Customer.optional(),
    order: Order.optional(),
    metadata: z.record(z.string(), z.unknown()).optional(),
    paymentMethod: z.strictObject({
      paymentMethodToken: z.string(),
      ...methodShape,
      isVaulted: z.boolean(),
      descriptor: z.string().optional(),
      paymentType: PaymentType.optional(),
      authorizationType: AuthorizationType,
      captureMode: CaptureMode,
      threeDSecureAuthentication: ThreeDSecureAuthentication.optional(),
    }),
    processor: ProcessorAnswer,
    requiredAction: RequiredAction.optional(),
    statusReason: StatusReasonAnswer.optional(),
    transactions: z.array(TransactionAnswer).min(1),
    transactionsOmitted: z.int().min(1).optional(),
    disputes: z.array(DisputeAnswer).min(1).optional(),
    version: z.int().min(0),
  })
  .meta({ id: 'Payment' });
export type PaymentAnswer = z.infer<typeof PaymentAnswer>;

export const PaymentItem = PaymentAnswer.pick({
  id: true,
  date: true,
  dateUpdated: true,
  status: true,
  orderId: true,
  currencyCode: true,
  amount: true,
  customerId: true,
  processor: true,
  paymentMethod: true,
  metadata: true,
  version: true,
})
  .extend({
    paymentMethod: PaymentAnswer.shape.paymentMethod.pick({ paymentMethodType: true, paymentMethodData: true }),
  })
  .meta({ id: 'PaymentItem' });
export type PaymentItem = z.infer<typeof PaymentItem>;

const NEXT_CURSOR =
  'The cursor of the next page; absent if there are no more payments. A page with a next page may be shorter than `limit`, or even empty: it looks at no more than 1,000 payments along its most selective filter, and has at most 1 MiB.';

/** Without `nextCursor` there are no more. `data` is there also when it is empty: the page itself is the resource. */
export const PaymentListAnswer = z
  .strictObject({ data: z.array(PaymentItem), nextCursor: z.string().optional().describe(NEXT_CURSOR) })
  .meta({ id: 'PaymentList' });
export type PaymentListAnswer = z.infer<typeof PaymentListAnswer>;

/**
 * For the refunds, and for the four members that may be large. The other members, the sale and its events have the rest
 * of an answer.
 */
const ROOM_BYTES = 0.7 * MOST_ANSWER_BYTES;

/**
 * Written out member by member: `answer` takes 2 µs more, and every request about a payment is answered with this. A
 * payment keeps nothing empty (create.ts), so its members go out as they are. `revision` becomes the version;
 * `expandEvents` is `?expand=transactions.events`; `tokenOf` makes the client token of a required action.
 */
export function paymentAnswer(
  id: string,
  revision: number,
  payment: KnownPayment,
  { expandEvents = false, tokenOf }: { readonly expandEvents?: boolean; readonly tokenOf?: ActionToken } = {},
): PaymentAnswer {
  const { customer, order, metadata, statusReason: cause } = payment;
  const disputes = payment.disputes.map(disputeAnswer);
  return {
    id,
    date: formatTime(payment.date),
    dateUpdated: formatTime(payment.dateUpdated),
    status: payment.status,
    outcomeKnown: isOutcomeKnown(payment),
    orderId: payment.orderId,
    currencyCode: payment.currencyCode,
    amount: payment.amount,
    customerId: payment.customerId,
    agreementId: payment.agreement?.agreementId ?? payment.forAgreement,
    periodKey: payment.agreement?.periodKey,
    customer,
    order,
    metadata,
    paymentMethod: paymentMethodAnswer(payment),
    processor: processorAnswer(payment),
    requiredAction: requiredAction(payment, tokenOf),
    statusReason: cause && statusReason(cause),
    ...transactionAnswers(id, payment, expandEvents, () => ROOM_BYTES - bytesOf([customer, order, metadata, disputes])),
    disputes: unlessEmpty(disputes),
    version: revision,
  };
}

const isOutcomeKnown = ({ status, attempts, disputes }: KnownPayment): boolean =>
  status !== 'PENDING' && !attempts.some(isOpen) && !disputes.some(({ answer }) => isOpenAnswer(answer));

function paymentMethodAnswer(payment: KnownPayment): PaymentAnswer['paymentMethod'] {
  const { paymentMethod: method } = payment;
  return {
    paymentMethodToken: method.paymentMethodToken,
    ...methodMembers(method),
    isVaulted: method.isVaulted,
    descriptor: method.descriptor,
    paymentType: method.paymentType,
    authorizationType: method.authorizationType,
    captureMode: method.captureMode,
    threeDSecureAuthentication: threeDSecureAuthentication(payment),
  };
}

const processorAnswer = (payment: KnownPayment): z.infer<typeof ProcessorAnswer> => ({
  name: payment.processor,
  processorTransactionId: payment.processorTransactionId,
  amountAuthorized: payment.amountAuthorized,
  amountCapturable: payment.amountCapturable,
  amountCaptured: payment.amountCaptured,
  amountRefundable: payment.amountRefundable,
  amountRefunded: payment.amountRefunded,
  avsResult: checked(payment.avsResult),
  cvcResult: checked(payment.cvcResult),
});

/** The processor's result as one of ours; any other result means nothing to a merchant. */
const checked = (result: string | undefined): z.infer<typeof CheckResult> | undefined =>
  result === undefined ? undefined : (CheckResult.safeParse(result).data ?? 'UNAVAILABLE');

/** What a list shows of a payment. */
export const paymentItem = (id: string, revision: number, payment: KnownPayment): PaymentItem => ({
  id,
  date: formatTime(payment.date),
  dateUpdated: formatTime(payment.dateUpdated),
  status: payment.status,
  orderId: payment.orderId,
  currencyCode: payment.currencyCode,
  amount: payment.amount,
  customerId: payment.customerId,
  processor: processorAnswer(payment),
  paymentMethod: methodMembers(payment.paymentMethod),
  metadata: payment.metadata,
  version: revision,
});
