// A payment in the dashboard's lists: the item of the API, its derived status, and why it was refused.
import { z } from 'zod';
import { type DerivedStatus, derivedStatuses, derivedStatusesOf } from '../../domain/payment/derived-status.ts';
import type { KnownPayment } from '../../domain/payment/payment.ts';
import { statusReason } from '../../domain/payment/status-reason.ts';
import { CustomerNameAnswer, customerNameAnswer } from './customer-name.ts';
import { PaymentItem, paymentItem } from './payment-list.ts';
import { StatusReasonAnswer } from './payment-status.ts';

/** Shown in place of the status; absent if the status says it all. */
export const derivedStatusMember = { derivedStatus: z.enum(derivedStatuses).optional() };

export const derivedStatusAnswer = (payment: KnownPayment): { readonly derivedStatus?: DerivedStatus } => {
  const [derivedStatus] = derivedStatusesOf(payment);
  return derivedStatus === undefined ? {} : { derivedStatus };
};

export const ListedPayment = PaymentItem.extend({
  ...derivedStatusMember,
  customerName: CustomerNameAnswer.optional(),
  /** Why it was refused; only for a payment that is declined or failed. */
  reason: StatusReasonAnswer.optional(),
}).meta({ id: 'ListedPayment' });

export const ListedPaymentsAnswer = z
  .strictObject({ data: z.array(ListedPayment), nextCursor: z.string().optional() })
  .meta({ id: 'ListedPayments' });

export const listedPayment = (
  paymentId: string,
  revision: number,
  payment: KnownPayment,
): z.infer<typeof ListedPayment> => ({
  ...paymentItem(paymentId, revision, payment),
  ...derivedStatusAnswer(payment),
  ...customerNameAnswer(payment.customer),
  ...((payment.status === 'DECLINED' || payment.status === 'FAILED') && { reason: statusReason(payment.statusReason) }),
});
