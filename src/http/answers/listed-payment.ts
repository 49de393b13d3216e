// A payment in the dashboard's lists: the item of the API, its derived status, and why it was refused.
import { z } from 'zod';
import { type DerivedStatus, derivedStatuses, derivedStatusesOf } from '../../domain/payment/derived-status.ts';
import type { KnownPayment } from '../../domain/payment/payment.ts';
import { statusReason } from '../../domain/payment/status-reason.ts';
import type { CustomerName } from '../../projections/models/customers.ts';
import { answer } from './answer.ts';
import { PaymentItem, paymentItem } from './payment.ts';
import { StatusReasonAnswer } from './payment-status.ts';
import { pageOf } from './shapes.ts';

/** In two parts, because a page keeps the direction of the one from the other. */
export const CustomerNameAnswer = z
  .strictObject({ firstName: z.string().optional(), lastName: z.string().optional() })
  .meta({ id: 'CustomerName' });

/** The member `customerName`; nothing if no part of the name is known. */
export function customerNameAnswer(customer: CustomerName | undefined): { readonly customerName?: CustomerName } {
  const { firstName, lastName } = customer ?? {};
  if (firstName === undefined && lastName === undefined) return {};
  return { customerName: answer(CustomerNameAnswer, { firstName, lastName }) };
}

/** Shown in place of the status; absent if the status says it all. */
export const derivedStatusMember = { derivedStatus: z.enum(derivedStatuses).optional() };

export const derivedStatusAnswer = (payment: KnownPayment): { readonly derivedStatus: DerivedStatus | undefined } => ({
  derivedStatus: derivedStatusesOf(payment)[0],
});

export const ListedPayment = PaymentItem.extend({
  ...derivedStatusMember,
  customerName: CustomerNameAnswer.optional(),
  /** Why it was refused; only for a payment that is declined or failed. */
  reason: StatusReasonAnswer.optional(),
}).meta({ id: 'ListedPayment' });

export const ListedPaymentsAnswer = pageOf('ListedPayments', ListedPayment);

export const listedPayment = (
  paymentId: string,
  revision: number,
  payment: KnownPayment,
): z.infer<typeof ListedPayment> => ({
  ...paymentItem(paymentId, revision, payment),
  ...derivedStatusAnswer(payment),
  ...customerNameAnswer(payment.customer),
  reason: payment.status === 'DECLINED' || payment.status === 'FAILED' ? statusReason(payment.statusReason) : undefined,
});
