// The messages to the shop's page: the state of the checkout, errors for its developers, a bank's page to show, and the
// end.
import type { CheckoutErrorCode, CheckoutState } from '../sdk/public.ts';
import type { ActionPage, Challenge, FromFrame } from '../shared/protocol.ts';
import type { Payment } from './pay/answers.ts';

export class Shop {
  readonly #tell: (news: FromFrame) => void;

  constructor(tell: (news: FromFrame) => void) {
    this.#tell = tell;
  }

  /** The frame's name in the shopper's language. */
  title(text: string): void {
    this.#tell({ kind: 'title', text });
  }

  state(state: CheckoutState): void {
    this.#tell({ kind: 'state', state });
  }

  /** `message`: for developers, in English. */
  error(code: CheckoutErrorCode, message: string, paymentId?: string): void {
    this.#tell({ kind: 'error', error: { code, message, ...(paymentId === undefined ? {} : { paymentId }) } });
  }

  /** Asks the shop's page to show the bank's page until the next state. */
  challenge(challenge: Challenge): void {
    this.#tell({ kind: 'challenge', challenge });
  }

  /** Asks the shop's page to open a method's page in a window of its own until the next state. */
  page(page: ActionPage): void {
    this.#tell({ kind: 'page', page });
  }

  /** The shopper has nothing left to do here, and the money comes in days. */
  awaitingFunds({ id, amount, currencyCode }: Payment, resumed: boolean): void {
    this.#tell({ kind: 'awaitingFunds', payment: { paymentId: id, amount, currencyCode, resumed } });
  }

  /** `resumed`: the payment was found when the page was loaded. */
  complete({ id, status, amount, currencyCode }: Payment, resumed: boolean): void {
    this.#tell({ kind: 'complete', payment: { paymentId: id, status, amount, currencyCode, resumed } });
  }
}
