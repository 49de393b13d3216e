// The shape of an expectation of every Stripe, and the payments that they begin with.
import type Stripe from 'stripe';
import type { Lie } from '../lies.ts';
import type { StripeTwin } from '../stripe-twin.ts';

export interface Expectation {
  readonly promise: string;
  /** The lies that it finds. */
  readonly finds: readonly Lie[];
  check(twin: StripeTwin, stripe: Stripe): Promise<void>;
}

type Creation = Stripe.PaymentIntentCreateParams;
export const HOUR_MS = 3_600_000;
export const MANUAL: Pick<Creation, 'capture_method' | 'allowed_payment_method_types'> = {
  capture_method: 'manual',
  allowed_payment_method_types: ['card'],
};
export const VISA = { payment_method: 'pm_card_visa' };
export const DECLINED = { payment_method: 'pm_card_visa_chargeDeclined' };

/** The id of a new PaymentIntent, of 20.00 USD unless `more` says otherwise. */
export async function created(stripe: Stripe, more: Partial<Creation> = {}): Promise<string> {
  const { id } = await stripe.paymentIntents.create({ amount: 2_000, currency: 'usd', ...MANUAL, ...more });
  return id;
}

/** The id of one whose money is held. */
export async function held(stripe: Stripe, more?: Partial<Creation>): Promise<string> {
  const id = await created(stripe, more);
  await stripe.paymentIntents.confirm(id, VISA);
  return id;
}

/** The id of one whose money was captured. */
export async function captured(stripe: Stripe, amount?: number): Promise<string> {
  const id = await held(stripe);
  await stripe.paymentIntents.capture(id, amount === undefined ? {} : { amount_to_capture: amount });
  return id;
}

export const statusOf = async (stripe: Stripe, id: string): Promise<string> =>
  (await stripe.paymentIntents.retrieve(id)).status;
