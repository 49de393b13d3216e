// The messages between a merchant's page and the card frame. Two go between the windows and make a channel of their
// own; everything else goes through that channel. No message ever holds a card's number, expiry or code.
import type { AwaitedPayment, CheckoutError, CheckoutState, CompletedPayment } from '../sdk/public.ts';
import type { Appearance } from './appearance-types.ts';

/** The name in both windows' messages, because other libraries use the same windows. */
export const HELLO = 'counterfoil-frame-1';
export const CONNECT = 'counterfoil-sdk-1';

/** From the frame to its parent of any origin. It contains no data. */
export interface Hello {
  readonly counterfoil: typeof HELLO;
}

/** From the merchant's page to the frame, with a port: to the frame's own origin only. */
export interface Connect {
  readonly counterfoil: typeof CONNECT;
  readonly configuration: Configuration;
}

export interface Configuration {
  readonly clientToken: string;
  /** BCP 47. */
  readonly locale: string;
  readonly appearance: Appearance;
  readonly orderSummary: boolean;
}

/** A page of the shopper's bank, and what the window around it says in the shopper's language. */
export interface Challenge {
  readonly paymentId: string;
  readonly url: string;
  readonly title: string;
  readonly close: string;
}

/** The page of a payment method, which opens in a window of its own. */
export interface ActionPage {
  readonly paymentId: string;
  readonly url: string;
}

/**
 * The values that a shopper brings back from a challenge or a method's page. The token is useless without the client
 * token.
 */
export interface ChallengeReturn {
  readonly paymentId: string;
  readonly resumeToken: string;
}

export type ToFrame =
  | { readonly kind: 'configure'; readonly configuration: Configuration }
  | { readonly kind: 'refresh'; readonly id: number }
  | { readonly kind: 'challengeReturned'; readonly returned: ChallengeReturn }
  /** The shopper has closed the window. The payment waits. */
  | { readonly kind: 'challengeClosed'; readonly paymentId: string };

export type FromFrame =
  | { readonly kind: 'height'; readonly px: number }
  /** The frame's name in the shopper's language. */
  | { readonly kind: 'title'; readonly text: string }
  | { readonly kind: 'state'; readonly state: CheckoutState }
  | { readonly kind: 'refreshed'; readonly id: number }
  /** Shown over the page until the shopper closes it or another state follows. */
  | { readonly kind: 'challenge'; readonly challenge: Challenge }
  /** Opened until the shopper closes it or another state follows. */
  | { readonly kind: 'page'; readonly page: ActionPage }
  | { readonly kind: 'awaitingFunds'; readonly payment: AwaitedPayment }
  | { readonly kind: 'complete'; readonly payment: CompletedPayment }
  | { readonly kind: 'error'; readonly error: CheckoutError };

const names = (data: unknown, name: string): boolean =>
  typeof data === 'object' && data !== null && 'counterfoil' in data && data.counterfoil === name;

export const isHello = (data: unknown): data is Hello => names(data, HELLO);

/** Each option is validated where it is used, because the merchant's page is not trusted. */
export const isConnect = (data: unknown): data is Connect => names(data, CONNECT);
