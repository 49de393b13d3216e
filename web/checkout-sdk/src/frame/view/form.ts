// The form: order, saved cards, card fields, the box that saves a card, and the button with the amount.
import type { CardField } from '../card/validate-card.ts';
import { ProcessorFields } from '../fields/processor-fields.ts';
import { type MethodName, methodOf, shownMethods } from '../methods.ts';
import { formatMoney } from '../money.ts';
import type { SavedCard, Session } from '../pay/answers.ts';
import { lastMethod } from '../pay/last-method.ts';
import type { GivenMethod } from '../pay/service.ts';
import type { Language } from '../words/language.ts';
import type { CardFault, Notice } from '../words/words.ts';
import { cardFields, type Entered, type Entry } from './card-fields.ts';
import { h, set } from './dom.ts';
import { alertIcon, lockIcon, spinner } from './icons.ts';
import { MethodList, nameOf } from './method-list.ts';
import { orderSummary } from './order-summary.ts';
import { type CardChoice, savedCards } from './saved-cards.ts';

/** The card or the method that the shopper pays with. */
export type Chosen =
  | { readonly kind: 'method'; readonly method: GivenMethod }
  | { readonly kind: 'saved'; readonly card: SavedCard }
  | {
      readonly kind: 'new';
      readonly entered: Entered;
      /** Undefined: the session has no customer, or the card cannot be saved. */
      readonly save: boolean | undefined;
    };

interface Shown {
  readonly session: Session;
  readonly language: Language;
  readonly withOrder: boolean;
  readonly isTest: boolean;
}

/** Notices about a choice of the shopper, which is not an error. */
const CALM: ReadonlySet<Notice> = new Set(['givenUp', 'otherWay', 'incomplete']);

export class PaymentForm {
  readonly element: HTMLFormElement;
  readonly #fields: Entry;
  readonly #top = h('div', { class: 'stack' });
  readonly #saved = h('div');
  readonly #methods: MethodList;
  readonly #save = h('input', { type: 'checkbox' });
  readonly #saveText = h('span');
  readonly #saveRow = h('label', { class: 'save' }, this.#save, this.#saveText);
  readonly #notice = h('div', { class: 'notice', role: 'alert', tabindex: '-1' });
  readonly #button = h('button', { type: 'submit', class: 'pay' });
  readonly #status = h('p', { class: 'paying-status', role: 'status' });
  readonly #secure = h('p', { class: 'secure' });
  #choice: CardChoice | undefined;
  #shown: Shown;
  #busy = false;

