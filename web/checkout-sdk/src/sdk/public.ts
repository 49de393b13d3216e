// The types that a merchant's page works with.
import type { Appearance } from '../shared/appearance-types.ts';

/**
 * Where the checkout stands. `challenge`: the shopper has to confirm the payment with the bank (3-D Secure), over your page or after a press
 * on a button. `incomplete`: the session lacks something that a payment needs. `declined`: an issuer or a processor refused the card. `pending`: the outcome is not known yet, and the frame keeps asking. Later versions may add words.
 */
export type CheckoutState =
  | 'loading'
  | 'ready'
  | 'incomplete'
  | 'paying'
  | 'challenge'
  | 'pending'
  | 'declined'
  | 'complete'
  | 'expired'
  | 'unavailable';

export interface CompletedPayment {
  readonly paymentId: string;
  /** AUTHORIZED, SETTLING, SETTLED or PARTIALLY_SETTLED. */
  readonly status: string;
  /** In minor units: 5000 is 50.00 EUR. */
  readonly amount: number;
  readonly currencyCode: string;
  /** Whether this page found it when it was loaded: after a reload, or the way back. The shopper has pressed nothing here. */
  readonly resumed: boolean;
}

/**
 * `session_expired`: the token is wrong or too old; give `update` a new one. `session_incomplete`: the session lacks
 * what a payment needs, such as an orderId; the message names it. `no_payment_method`: the service has no connection that takes cards.
 * `payment_refused`: the service refused a payment before it reached a processor; the message has the errorId.
 * `service_unavailable`: the service did not answer, and the shopper may try again. `frame_unreachable`: the card frame did not load, after
 * three attempts; the shopper sees a button that tries again.
 * `challenge_closed`: the shopper has closed the bank's window. Nothing has failed: the payment waits. A button opens the
 * window again, and another one takes another card.
 * `action_not_supported`: the payment waits for a step of the shopper that this version cannot show.
 */
export type CheckoutErrorCode =
  | 'session_expired'
  | 'session_incomplete'
  | 'no_payment_method'
  | 'payment_refused'
  | 'service_unavailable'
  | 'frame_unreachable'
  | 'challenge_closed'
  | 'action_not_supported';

export interface CheckoutError {
  readonly code: CheckoutErrorCode;
  /** For developers, in English. The frame itself tells the shopper what to do. */
  readonly message: string;
  readonly paymentId?: string;
}

export interface CheckoutOptions {
  /** From POST /client-session. */
  readonly clientToken: string;
  /** Where the checkout is drawn: an element, or a selector of one. */
  readonly element: HTMLElement | string;
  /** en, de, fr, es or it, with or without a region (`de-CH`). By default the page's own language. */
  readonly locale?: string;
  readonly appearance?: Appearance;
  /** Whether the frame lists the line items; true by default. The button always has the amount. */
  readonly orderSummary?: boolean;
  /** Once a payment and page; a page that is loaded again hears of it again. Ask your backend for the payment before you deliver: a page can be made to say anything. */
  readonly onComplete?: (payment: CompletedPayment) => void;
  readonly onError?: (error: CheckoutError) => void;
  readonly onStateChange?: (state: CheckoutState) => void;
}

export type CheckoutChanges = Partial<Pick<CheckoutOptions, 'clientToken' | 'locale' | 'appearance' | 'orderSummary'>>;

/** A checkout on the page. */
export interface Checkout {
  readonly state: CheckoutState;
  /** Changes what is named and keeps the rest, the card that is being typed included. A new `appearance` takes the place of all of the old one. */
  update(changes: CheckoutChanges): void;
  /** Reads the session again, after the backend has changed it. Resolves when the new amount is shown. */
  refresh(): Promise<void>;
  /** Removes it from the page. A payment under way goes on. */
  destroy(): void;
}

export interface CounterfoilSdk {
  /** Draws a checkout. Throws a TypeError for options that cannot work. */
  checkout(options: CheckoutOptions): Checkout;
}
