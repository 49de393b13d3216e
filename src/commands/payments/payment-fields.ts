// The members of POST /payments that a session may hold as well, and the payment's own options (contract §4).
import { z } from 'zod';
import { Metadata } from '../../domain/metadata.ts';
import { PositiveAmount } from '../fields/amount.ts';
import { CurrencyCode } from '../fields/currency.ts';
import { AuthorizationType, CaptureMode, Customer, Order, PaymentType, ReturnUrl } from '../fields/session-fields.ts';
import { identifier, shortText } from '../fields/text.ts';

export const PaymentFields = z
  .strictObject({
    orderId: identifier,
    currencyCode: CurrencyCode,
    amount: PositiveAmount,
    order: Order,
    customerId: identifier,
    customer: Customer,
    metadata: Metadata,
    paymentMethod: z
      .strictObject({
        vaultOnSuccess: z.boolean(),
        captureMode: CaptureMode,
        descriptor: shortText,
        paymentType: PaymentType,
        authorizationType: AuthorizationType,
      })
      .partial(),
    returnUrl: ReturnUrl,
  })
  .partial();
export type PaymentFields = z.infer<typeof PaymentFields>;