  constructor(shown: Shown, onPay: () => void) {
    this.#shown = shown;
    const { session, language } = shown;
    this.#fields = session.fields === undefined ? cardFields(language.words) : new ProcessorFields(session.fields);
    this.#save.checked = session.savesCard === true;
    const card = h('div', { class: 'stack' }, this.#saved, this.#fields.element, this.#saveRow);
    this.#methods = new MethodList(card, () => {
      this.notice(undefined);
      this.#drawButton();
    });
    this.element = h(
      'form',
      { novalidate: true, class: 'stack' },
      this.#top,
      this.#methods.element,
      this.#notice,
      this.#button,
      this.#status,
      this.#secure,
    );
    this.element.addEventListener('submit', (event) => {
      event.preventDefault();
      onPay();
    });
    this.show(shown);
  }

  /** Resolves when a card can be entered; rejects where the fields do not load. */
  get ready(): Promise<void> {
    return this.#fields.ready;
  }

  /** Shows another session, or the same in another language; the fields keep what is in them. */
  show(shown: Shown): void {
    const chosen = this.#choice?.chosen()?.token ?? (this.#choice === undefined ? undefined : '');
    this.#shown = shown;
    const { session, language, withOrder, isTest } = shown;
    const { words } = language;
    this.#choice =
      session.savedCards.length === 0
        ? undefined
        : savedCards(session.savedCards, words, chosen, () => this.#showFields(true));
    const summary = withOrder ? orderSummary(session, language) : undefined;
    this.#top.replaceChildren(
      ...(isTest ? [h('p', { class: 'test-mode' }, words.testMode)] : []),
      ...(summary === undefined ? [] : [summary]),
    );
    this.#top.hidden = this.#top.childElementCount === 0;
    this.#saved.replaceChildren(...(this.#choice === undefined ? [] : [this.#choice.element]));
    this.#saved.hidden = this.#choice === undefined;
    const last = lastMethod();
    const methods = shownMethods(session.methods, { isTest, last });
    this.#methods.show(methods, last ?? session.methods[0], language);
    this.#fields.show(session, language);
    this.#saveText.textContent = words.save;
    this.#secure.replaceChildren(lockIcon(), words.secure);
    this.#showFields(false);
    this.#drawButton();
  }

  /** The method that is chosen in the list. */
  get method(): MethodName {
    return this.#methods.chosen;
  }

  /** The chosen card or method, or undefined if the form shows an error. */
  read(): Chosen | undefined {
    this.notice(undefined);
    const { panel } = this.#methods;
    if (panel !== undefined) {
      const method = panel.read();
      return method === undefined ? undefined : { kind: 'method', method };
    }
    const saved = this.#choice?.chosen();
    if (saved !== undefined) return { kind: 'saved', card: saved };
    const entered = this.#fields.read();
    if (entered === undefined) return undefined;
    return { kind: 'new', entered, save: this.#shown.session.savesCard === undefined ? undefined : this.#save.checked };
  }

  setBusy(busy: boolean): void {
    this.#busy = busy;
    this.#fields.setDisabled(busy);
    this.#methods.setDisabled(busy);
    this.#choice?.setDisabled(busy);
    this.#save.disabled = busy;
    this.element.setAttribute('aria-busy', String(busy));
    this.#status.textContent = '';
    this.#drawButton();
  }

  /** Shown while a payment takes long. */
  setStatus(text: string): void {
    this.#status.textContent = text;
  }

  notice(notice: Notice | undefined): void {
    const { words } = this.#shown.language;
    this.#notice.replaceChildren(...(notice === undefined ? [] : [alertIcon(), h('p', {}, words.notices[notice])]));
    // A choice of the shopper is not an error.
    set(this.#notice, 'data-calm', notice !== undefined && CALM.has(notice));
    if (notice !== undefined) this.#notice.focus();
  }

  showFault(field: CardField, fault: CardFault): void {
    this.#fields.showFault?.(field, fault);
  }

  /** Shows that the account of the chosen method was not accepted. */
  refuseMethod(): void {
    this.#methods.panel?.refuse?.(this.#shown.isTest);
  }

  clear(): void {
    this.#fields.clear();
  }

  #showFields(focus: boolean): void {
    const isSaved = this.#choice?.chosen() !== undefined;
    this.#fields.element.hidden = isSaved;
    this.#saveRow.hidden = isSaved || this.#shown.session.savesCard === undefined;
    if (focus && !isSaved) this.#fields.element.scrollIntoView({ block: 'nearest' });
  }

  #drawButton(): void {
    const { session, language } = this.#shown;
    const { words, locale } = language;
    const { amount, currencyCode } = session;
    const nothing = amount === undefined || amount < 1 || currencyCode === undefined;
    set(this.#button, 'disabled', nothing || session.lacks.length > 0);
    // Not `disabled`: the button keeps the focus, and a second press does nothing.
    set(this.#button, 'aria-disabled', this.#busy ? 'true' : false);
    this.#secure.hidden = this.method !== 'PAYMENT_CARD';
    if (this.#busy) this.#button.replaceChildren(spinner(), words.paying);
    else if (nothing) this.#button.replaceChildren(words.nothingToPay);
    else {
      const money = formatMoney(amount, currencyCode, locale);
      const isTyped = ['card', 'debit'].includes(methodOf(this.method).kind);
      this.#button.replaceChildren(isTyped ? words.pay(money) : words.payWith(money, nameOf(this.method, words)));
    }
  }
}
