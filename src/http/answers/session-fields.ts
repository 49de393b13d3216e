// The fields of a session in responses: as recorded, even if a request may no longer send them.
import { z } from 'zod';
import {
  RecordedAddress,
  RecordedCustomer,
  RecordedFee,
  RecordedLineItem,
  RecordedOrder,
  RecordedPaymentMethod,
  RecordedShipping,
  SessionFields,
} from '../../domain/client-session/recorded-fields.ts';

const Address = RecordedAddress.meta({ id: 'AnsweredAddress' });
export const Customer = RecordedCustomer.extend({
  billingAddress: Address.optional(),
  shippingAddress: Address.optional(),
}).meta({
  id: 'AnsweredCustomer',
});
const amount = z.int().min(0);
export const LineItem = RecordedLineItem.extend({
  amount,
  quantity: z.int().optional(),
  discountAmount: amount.optional(),
  taxAmount: amount.optional(),
}).meta({ id: 'AnsweredLineItem' });
export const Fee = RecordedFee.extend({ amount }).meta({ id: 'AnsweredFee' });
export const Shipping = RecordedShipping.extend({ amount: amount.optional() }).meta({ id: 'AnsweredShipping' });
export const Order = RecordedOrder.extend({
  lineItems: z.array(LineItem).optional(),
  fees: z.array(Fee).optional(),
  shipping: Shipping.optional(),
}).meta({ id: 'AnsweredOrder' });
const PaymentMethod = RecordedPaymentMethod.meta({ id: 'AnsweredPaymentMethodOptions' });

export const AnsweredFields = SessionFields.extend({
  amount: amount.optional(),
  customer: Customer.optional(),
  order: Order.optional(),
  paymentMethod: PaymentMethod.optional(),
});
