// The messages that fill the frame in place of the form, and the state that the shop's page receives with each.
import { formatMoney } from '../../../../src/domain/currency.ts';
import type { Payment, Voucher } from './pay/answers.ts';
import type { Shop } from './shop.ts';
import { type Action, type Message, showLoading, showMessage } from './view/message.ts';
import { voucherNumbers } from './view/voucher-numbers.ts';
import { type Language, languageOf } from './words/language.ts';
import type { Words } from './words/words.ts';

export class Stage {
  readonly #root: HTMLElement;
  readonly #shop: Shop;
  #language: Language = languageOf('en');

  constructor(root: HTMLElement, shop: Shop) {
    this.#root = root;
    this.#shop = shop;
  }

  get language(): Language {
    return this.#language;
  }

  /** `locale`: BCP 47. */
  speak(locale: string): void {
    this.#language = languageOf(locale);
    const { lang, words } = this.#language;
    document.documentElement.lang = lang;
    document.title = words.title;
    this.#shop.title(words.title);
  }

  /** The content of the frame: the form or a message. */
  show(element: Element): void {
    this.#root.replaceChildren(element);
  }

  loading(): void {
    this.#shop.state('loading');
    showLoading(this.#root, this.#words.loading);
  }

  /** Shown while the frame checks whether a payment was created. */
  checking(): void {
    this.#say({ kind: 'pending', title: this.#words.checking, text: '' });
  }

  /** The shopper is back from the bank. */
  returned(): void {
    this.#shop.state('paying');
    this.#say({ kind: 'pending', title: this.#words.pending, text: '' });
  }

  /** The outcome is not known yet; `isLong`: for a while. */
  pending(isLong = false): void {
    const { pending, pendingText, pendingLong } = this.#words;
    this.#shop.state('pending');
    this.#say({ kind: 'pending', title: pending, text: isLong ? pendingLong : pendingText });
  }

  /** The payment was sent, and the service cannot be reached. */
  offline(): void {
    this.#shop.state('pending');
    this.#say({ kind: 'offline', title: this.#words.offline, text: this.#words.offlineText });
  }

  /** The bank asks the shopper. `isBound`: the bank cannot withdraw the request. */
  challenge(go: () => void, useAnotherCard: () => void, isBound = false): void {
    const { challenge, challengeText, challengeGo, challengeOther, challengeBound } = this.#words;
    this.#shop.state('challenge');
    const other = { label: challengeOther, run: useAnotherCard };
    this.#say({
      kind: 'challenge',
      title: challenge,
      text: isBound ? challengeBound : challengeText,
      action: { label: challengeGo, run: go },
      ...(!isBound && { other }),
    });
  }

  /**
   * The shopper pays on the page of a method. `isUnpaid`: the shopper came back without paying. `payInAnotherWay` is
   * undefined if the method cannot withdraw the payment.
   */
  page(method: string, go: () => void, payInAnotherWay: (() => void) | undefined, isUnpaid = false): void {
    const { page, pageText, pageUnpaid, pageGo, otherWay, challengeBound } = this.#words;
    this.#shop.state('challenge');
    const text = isUnpaid ? pageUnpaid : pageText;
    this.#say({
      kind: 'challenge',
      title: page(method),
      text: payInAnotherWay === undefined ? challengeBound : text,
      action: { label: pageGo(method), run: go },
      ...(payInAnotherWay !== undefined && { other: { label: otherWay, run: payInAnotherWay } }),
    });
  }

  /** A debit is on its way. */
  awaiting({ amount, currencyCode }: Payment): void {
    const { words, locale } = this.#language;
    this.#shop.state('awaiting_funds');
    const text = words.awaitingText(formatMoney(amount, currencyCode, locale));
    this.#say({ kind: 'awaiting', title: words.awaiting, text });
  }

  /** The numbers of a voucher. `payInAnotherWay` ends it. */
  voucher(payment: Payment, voucher: Voucher, saved: () => void, payInAnotherWay: () => void): void {
    const { words, locale } = this.#language;
    this.#shop.state('awaiting_funds');
    const over = (): void => this.#say({ kind: 'expired', title: words.voucherOver, text: words.voucherOverText });
    if (Date.now() >= voucher.expiresAt) {
      over();
      return;
    }
    this.#say({
      kind: 'voucher',
      title: words.voucher(formatMoney(payment.amount, payment.currencyCode, locale)),
      text: words.voucherText,
      content: voucherNumbers(payment, voucher, this.#language, over),
      action: { label: words.voucherDone, run: saved },
      other: { label: words.otherWay, run: payInAnotherWay },
    });
  }

  /** The shopper has the numbers of a voucher. A button shows them again. */
  awaitingShopper(showNumbers: () => void): void {
    const { awaitingYou: title, awaitingYouText: text, showNumbers: label } = this.#words;
    this.#say({ kind: 'awaiting', title, text, other: { label, run: showNumbers } });
  }

  /** The request to the bank is being cancelled. `isLong`: the bank has not responded for a while. */
  leavingBank(isLong = false): void {
    this.#shop.state('pending');
    this.#say({ kind: 'pending', title: this.#words.leaving, text: isLong ? this.#words.leavingText : '' });
  }

  complete(payment: Payment, resumed: boolean): void {
    const { words, locale } = this.#language;
    const { amount, currencyCode } = payment;
    this.#say({
      kind: 'complete',
      title: words.complete,
      text: words.completeText(formatMoney(amount, currencyCode, locale)),
    });
    this.#shop.state('complete');
    this.#shop.complete(payment, resumed);
  }

  expired(): void {
    this.#say({ kind: 'expired', title: this.#words.over, text: this.#words.overText });
    this.#shop.state('expired');
    this.#shop.error('session_expired', 'The client token is no longer valid, or belongs to another account.');
  }

  /** The service does not respond. A button tries again. */
  unavailable(message: string, run: () => void, paymentId?: string): void {
    const { down, downText, tryAgain } = this.#words;
    const action: Action = { label: tryAgain, run };
    this.#say({ kind: 'unavailable', title: down, text: downText, action });
    this.#shop.state('unavailable');
    this.#shop.error('service_unavailable', message, paymentId);
  }

  /** No payment method is available. A button checks again. */
  withoutMethod(run: () => void): void {
    const { withoutMethod, withoutMethodText, tryAgain } = this.#words;
    this.#say({ kind: 'unavailable', title: withoutMethod, text: withoutMethodText, action: { label: tryAgain, run } });
    this.#shop.state('unavailable');
    this.#shop.error(
      'no_payment_method',
      'No payment method is available for this session: no processor account accepts its methods.',
    );
  }

  get #words(): Words {
    return this.#language.words;
  }

  #say(message: Message): void {
    showMessage(this.#root, message);
  }
}
