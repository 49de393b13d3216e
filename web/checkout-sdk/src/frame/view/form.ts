// The form: order, saved cards, card fields, the box that saves a card, and the button with the amount.

import { formatMoney } from '../../../../../src/domain/currency.ts';
import type { CardField } from '../card/validate-card.ts';
import type { WalletPress } from '../fields/fields-module.ts';
import { ProcessorFields, WalletButtons } from '../fields/processor-fields.ts';
import { isWallet, type MethodName, methodOf, shownMethods } from '../methods.ts';
import { type AgreementText, fieldsFor, keepsMethod, type Session } from '../pay/answers.ts';
import { lastMethod } from '../pay/last-method.ts';
import type { Language } from '../words/language.ts';
import type { CardFault, Notice, Words } from '../words/words.ts';
import { AgreementConsent } from './agreement-consent.ts';
import { cardFields } from './card-fields.ts';
import { h, set } from './dom.ts';
import type { Chosen, Entry, MadeByFields, MethodPanel } from './entry.ts';
import { alertIcon, lockIcon, methodIcon, networkIcon, spinner } from './icons.ts';
import { MethodList, nameOf, panelOf } from './method-list.ts';
import { orderSummary } from './order-summary.ts';
import { accountRow, cardRow, type SavedChoice, savedChoice } from './saved-choice.ts';

/** What the shopper does in the form. */
export interface Acts {
  pay(): void;
  /** False while nothing can be paid. Called before a wallet opens. */
  mayPay(): boolean;
  payWith(made: MadeByFields): void;
  /** The browser has none of the wallets, and the session has no other method. */
  nothing(): void;
}

interface Shown {
  readonly session: Session;
  readonly language: Language;
  readonly withOrder: boolean;
  readonly isTest: boolean;
}

const ofCards = ({ chooseCard, anotherCard }: Words) => ({
  title: chooseCard,
  another: anotherCard,
  icon: () => networkIcon(undefined),
});
const ofAccounts = ({ debit, anotherAccount }: Words) => ({
  title: debit,
  another: anotherAccount,
  icon: () => methodIcon('SEPA_DEBIT'),
});

/** Notices about a choice of the shopper, which is not an error. */
const CALM: ReadonlySet<Notice> = new Set(['givenUp', 'otherWay', 'incomplete']);

export class PaymentForm {
  readonly element: HTMLFormElement;
  readonly #fields: Entry;
  readonly #top = h('div', { class: 'stack' });
  readonly #wallets: WalletButtons | undefined;
  readonly #orText = h('p', { class: 'or' });
  /** The fields of each method that has a row, or undefined if the frame's own take it. */
  readonly #own = new Map<MethodName, ProcessorFields | undefined>();
  readonly #saved = h('div');
  readonly #methods: MethodList;
  readonly #save = h('input', { type: 'checkbox' });
  readonly #saveText = h('span');
  readonly #saveRow = h('label', { class: 'save' }, this.#save, this.#saveText);
  readonly #consent = new AgreementConsent();
  readonly #notice = h('div', { class: 'notice', role: 'alert', tabindex: '-1' });
  readonly #button = h('button', { type: 'submit', class: 'pay' });
  readonly #status = h('p', { class: 'paying-status', role: 'status' });
  readonly #secure = h('p', { class: 'secure' });
  #choice: SavedChoice | undefined;
  #shown: Shown;
  #busy = false;

