// The types that a merchant's page works with.
import type { Appearance } from '../shared/appearance-types.ts';

/**
 * The state of the checkout. `challenge`: the shopper has to act elsewhere: confirm with the bank (3-D Secure) over
 * your page, or pay on the page of a payment method, which opens in a window of its own. `awaiting_funds`: the
 * shopper has ordered the payment or has the numbers to pay with, and the money comes in days. `incomplete`: the
 * session lacks a field that a payment needs. `declined`: an issuer or a processor refused the card. `pending`: the
 * outcome is not known yet, and the frame keeps checking. Later versions may add states.
 */
export type CheckoutState =
  | 'loading'
  | 'ready'
  | 'incomplete'
  | 'paying'
  | 'challenge'
  | 'pending'
  | 'awaiting_funds'
  | 'declined'
  | 'complete'
  | 'expired'
  | 'unavailable';

/** A payment whose money comes in days: a direct debit, or a voucher. It is neither a success nor a failure. */
export interface AwaitedPayment {
  readonly paymentId: string;
  /** In minor units: 5000 is 50.00 EUR. */
  readonly amount: number;
  readonly currencyCode: string;
  /** True if this page found the payment when it loaded. */
  readonly resumed: boolean;
}

export interface CompletedPayment {
  readonly paymentId: string;
  /** AUTHORIZED, SETTLING, SETTLED or PARTIALLY_SETTLED. */
  readonly status: string;
  /** In minor units: 5000 is 50.00 EUR. */
  readonly amount: number;
  readonly currencyCode: string;
  /**
   * True if this page found the payment when it loaded, after a reload or a return. The shopper has not pressed the
   * button here.
   */
  readonly resumed: boolean;
}

/**
 * `session_expired`: the token is invalid or too old; pass a new one to `update`. `session_incomplete`: the session
 * lacks a field that a payment needs, such as an orderId; the message names it. `no_payment_method`: no processor
 * account takes a method of the session. `payment_refused`: the service refused a payment before it reached a
 * processor; the message has the errorId. `service_unavailable`: the service did not respond; the shopper can try
 * again. `frame_unreachable`: the card frame did not load after three attempts; the shopper sees a button that tries
 * again. `challenge_closed`: the shopper closed the window of the bank or of the payment method. Nothing has failed;
 * the payment waits. One button opens the window again, another ends the payment for another card or method.
 * `action_not_supported`: the payment requires a step that this version does not support.
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
  /** For developers, in English. The frame itself shows the shopper what to do. */
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
  /**
   * Called once for each payment and page load; a reloaded page is called again. Check the payment in your backend
   * before you deliver, because a page can be manipulated.
   */
  readonly onComplete?: (payment: CompletedPayment) => void;
  /**
   * Called once for each payment and page load when the shopper has nothing left to do here and the money comes in
   * days. Show the order as not paid yet; a webhook reports the outcome.
   */
  readonly onAwaitingFunds?: (payment: AwaitedPayment) => void;
  readonly onError?: (error: CheckoutError) => void;
  readonly onStateChange?: (state: CheckoutState) => void;
}

export type CheckoutChanges = Partial<Pick<CheckoutOptions, 'clientToken' | 'locale' | 'appearance' | 'orderSummary'>>;

/** A checkout on the page. */
export interface Checkout {
  readonly state: CheckoutState;
  /**
   * Changes the given options and keeps the rest, including the card that is being typed. A new `appearance` replaces
   * the old one.
   */
  update(changes: CheckoutChanges): void;
  /** Reads the session again, after the backend has changed it. Resolves when the new amount is shown. */
  refresh(): Promise<void>;
  /** Removes the checkout from the page. A payment in progress continues. */
  destroy(): void;
}

export interface CounterfoilSdk {
  /** Draws a checkout. Throws a TypeError for options that cannot work. */
  checkout(options: CheckoutOptions): Checkout;
}
