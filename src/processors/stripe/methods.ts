// The methods of payment by Stripe's own names (docs.stripe.com/api/payment_methods/object, `type`).
import type { PaymentMethodType } from '../../domain/payment-method.ts';

const NAMES = {
  PAYMENT_CARD: 'card',
  IDEAL: 'ideal',
  BANCONTACT: 'bancontact',
  KLARNA: 'klarna',
  SEPA_DEBIT: 'sepa_debit',
} as const satisfies { readonly [T in PaymentMethodType]?: string };
export type StripesMethod = keyof typeof NAMES;

const isKnown = (type: string): type is StripesMethod => Object.hasOwn(NAMES, type);
/** The methods that connections to Stripe take, besides the wallets, which are cards there too. */
export const STRIPES_METHODS = Object.keys(NAMES).filter(isKnown);

/** Without a type: a card's. Throws for a method that Stripe was never offered for. */
export function stripesName(type: PaymentMethodType = 'PAYMENT_CARD'): string {
  if (isKnown(type)) return NAMES[type];
  throw new TypeError(`${type} is not one of the methods at Stripe`);
}

export const typeByName = (name: string): StripesMethod | undefined =>
  STRIPES_METHODS.find((type) => NAMES[type] === name);

/** Stripe refuses to capture a method later that takes the money at once. A table of its own, which pages load too. */
export const captureMethodOf = (type: PaymentMethodType = 'PAYMENT_CARD'): 'manual' | 'automatic' =>
  type === 'IDEAL' || type === 'BANCONTACT' || type === 'SEPA_DEBIT' ? 'automatic' : 'manual';
