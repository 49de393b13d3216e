// Payments as they go out (contract §4, "Payment object"): no empty member, dates as text, no internal member.
import { z } from 'zod';
import { Amount } from '../../commands/fields/amount.ts';
import { KnownCurrencyCode } from '../../commands/fields/currency.ts';
import { AuthorizationType, CaptureMode, PaymentType } from '../../commands/fields/session-fields.ts';
import { isOpen } from '../../domain/payment/attempt.ts';
import { isOpenAnswer, type KnownPayment } from '../../domain/payment/payment.ts';
import { statusReason } from '../../domain/payment/status-reason.ts';
import { formatTime } from '../../world.ts';
import { bytesOf, MOST_ANSWER_BYTES } from '../answer-size.ts';
import { methodMembers, methodShape } from './card-data.ts';
import { DisputeAnswer, disputeAnswer } from './dispute.ts';
import { Instant } from './instant.ts';
import { PaymentStatusName, StatusReasonAnswer } from './payment-status.ts';
import {
  type ActionToken,
  RequiredAction,
  requiredAction,
  ThreeDSecureAuthentication,
  threeDSecureAuthentication,
} from './required-action.ts';
import { Customer, Order } from './session-fields.ts';
import { TransactionAnswer, transactionAnswers } from './transaction.ts';

/** The results of the checks of address and security code (contract §4). */
const CheckResult = z.enum(['MATCH', 'NO_MATCH', 'NOT_CHECKED', 'UNAVAILABLE']);
/** The processor's result as one of these; any other result means nothing to a merchant. */
const Checked = CheckResult.catch('UNAVAILABLE');

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

/**
 * For the refunds, and for the four members that may be large. The other members, the sale and its events have the rest
 * of an answer.
 */
const ROOM_BYTES = 0.7 * MOST_ANSWER_BYTES;

/**
 * A payment keeps nothing empty (create.ts), so its members go out as they are. `revision` becomes the version;
 * `expandEvents` is `?expand=transactions.events`; `tokenOf` makes the client token of a required action.
 */
export function paymentAnswer(
  id: string,
  revision: number,
  payment: KnownPayment,
  { expandEvents = false, tokenOf }: { readonly expandEvents?: boolean; readonly tokenOf?: ActionToken } = {},
): PaymentAnswer {
  const action = requiredAction(payment, tokenOf);
  const { customerId, customer, order, metadata, statusReason: cause } = payment;
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
    ...(customerId !== undefined && { customerId }),
    ...(customer !== undefined && { customer }),
    ...(order !== undefined && { order }),
    ...(metadata !== undefined && { metadata }),
    paymentMethod: paymentMethodAnswer(payment),
    processor: processorAnswer(payment),
    ...(action !== undefined && { requiredAction: action }),
    ...(cause !== undefined && { statusReason: statusReason(cause) }),
    ...transactionAnswers(id, payment, expandEvents, () => ROOM_BYTES - bytesOf([customer, order, metadata, disputes])),
    ...(disputes.length > 0 && { disputes }),
    version: revision,
  };
}

const isOutcomeKnown = ({ status, attempts, disputes }: KnownPayment): boolean =>
  status !== 'PENDING' && !attempts.some(isOpen) && !disputes.some(({ answer }) => isOpenAnswer(answer));

function paymentMethodAnswer(payment: KnownPayment): PaymentAnswer['paymentMethod'] {
  const { paymentMethod: method } = payment;
  const authentication = threeDSecureAuthentication(payment);
  const { descriptor, paymentType } = method;
  return {
    paymentMethodToken: method.paymentMethodToken,
    ...methodMembers(method),
    isVaulted: method.isVaulted,
    ...(descriptor !== undefined && { descriptor }),
    ...(paymentType !== undefined && { paymentType }),
    authorizationType: method.authorizationType,
    captureMode: method.captureMode,
    ...(authentication !== undefined && { threeDSecureAuthentication: authentication }),
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
    ...(avsResult !== undefined && { avsResult: Checked.parse(avsResult) }),
    ...(cvcResult !== undefined && { cvcResult: Checked.parse(cvcResult) }),
  };
}
