// The bank's challenge: its page over the shop's page, the return from it, and the switch to another card (contract
// §4).
import type { ChallengeReturn } from '../shared/protocol.ts';
import type { Checkout } from './checkout.ts';
import type { Following } from './following.ts';
import { isOutage } from './pay/answers.ts';
import { outcomeOf } from './pay/outcome.ts';
import { sendGivingUp, sendResume } from './pay/send-payment.ts';

export class Challenge {
  readonly #checkout: Checkout;
  readonly #following: Following;
  /** The payment that waits for its shopper at the bank. */
  #challenged: string | undefined;
  /** The payment that the shopper gave up for another card. */
  #givenUp: string | undefined;

  constructor(checkout: Checkout, following: Following) {
    this.#checkout = checkout;
    this.#following = following;
  }

  /** Called when another session is paid. */
  forget(): void {
    this.#challenged = undefined;
    this.#givenUp = undefined;
  }

  /** True if the shopper has asked to use another card instead of this payment. */
  isGivenUp(paymentId: string): boolean {
    return this.#givenUp === paymentId;
  }

  /**
   * Opens over the shop's page if the shopper has just pressed the button. Otherwise, and after the window was closed,
   * a button opens it.
   */
  async begin(paymentId: string, url: string, isBound = false): Promise<void> {
    const { stage, shop, hasPaid } = this.#checkout;
    const { challenge: title, challengeClose: close } = stage.language.words;
    const open = (): void => shop.challenge({ paymentId, url, title, close });
    this.#checkout.isBusy = true;
    this.#challenged = paymentId;
    stage.challenge(open, () => void this.#useAnotherCard(paymentId, url), isBound);
    if (hasPaid && !isBound) open();
    // The bank's response, or another tab, may come first.
    await this.#following.watch(paymentId, { url });
  }

  /** The shopper has closed the bank's window. */
  closed(paymentId: string): void {
    if (this.#challenged === paymentId)
      this.#checkout.shop.error(
        'challenge_closed',
        'The shopper closed the window. The payment is still waiting.',
        paymentId,
      );
  }

  /** Called when the shopper is back from the bank. An error here is an outage and says nothing about the card. */
  async returned({ paymentId, resumeToken }: ChallengeReturn): Promise<void> {
    if (this.#challenged !== paymentId) return;
    const { service, stage, runs } = this.#checkout;
    this.#challenged = undefined;
    runs.next();
    const counts = runs.begin();
    stage.returned();
    const answer = await sendResume(service, paymentId, resumeToken);
    if (!counts()) return;
    if (answer.kind === 'answered') return this.#checkout.settle(answer.body);
    if (answer.kind === 'refused' && answer.status === 401) return this.#checkout.refuseSession(answer);
    if (answer.kind === 'refused' && !isOutage(answer)) return this.#following.untilOver(paymentId);
    this.#challenged = paymentId;
    stage.unavailable(
      'The payment could not be resumed.',
      () => void this.returned({ paymentId, resumeToken }),
      paymentId,
    );
  }

  /**
   * The form returns once the bank can no longer approve the payment; until then a second card could be charged as well
   * as the first. If the bank has already approved it, the payment is complete.
   */
  async #useAnotherCard(paymentId: string, url: string): Promise<void> {
    if (this.#challenged !== paymentId) return;
    const { service, stage, runs } = this.#checkout;
    this.#challenged = undefined;
    this.#givenUp = paymentId;
    runs.next();
    const counts = runs.begin();
    stage.leavingBank();
    const answer = await sendGivingUp(service, paymentId);
    if (!counts()) return;
    if (answer.kind === 'answered' && outcomeOf(answer.body) !== 'pending') return this.#checkout.settle(answer.body);
    if (answer.kind === 'refused' && answer.status === 401) return this.#checkout.refuseSession(answer);
    if (answer.kind === 'refused' && answer.errorId === 'OperationNotSupported') {
      this.#givenUp = undefined;
      return this.begin(paymentId, url, true);
    }
    if (answer.kind === 'answered' || (answer.kind === 'refused' && !isOutage(answer))) {
      stage.leavingBank(true);
      return this.#following.watch(paymentId, {});
    }
    this.#challenged = paymentId;
    stage.unavailable('The payment could not be given up.', () => void this.#useAnotherCard(paymentId, url), paymentId);
  }
}
