// What the payment method is charged for later, and the box by which the shopper agrees to it (contract §14). The
// service has written the text, and keeps it.
import type { AgreementText, Session } from '../pay/answers.ts';
import type { Language } from '../words/language.ts';
import { h, newId, set } from './dom.ts';

export class AgreementConsent {
  readonly #box = h('input', { type: 'checkbox', name: 'agreement', required: true });
  readonly #boxText = h('span');
  readonly #error = h('p', { class: 'field-error', id: newId() });
  readonly element = h(
    'div',
    { class: 'agreement' },
    h('label', { class: 'tick' }, this.#box, this.#boxText),
    this.#error,
  );
  #text: AgreementText | undefined;
  #missing = '';

  constructor() {
    this.#box.setAttribute('aria-describedby', this.#error.id);
    this.#box.addEventListener('change', () => this.#draw(false));
  }

  /** Another text, or the same one in another language, is agreed to again. */
  show({ agreement }: Session, { lang, words }: Language): void {
    const text = agreement?.texts.find(({ language }) => language === lang);
    if (text?.textDigest !== this.#text?.textDigest) this.#box.checked = false;
    this.#text = text;
    this.#missing = words.faults.agreementMissing;
    this.#boxText.textContent = text?.text ?? '';
    this.#box.hidden = agreement?.isAgreed === true;
    this.element.hidden = text === undefined;
    this.#draw(false);
  }

  /** The text that is agreed to; undefined where nothing is asked. */
  get text(): AgreementText | undefined {
    return this.#box.hidden ? undefined : this.#text;
  }

  /** False where the shopper has yet to agree: the box then shows it, and has the focus. */
  isGiven(): boolean {
    const isMissing = this.text !== undefined && !this.#box.checked;
    this.#draw(isMissing);
    if (isMissing) this.#box.focus();
    return !isMissing;
  }

  setDisabled(disabled: boolean): void {
    this.#box.disabled = disabled;
  }

  #draw(isMissing: boolean): void {
    this.#error.textContent = isMissing ? this.#missing : '';
    set(this.#box, 'aria-invalid', isMissing ? 'true' : false);
  }
}
