// The page where the shopper acts: the bank's challenge over the shop's page, or a method's page in a window of its
// own; the return from it, and the switch to another card or method (contract §4).
import type { ChallengeReturn } from '../shared/protocol.ts';
import type { Checkout } from './checkout.ts';
import type { Following } from './following.ts';
import { isOutage, type Payment } from './pay/answers.ts';
import { outcomeOf } from './pay/outcome.ts';
import { sendGivingUp, sendResume } from './pay/send-payment.ts';
import type { ActionPage } from './required-action.ts';
import { nameOf } from './view/method-list.ts';

/** The payment that waits for its shopper, and where. */
interface Asked {
  readonly payment: Payment;
  readonly page: ActionPage;
}

export class Challenge {
  readonly #checkout: Checkout;
  readonly #following: Following;
  /** The payment that waits for its shopper at the bank. */
  #challenged: string | undefined;
  /** The payment that the shopper gave up for another card or method. */
  #givenUp: string | undefined;
  /** The payment whose page the shopper has come back from. */
  #left: string | undefined;

  constructor(checkout: Checkout, following: Following) {
    this.#checkout = checkout;
    this.#following = following;
  }

  /** Called when another session is paid. */
  forget(): void {
    this.#challenged = undefined;
    this.#givenUp = undefined;
    this.#left = undefined;
  }

  /** Called when the outcome is known: a shopper who comes back a moment later has nothing to resume. */
  over(): void {
    this.#challenged = undefined;
  }

  /** True if the shopper has asked to use another card or method instead of this payment. */
  isGivenUp(paymentId: string): boolean {
    return this.#givenUp === paymentId;
  }

  /**
   * Opens if the shopper has just pressed the button. Otherwise, and after the window was closed, a button opens it.
   * `isBound`: the payment cannot be withdrawn.
   */
  async begin(payment: Payment, page: ActionPage, isBound = false): Promise<void> {
    const { shop, stage, hasPaid } = this.#checkout;
    const { challenge: title, challengeClose: close } = stage.language.words;
    const { url, isFramed } = page;
    const { id: paymentId } = payment;
    const open = (): void =>
      isFramed ? shop.challenge({ paymentId, url, title, close }) : shop.page({ paymentId, url });
    const giveUp = (): void => void this.#payOtherwise({ payment, page });
    this.#checkout.isBusy = true;
    this.#challenged = paymentId;
    // A shopper who comes back without paying decides whether to go there again.
    const isBack = !isFramed && this.#left === paymentId;
    if (isFramed) stage.challenge(open, giveUp, isBound);
    else {
      const { method = 'PAYMENT_CARD' } = payment;
      stage.page(nameOf(method, stage.language.words), open, isBound ? undefined : giveUp, isBack);
    }
    if (hasPaid && !isBound && !isBack) open();
    // The bank's response, or another tab, may come first.
    await this.#following.watch(paymentId, { url });
  }

  /** The shopper has closed the window. */
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
    this.#left = paymentId;
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

  /** Ends a voucher, for another method. */
  giveUp(paymentId: string): Promise<void> {
    return this.#end(paymentId, undefined);
  }

  async #payOtherwise(asked: Asked): Promise<void> {
    if (this.#challenged !== asked.payment.id) return;
    this.#challenged = undefined;
    await this.#end(asked.payment.id, asked);
  }

  /**
   * The form returns once the payment can no longer be approved; until then the shopper could be charged twice. If it
   * has already been approved, the payment is complete. `asked`: the page that the payment waits for; undefined for a
   * voucher.
   */
  async #end(paymentId: string, asked: Asked | undefined): Promise<void> {
    const { service, stage, runs } = this.#checkout;
    this.#givenUp = paymentId;
    runs.next();
    const counts = runs.begin();
    stage.leavingBank();
    const answer = await sendGivingUp(service, paymentId);
    if (!counts()) return;
    if (answer.kind === 'answered' && outcomeOf(answer.body) !== 'pending') return this.#checkout.settle(answer.body);
    if (answer.kind === 'refused' && answer.status === 401) return this.#checkout.refuseSession(answer);
    if (answer.kind === 'refused' && answer.errorId === 'OperationNotSupported' && asked !== undefined) {
      this.#givenUp = undefined;
      return this.begin(asked.payment, asked.page, true);
    }
    if (answer.kind === 'answered' || (answer.kind === 'refused' && !isOutage(answer))) {
      stage.leavingBank(true);
      return this.#following.watch(paymentId, {});
    }
    this.#challenged = asked?.payment.id;
    const again = (): void => void (asked === undefined ? this.giveUp(paymentId) : this.#payOtherwise(asked));
    stage.unavailable('The payment could not be given up.', again, paymentId);
  }
}
