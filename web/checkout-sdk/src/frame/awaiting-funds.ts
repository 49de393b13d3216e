// A payment whose money comes in days: a debit that the bank carries out, or a voucher that the shopper pays elsewhere
// (contract §4). It is neither a success nor a failure.
import type { Checkout } from './checkout.ts';
import type { Following } from './following.ts';
import type { Payment, Voucher } from './pay/answers.ts';
import { forgetAttempt } from './pay/attempt-mark.ts';

export class AwaitingFunds {
  readonly #checkout: Checkout;
  readonly #following: Following;
  readonly #giveUp: (paymentId: string) => void;

  /** `giveUp` ends a voucher, so that the shopper can pay in another way. */
  constructor(checkout: Checkout, following: Following, giveUp: (paymentId: string) => void) {
    this.#checkout = checkout;
    this.#following = following;
    this.#giveUp = giveUp;
  }

  /** Shows what is waited for until the outcome is known. The shop is told once the shopper has nothing to do here. */
  async begin(payment: Payment): Promise<void> {
    const { sessionId, stage, shop, hasPaid } = this.#checkout;
    const { voucher } = payment.requiredAction ?? {};
    forgetAttempt(sessionId);
    this.#checkout.isBusy = true;
    if (voucher === undefined) {
      stage.awaiting(payment);
      shop.awaitingFunds(payment, !hasPaid);
    } else this.#showNumbers(payment, voucher);
    await this.#following.watch(payment.id, { isSlow: true });
  }

  #showNumbers(payment: Payment, voucher: Voucher): void {
    const { stage, shop, hasPaid } = this.#checkout;
    const saved = (): void => {
      stage.awaitingShopper(() => this.#showNumbers(payment, voucher));
      shop.awaitingFunds(payment, !hasPaid);
    };
    stage.voucher(payment, voucher, saved, () => this.#giveUp(payment.id));
  }
}
