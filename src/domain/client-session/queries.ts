// Questions about a session's fields from other parts; and the refusal for callers who may not decide whether a payment
// is captured as soon as it is authorized (contract §2).

import { type Rejection, reject } from '../decider.ts';
import { orderAmount } from '../order-amount.ts';
import { cardIn, type MethodData, offeredAs } from '../payment-instrument/recorded-data.ts';
import type { OfferedMethod, PaymentMethodType } from '../payment-method.ts';
import type { RecordedPaymentMethod, SessionFields } from './recorded-fields.ts';

/** The top-level amount, otherwise the calculated amount, or undefined (contract §3); minor units. */
export const amountOf = ({ amount, order }: SessionFields): number | undefined => amount ?? orderAmount(order);

/**
 * Whether the session's `orderedAllowedCardNetworks`, where there is a list, holds the card's network (contract §3).
 */
export function allowsNetwork({ paymentMethod }: SessionFields, data: MethodData): boolean {
  const network = cardIn(data)?.network;
  if (network === undefined) return true;
  const allowed: readonly string[] | undefined = paymentMethod?.orderedAllowedCardNetworks;
  return allowed === undefined || allowed.includes(NAMED.has(network) ? network : 'OTHER');
}
/** Whether the session offers the method: `orderedAllowedMethods`, where there is a list, holds it (contract §3). */
export const allowsMethod = ({ paymentMethod }: SessionFields, method: OfferedMethod): boolean =>
  paymentMethod?.orderedAllowedMethods?.includes(method) ?? true;

interface Instrument {
  readonly paymentMethodType: PaymentMethodType;
  readonly paymentMethodData: MethodData;
}
/** True if the session's lists hold the instrument's method, or its wallet, and its network (contract §3). */
export const allowsInstrument = (fields: SessionFields, { paymentMethodType: type, paymentMethodData }: Instrument) =>
  allowsMethod(fields, offeredAs(type, paymentMethodData)) && allowsNetwork(fields, paymentMethodData);

/** The networks that a session can name; every other one is OTHER there. */
const NAMED: ReadonlySet<string> = new Set(['VISA', 'MASTERCARD', 'AMEX', 'DISCOVER']);

/** True if the payment is captured as soon as it is authorized. */
export const capturesByItself = (
  paymentMethod: { readonly captureMode?: RecordedPaymentMethod['captureMode'] | null } | null | undefined,
): boolean => paymentMethod?.captureMode === 'AUTOMATIC';

export const captureScopeMissing = (): Rejection =>
  reject('InsufficientScope', 'captureMode AUTOMATIC needs the scope transactions:capture.');

/** The payment method is saved whatever else is said: an agreement charges it later (contract §14). */
export const keepsForAgreement = ({ agreement, agreementId }: SessionFields): boolean =>
  agreement !== undefined || agreementId !== undefined;

/**
 * Charged by the merchant alone, under what the customer agreed to before (contract §4): no customer is there to ask.
 */
export const isMerchantInitiated = (paymentType: RecordedPaymentMethod['paymentType']): boolean =>
  paymentType === 'SUBSCRIPTION' || paymentType === 'UNSCHEDULED';
