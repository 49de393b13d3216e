// The form: order, saved cards, card fields, the box that saves a card, and the button with the amount.
import type { CardField } from '../card/validate-card.ts';
import { ProcessorFields } from '../fields/processor-fields.ts';
import { formatMoney } from '../money.ts';
import type { SavedCard, Session } from '../pay/answers.ts';
import type { Language } from '../words/language.ts';
import type { CardFault, Notice } from '../words/words.ts';
import { cardFields, type Entered, type Entry } from './card-fields.ts';
import { h, set } from './dom.ts';
import { alertIcon, lockIcon, spinner } from './icons.ts';
import { orderSummary } from './order-summary.ts';
import { type CardChoice, savedCards } from './saved-cards.ts';

/** The card that the shopper pays with. */
export type Chosen =
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

export class PaymentForm {
  readonly element: HTMLFormElement;
  readonly #fields: Entry;
  readonly #top = h('div', { class: 'stack' });
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
    this.element = h(
      'form',
      { novalidate: true, class: 'stack' },
      this.#top,
      this.#fields.element,
      this.#saveRow,
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
      ...(this.#choice === undefined ? [] : [this.#choice.element]),
    );
    this.#top.hidden = this.#top.childElementCount === 0;
    this.#fields.show(session, language);
    this.#saveText.textContent = words.save;
    this.#secure.replaceChildren(lockIcon(), words.secure);
    this.#showFields(false);
    this.#drawButton();
  }

  /** The chosen card, or undefined if the form shows an error. */
  read(): Chosen | undefined {
    this.notice(undefined);
    const saved = this.#choice?.chosen();
    if (saved !== undefined) return { kind: 'saved', card: saved };
    const entered = this.#fields.read();
    if (entered === undefined) return undefined;
    return { kind: 'new', entered, save: this.#shown.session.savesCard === undefined ? undefined : this.#save.checked };
  }

  setBusy(busy: boolean): void {
    this.#busy = busy;
    this.#fields.setDisabled(busy);
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
    set(this.#notice, 'data-calm', notice === 'givenUp' || notice === 'incomplete');
    if (notice !== undefined) this.#notice.focus();
  }

  showFault(field: CardField, fault: CardFault): void {
    this.#fields.showFault?.(field, fault);
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
    if (this.#busy) this.#button.replaceChildren(spinner(), words.paying);
    else
      this.#button.replaceChildren(nothing ? words.nothingToPay : words.pay(formatMoney(amount, currencyCode, locale)));
  }
}