  constructor(shown: Shown, acts: Acts) {
    this.#shown = shown;
    const { session, language } = shown;
    const own = this.#ownFor('PAYMENT_CARD');
    this.#fields = own ?? cardFields(language.words);
    this.#save.checked = session.savesCard === true;
    const card = h('div', { class: 'stack' }, this.#saved, this.#fields.element, this.#saveRow);
    const chosen = (): void => {
      this.notice(undefined);
      this.#open();
      this.#drawButton();
    };
    this.#methods = new MethodList(card, (method) => this.#panelFor(method), chosen);
    this.#wallets = this.#walletsOf(session, acts);
    this.element = h(
      'form',
      { novalidate: true, class: 'stack' },
      this.#top,
      ...(this.#wallets === undefined ? [] : [this.#wallets.element, this.#orText]),
      this.#methods.element,
      this.#consent.element,
      this.#notice,
      this.#button,
      this.#status,
      this.#secure,
    );
    this.element.addEventListener('submit', (event) => {
      event.preventDefault();
      acts.pay();
    });
    this.#orText.hidden = true;
    this.show(shown);
  }

  /** False if a method of the session is entered elsewhere than in this form, which then has to be made again. */
  isFor(session: Session): boolean {
    const wallets = session.methods.filter(isWallet).map((wallet) => fieldsFor(session, wallet)?.connectionId);
    const known = this.#shown.session.methods.filter(isWallet);
    const before = known.map((wallet) => fieldsFor(this.#shown.session, wallet)?.connectionId);
    return (
      wallets.join() === before.join() &&
      [...this.#own].every(
        ([method, own]) =>
          !session.methods.includes(method) || fieldsFor(session, method)?.connectionId === own?.own.connectionId,
      )
    );
  }

  /** Resolves when the chosen method can be entered; rejects where its fields do not load. */
  get ready(): Promise<void> {
    return this.#own.get(this.method)?.ready ?? Promise.resolve();
  }

  #ownFor(method: MethodName): ProcessorFields | undefined {
    const fields = fieldsFor(this.#shown.session, method);
    const own = fields === undefined ? undefined : new ProcessorFields(fields, method);
    this.#own.set(method, own);
    return own;
  }

  #panelFor(method: MethodName): MethodPanel {
    const panel = this.#enteredIn(method);
    return method === 'SEPA_DEBIT' ? this.#withSaved(method, panel) : panel;
  }

  /** Saved accounts of the customer in front of the fields for another one. */
  #withSaved(method: MethodName, entered: MethodPanel): MethodPanel {
    const saved = h('div');
    let choice: SavedChoice | undefined;
    const draw = (): void => {
      entered.element.hidden = choice?.chosen() !== undefined;
    };
    return {
      ...entered,
      element: h('div', { class: 'stack' }, saved, entered.element),
      speak: (words) => {
        const { savedAccounts } = this.#shown.session;
        const rows = savedAccounts.map(accountRow(words, nameOf(method, words)));
        const first = choice === undefined ? undefined : (choice.chosen() ?? '');
        choice = rows.length === 0 ? undefined : savedChoice(rows, ofAccounts(words), first, draw);
        saved.replaceChildren(...(choice === undefined ? [] : [choice.element]));
        saved.hidden = choice === undefined;
        entered.speak(words);
        draw();
      },
      read: () => {
        const token = choice?.chosen();
        return token === undefined ? entered.read() : { kind: 'saved', method, token };
      },
      setDisabled: (disabled) => {
        choice?.setDisabled(disabled);
        entered.setDisabled(disabled);
      },
    };
  }

  #enteredIn(method: MethodName): MethodPanel {
    const own = this.#ownFor(method);
    if (own === undefined) return panelOf(method);
    const { kind, name = '' } = methodOf(method);
    const hint = h('p', { class: 'method-hint' });
    hint.hidden = kind !== 'page';
    return {
      element: h('div', { class: 'stack' }, hint, own.element),
      speak: (words) => {
        hint.textContent = words.pageHint(name);
      },
      read: () => ({
        kind: 'made',
        method,
        own: own.own,
        // A method with a page of its own is kept by nobody, and its token must not ask for that.
        token: () => own.token(keepsMethod(this.#shown.session) && kind !== 'page'),
      }),
      setDisabled: (disabled) => own.setDisabled(disabled),
    };
  }

  #walletsOf(session: Session, acts: Acts): WalletButtons | undefined {
    const own = session.methods.filter(isWallet).map((wallet) => fieldsFor(session, wallet))[0];
    if (own === undefined) return undefined;
    const press: WalletPress = {
      mayOpen: () => !this.#busy && this.#consent.isGiven() && acts.mayPay(),
      agreed: (method, token) => acts.payWith({ kind: 'made', method, own, token }),
      available: (isAny) => {
        const hasList = this.#methods.count > 0;
        if (this.#wallets !== undefined) this.#wallets.element.hidden = !isAny;
        this.#orText.hidden = !(isAny && hasList);
        if (!(isAny || hasList)) acts.nothing();
      },
    };
    return new WalletButtons(own, press);
  }

  /** Mounts the fields of the chosen method. */
  #open(): void {
    const own = this.#own.get(this.method);
    own?.open();
    own?.ready.catch(() => this.notice('unavailable'));
  }

  /** Shows another session, or the same in another language; the fields keep what is in them. */
  show(shown: Shown): void {
    const chosen = this.#choice?.chosen() ?? (this.#choice === undefined ? undefined : '');
    this.#shown = shown;
    const { session, language, withOrder, isTest } = shown;
    const { words } = language;
    this.#choice =
      session.savedCards.length === 0
        ? undefined
        : savedChoice(session.savedCards.map(cardRow(words)), ofCards(words), chosen, () => this.#showFields(true));
    const summary = withOrder ? orderSummary(session, language) : undefined;
    this.#top.replaceChildren(
      ...(isTest ? [h('p', { class: 'test-mode' }, words.testMode)] : []),
      ...(summary === undefined ? [] : [summary]),
    );
    this.#top.hidden = this.#top.childElementCount === 0;
    this.#saved.replaceChildren(...(this.#choice === undefined ? [] : [this.#choice.element]));
    this.#saved.hidden = this.#choice === undefined;
    const last = lastMethod();
    const methods = shownMethods(session, { isTest, last });
    this.#methods.show(methods, last ?? session.methods[0], language);
    this.#orText.textContent = words.or;
    this.#wallets?.show(session, language);
    this.#fields.show(session, language);
    this.#consent.show(session, language);
    for (const own of this.#own.values()) own?.show(session, language);
    this.#own.get(this.method)?.open();
    this.#saveText.textContent = words.save;
    this.#secure.replaceChildren(lockIcon(), words.secure);
    this.#showFields(false);
    this.#drawButton();
  }

  /** The method that is chosen in the list. */
  get method(): MethodName {
    return this.#methods.chosen;
  }

  /** The text that the shopper agrees to with the payment, or undefined if none is asked for. */
  get agreedText(): AgreementText | undefined {
    return this.#consent.text;
  }

  /** The chosen card or method, or undefined if the form shows an error. */
  read(): Chosen | undefined {
    this.notice(undefined);
    const chosen = this.#read();
    return chosen !== undefined && this.#consent.isGiven() ? chosen : undefined;
  }

  #read(): Chosen | undefined {
    const { panel } = this.#methods;
    if (panel !== undefined) return panel.read();
    const saved = this.#choice?.chosen();
    if (saved !== undefined) return { kind: 'saved', method: 'PAYMENT_CARD', token: saved };
    const entered = this.#fields.read();
    if (entered === undefined) return undefined;
    const { savesCard, agreement } = this.#shown.session;
    const save = savesCard === undefined ? undefined : this.#save.checked;
    return { kind: 'new', entered, save, keeps: agreement !== undefined || save === true };
  }

  setBusy(busy: boolean): void {
    this.#busy = busy;
    this.#fields.setDisabled(busy);
    this.#methods.setDisabled(busy);
    if (this.#wallets !== undefined) set(this.#wallets.element, 'inert', busy);
    this.#choice?.setDisabled(busy);
    this.#consent.setDisabled(busy);
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
    for (const own of this.#own.values()) own?.clear();
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
    this.#button.hidden = this.#methods.count === 0;
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
