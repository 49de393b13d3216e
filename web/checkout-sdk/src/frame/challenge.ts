// The bank's challenge: its page over the shop's page, the ways back from it, and the way to another card (contract §4).
import type { ChallengeReturn } from '../shared/protocol.ts';
import type { Checkout } from './checkout.ts';
import type { Following } from './following.ts';
import { isOutage } from './pay/answers.ts';
import { outcomeOf } from './pay/outcome.ts';
import { sendGivingUp, sendResume } from './pay/send-payment.ts';

export class Challenge {
  readonly #checkout: Checkout;
  readonly #following: Following;
  /** The payment whose shopper is, or may go, at the bank. */
  #challenged: string | undefined;
  /** The payment that the shopper has given up for another card. */
  #givenUp: string | undefined;

  constructor(checkout: Checkout, following: Following) {
    this.#checkout = checkout;
    this.#following = following;
  }

  /** Another session is paid now. */
  forget(): void {
    this.#challenged = undefined;
    this.#givenUp = undefined;
  }

  /** Whether the shopper has asked for another card in the place of this payment. */
  isGivenUp(paymentId: string): boolean {
    return this.#givenUp === paymentId;
  }

  /** Over the shop's page when the shopper has just pressed the button; else, and after the window was closed, there is one to open it. */
  async begin(paymentId: string, url: string, isBound = false): Promise<void> {
    const { stage, shop, hasPaid } = this.#checkout;
    const { challenge: title, challengeClose: close } = stage.language.words;
    const open = (): void => shop.challenge({ paymentId, url, title, close });
    this.#checkout.isBusy = true;
    this.#challenged = paymentId;
    stage.challenge(open, () => void this.#useAnotherCard(paymentId, url), isBound);
    if (hasPaid && !isBound) open();
    // The bank's own word may come first, or another tab.
    await this.#following.watch(paymentId, { url });
  }

  /** The shopper has closed the bank's window. */
  closed(paymentId: string): void {
    if (this.#challenged === paymentId)
      this.#checkout.shop.error('challenge_closed', 'The shopper has closed the window; the payment waits.', paymentId);
  }

  /** The shopper is back from the bank. Whatever keeps the payment from going on is an outage, and says nothing about the card. */
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
    stage.unavailable('The payment could not be gone on with.', () => void this.returned({ paymentId, resumeToken }), paymentId);
  }

  /**
   * The form comes back when the bank can approve the payment no more: until then a second card could be charged beside the first. What
   * the bank has approved already is paid.
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
