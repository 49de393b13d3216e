// GET /payments: a page of payments, newest first, each with what a list shows (contract §4).

import { z } from 'zod';
import type { KnownPayment } from '../../domain/payment/payment.ts';
import { formatTime } from '../../world.ts';
import { methodMembers } from './card-data.ts';
import { PaymentAnswer, processorAnswer } from './payment.ts';

const {
  id,
  date,
  dateUpdated,
  status,
  orderId,
  currencyCode,
  amount,
  customerId,
  processor,
  paymentMethod,
  metadata,
  version,
} = PaymentAnswer.shape;

export const PaymentItem = z
  .strictObject({
    id,
    date,
    dateUpdated,
    status,
    orderId,
    currencyCode,
    amount,
    customerId,
    processor,
    paymentMethod: paymentMethod.pick({ paymentMethodType: true, paymentMethodData: true }),
    metadata,
    version,
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

export function paymentItem(paymentId: string, revision: number, payment: KnownPayment): PaymentItem {
  return {
    id: paymentId,
    date: formatTime(payment.date),
    dateUpdated: formatTime(payment.dateUpdated),
    status: payment.status,
    orderId: payment.orderId,
    currencyCode: payment.currencyCode,
    amount: payment.amount,
    ...(payment.customerId !== undefined && { customerId: payment.customerId }),
    processor: processorAnswer(payment),
    paymentMethod: methodMembers(payment.paymentMethod),
    ...(payment.metadata !== undefined && { metadata: payment.metadata }),
    version: revision,
  };
}
