// The page of a payment link: what is to be paid, to whom and until when, beside the checkout as the SDK draws it on
// any page; or, in its place, how the link has ended.
import { formatMoney } from '../../../../src/domain/currency.ts';
import { sessionIn } from '../frame/pay/answers.ts';
import { h } from '../frame/view/dom.ts';
import { type Message, showMessage } from '../frame/view/message.ts';
import { momentText } from '../frame/view/moment-text.ts';
import { orderSummary } from '../frame/view/order-summary.ts';
import { languageOf } from '../frame/words/language.ts';
import { checkout } from '../sdk/checkout.ts';
import type { Checkout, CheckoutState } from '../sdk/public.ts';
import { type Link, openLink } from './open-link.ts';
import './pay.css';
import { payWordsOf } from './words.ts';

/** A token that the frame refuses this often is not asked for again: the clocks of two machines may differ. */
const MOST_TOKENS = 5;
/** The bounds of the wait for the end of a link. A timer has room for 24 days, and clocks of two machines differ. */
const SHORTEST_WAIT_MS = 30_000;
const LONGEST_WAIT_MS = 3_600_000;
/** A payment is under way, or over: the end of the link no longer matters. */
const PAYING: ReadonlySet<CheckoutState> = new Set(['paying', 'challenge', 'pending', 'awaiting_funds', 'complete']);
/** The visitor may have nothing left to do here. */
const DONE: ReadonlySet<CheckoutState> = new Set(['awaiting_funds', 'complete']);

const language = languageOf(navigator.language);
const { locale, lang, words } = language;
const own = payWordsOf(lang);
document.documentElement.lang = lang;
document.title = words.title;

class PayPage {
  readonly #order = h('section', { class: 'order-side' });
  readonly #stage = h('section', { class: 'stage', 'aria-label': words.title });
  #checkout: Checkout | undefined;
  #tokens = 0;
  #payBy: HTMLElement | undefined;
  #look: ReturnType<typeof setTimeout> | undefined;

  constructor(main: HTMLElement) {
    main.replaceChildren(this.#order, this.#stage);
    this.#stage.append(h('p', { class: 'unseen', role: 'status' }, own.loading));
  }

  /** Reads the link, and shows it as it is now. */
  async open(): Promise<void> {
    const opened = await openLink();
    if (opened === 'unreachable') return this.#down();
    if (opened === 'unknown') return this.#end({ kind: 'unavailable', title: own.unknown, text: own.unknownText });
    this.#show(opened);
  }

  #show(link: Link): void {
    this.#showOrder(link);
    const { clientToken, status, expiresAt } = link;
    if (clientToken !== undefined) {
      this.#lookAtEnd(expiresAt);
      if (this.#tokens < MOST_TOKENS) this.#take(clientToken);
      else this.#down();
    } else if (status === 'PAID') this.#end({ kind: 'complete', title: own.paid, text: own.paidText });
    else if (status === 'CANCELLED') this.#end({ kind: 'expired', title: own.cancelled, text: own.cancelledText });
    else this.#end({ kind: 'expired', title: own.expired, text: own.expiredText });
  }

  /** Looks at the link again when it ends, and shows its end unless a payment is under way. */
  #lookAtEnd(expiresAt: number): void {
    clearTimeout(this.#look);
    const wait = Math.min(Math.max(expiresAt - Date.now(), SHORTEST_WAIT_MS), LONGEST_WAIT_MS);
    this.#look = setTimeout(() => void this.#lookAgain(expiresAt), wait);
  }

  async #lookAgain(expiresAt: number): Promise<void> {
    const link = this.#isPaying ? undefined : await openLink();
    if (typeof link === 'object' && link.clientToken === undefined && !this.#isPaying) this.#show(link);
    else this.#lookAtEnd(expiresAt);
  }

  get #isPaying(): boolean {
    return this.#checkout !== undefined && PAYING.has(this.#checkout.state);
  }

  #take(clientToken: string): void {
    this.#tokens += 1;
    if (this.#checkout !== undefined) {
      this.#checkout.update({ clientToken });
      return;
    }
    const place = h('div', {});
    this.#stage.replaceChildren(place);
    this.#checkout = checkout(
      {
        clientToken,
        element: place,
        locale,
        orderSummary: false,
        onComplete: () => this.#paid(),
        onAwaitingFunds: () => this.#sayDone(),
        onStateChange: (state) => {
          if (this.#payBy !== undefined) this.#payBy.hidden = PAYING.has(state);
          // A voucher that was saved can still be given up.
          if (!DONE.has(state)) this.#stage.querySelector('.close-page')?.remove();
          if (state === 'expired') void this.open();
        },
      },
      new URL('/checkout/', location.href),
    );
  }

  #paid(): void {
    clearTimeout(this.#look);
    this.#sayDone();
  }

  /** The visitor has nothing left to do here. */
  #sayDone(): void {
    this.#stage.querySelector('.close-page')?.remove();
    this.#stage.append(h('p', { class: 'close-page', role: 'status' }, own.closePage));
  }

  #showOrder({ shopName, orderId, expiresAt, status, body }: Link): void {
    const session = sessionIn(body);
    const { amount = 0, currencyCode = '' } = session;
    const title = shopName === undefined ? own.payment : own.pay(shopName);
    document.title = title;
    const until = momentText(expiresAt, locale);
    const lines = orderSummary(session, language);
    this.#payBy = status === 'OPEN' ? h('p', { class: 'pay-by' }, own.payBy(until)) : undefined;
    this.#order.replaceChildren(
      h('h1', {}, title),
      h('p', { class: 'due' }, formatMoney(amount, currencyCode, locale)),
      ...(orderId === undefined ? [] : [h('p', { class: 'order-number' }, own.orderNumber(orderId))]),
      ...(lines === undefined ? [] : [lines]),
      ...(this.#payBy === undefined ? [] : [this.#payBy]),
    );
  }

  #down(): void {
    const again = (): void => {
      this.#tokens = 0;
      void this.open();
    };
    this.#end({
      kind: 'unavailable',
      title: words.down,
      text: words.downText,
      action: { label: words.tryAgain, run: again },
    });
  }

  /** A message in place of the checkout. */
  #end(message: Message): void {
    clearTimeout(this.#look);
    this.#checkout?.destroy();
    this.#checkout = undefined;
    showMessage(this.#stage, message);
  }
}

const host = document.querySelector('main');
if (host !== null) void new PayPage(host).open();
