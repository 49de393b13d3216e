// The fields of a client session as events hold them: every value that was ever accepted, also those that a later rule
// of requests forbids.
import { z } from 'zod';
import { AgreementKind } from '../agreement-kind.ts';
import { AmountRule, Frequency, Retry } from '../agreement-terms.ts';
import { growing } from '../growing.ts';
import { OfferedMethod } from '../payment-method.ts';
import { personal } from '../personal.ts';

const text = z.string();
/** Amounts in minor units, quantities, weights. */
const number = z.number();
/** Any JSON object. */
const Free = z.record(z.string(), z.unknown());

const addressShape = {
  firstName: text,
  lastName: text,
  addressLine1: text,
  addressLine2: text,
  city: text,
  state: text,
  postalCode: text,
  countryCode: text,
};
export const RecordedAddress = growing(addressShape).partial();
export type RecordedAddress = z.infer<typeof RecordedAddress>;

export const RecordedCustomer = growing({
  emailAddress: text,
  mobileNumber: text,
  firstName: text,
  lastName: text,
  taxId: text,
  nationalDocumentId: text,
  billingAddress: RecordedAddress,
  shippingAddress: RecordedAddress,
}).partial();
export type RecordedCustomer = z.infer<typeof RecordedCustomer>;

const ProductData = growing({
  sku: text,
  brand: text,
  color: text,
  globalTradeItemNumber: text,
  manufacturerPartNumber: text,
  weight: number,
  weightUnit: text,
  pageUrl: text,
}).partial();

export const RecordedLineItem = growing({
  amount: number,
  quantity: number.optional(),
  discountAmount: number.optional(),
  taxAmount: number.optional(),
  itemId: text.optional(),
  name: text.optional(),
  description: text.optional(),
  taxCode: text.optional(),
  productType: text.optional(),
  productData: ProductData.optional(),
});

export const RecordedFee = growing({ amount: number, type: text.optional(), description: text.optional() });

export const RecordedShipping = growing({
  amount: number,
  methodId: text,
  methodName: text,
  methodDescription: text,
}).partial();
export type RecordedShipping = z.infer<typeof RecordedShipping>;

export const RecordedOrder = growing({
  lineItems: z.array(RecordedLineItem),
  countryCode: text,
  retailerCountryCode: text,
  fees: z.array(RecordedFee),
  shipping: RecordedShipping,
}).partial();
export type RecordedOrder = z.infer<typeof RecordedOrder>;

/** The enumerations grow and never shrink. */
const RecordedPaymentMethodV1 = z
  .strictObject({
    vaultOnSuccess: z.boolean(),
    captureMode: z.enum(['MANUAL', 'AUTOMATIC']),
    descriptor: text,
    paymentType: z.enum(['FIRST_PAYMENT', 'ECOMMERCE', 'SUBSCRIPTION', 'UNSCHEDULED']),
    orderedAllowedCardNetworks: z.array(z.enum(['VISA', 'MASTERCARD', 'AMEX', 'DISCOVER', 'OTHER'])),
    authorizationType: z.enum(['FINAL', 'ESTIMATED']),
    options: Free,
  })
  .partial();
export const RecordedPaymentMethod = RecordedPaymentMethodV1.extend({
  orderedAllowedMethods: z.array(OfferedMethod).optional(),
});
export type RecordedPaymentMethod = z.infer<typeof RecordedPaymentMethod>;

const sessionShape = {
  orderId: text,
  customerId: text,
  currencyCode: text,
  amount: number,
  returnUrl: text,
  metadata: Free,
  customer: personal(RecordedCustomer),
  order: RecordedOrder,
};
export const SessionFieldsV1 = growing({ ...sessionShape, paymentMethod: RecordedPaymentMethodV1 }).partial();
const shapeV2 = { ...sessionShape, paymentMethod: RecordedPaymentMethod };
export const SessionFieldsV2 = growing(shapeV2).partial();

/** What the customer is asked to agree to, as it was sent: times are RFC 3339 texts, and a start may be missing. */
export const RecordedProposal = z.strictObject({
  kind: AgreementKind,
  terms: z.strictObject({
    amountRule: AmountRule,
    amount: number.optional(),
    currencyCode: text,
    frequency: Frequency.optional(),
    interval: number.optional(),
    count: number.optional(),
    startsAt: text.optional(),
    endsAt: text.optional(),
    description: text,
  }),
  retry: Retry.optional(),
  metadata: Free.optional(),
});
export type RecordedProposal = Readonly<z.infer<typeof RecordedProposal>>;

/** `agreementId`: of the agreement that charges the session's payment method from its payment on. */
export const SessionFields = growing({ ...shapeV2, agreement: RecordedProposal, agreementId: text }).partial();
export type SessionFields = z.infer<typeof SessionFields>;
