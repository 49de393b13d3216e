// The list of methods: a row each, and below the chosen one what it needs. With cards alone the row is not shown.
import { type MethodName, methodOf } from '../methods.ts';
import type { GivenMethod } from '../pay/service.ts';
import type { Language } from '../words/language.ts';
import type { Words } from '../words/words.ts';
import { debitFields } from './debit-fields.ts';
import { h, newId } from './dom.ts';
import type { MethodPanel } from './entry.ts';
import { methodIcon } from './icons.ts';

/** The method as people call it. */
export const nameOf = (method: MethodName, words: Words): string =>
  methodOf(method).name ?? (methodOf(method).kind === 'debit' ? words.debit : words.card);

interface Row {
  readonly element: HTMLElement;
  readonly radio: HTMLInputElement;
  readonly place: HTMLElement;
  readonly panel: MethodPanel | undefined;
  speak(words: Words): void;
}

export class MethodList {
  readonly element = h('div', { class: 'methods', role: 'radiogroup' });
  readonly #rows = new Map<MethodName, Row>();
  readonly #name = newId();
  readonly #legend = h('p', { id: newId(), class: 'methods-legend' });
  readonly #list = h('div', { class: 'method-rows' });
  readonly #panelFor: (method: MethodName) => MethodPanel;
  #chosen: MethodName | undefined;
  #count = 0;

  /**
   * `card`: the part of the form in which a card is typed. No row moves: a processor's frames would begin again.
   * `panelFor`: called once for each other method.
   */
  constructor(card: HTMLElement, panelFor: (method: MethodName) => MethodPanel, onChange: () => void) {
    this.#panelFor = panelFor;
    this.element.setAttribute('aria-labelledby', this.#legend.id);
    this.element.append(this.#legend, this.#list);
    this.#list.append(this.#rowOf('PAYMENT_CARD', card).element);
    this.element.addEventListener('change', () => {
      this.#draw();
      onChange();
    });
  }

  /** The method that the shopper pays with. */
  get chosen(): MethodName {
    return this.#chosen ?? 'PAYMENT_CARD';
  }

  /** The methods that are shown. */
  get count(): number {
    return this.#count;
  }

  /** The panel of the chosen method; undefined for a card. */
  get panel(): MethodPanel | undefined {
    return this.#rows.get(this.chosen)?.panel;
  }

  /** `methods`: in the order of the list. `first`: chosen until the shopper chooses. */
  show(methods: readonly MethodName[], first: MethodName | undefined, { words }: Language): void {
    this.#legend.textContent = words.chooseCard;
    this.#count = methods.length;
    this.element.hidden = methods.length === 0;
    const isAlone = methods.length === 1 && methods[0] === 'PAYMENT_CARD';
    this.element.classList.toggle('is-alone', isAlone);
    const rows = methods.map((method) => this.#rowOf(method));
    const card = this.#rowOf('PAYMENT_CARD').element;
    for (const row of this.#rows.values()) {
      if (rows.includes(row)) continue;
      row.radio.checked = false;
      if (row.element !== card) row.element.remove();
    }
    card.hidden = !methods.includes('PAYMENT_CARD');
    this.#arrange(rows.map(({ element }) => element));
    for (const row of this.#rows.values()) row.speak(words);
    const known = [this.#chosen, first].find((method) => method !== undefined && methods.includes(method));
    const chosen = known ?? methods[0];
    const row = chosen === undefined ? undefined : this.#rows.get(chosen);
    if (row !== undefined) row.radio.checked = true;
    this.#draw();
  }

  setDisabled(disabled: boolean): void {
    for (const { radio, panel } of this.#rows.values()) {
      radio.disabled = disabled;
      panel?.setDisabled(disabled);
    }
  }

  /** Puts the rows into this order. What is in its place already stays there. */
  #arrange(rows: readonly HTMLElement[]): void {
    const isBehind = (one: Element | undefined, other: Element): boolean =>
      one === undefined || (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
    let previous: HTMLElement | undefined;
    for (const row of rows) {
      if (!row.isConnected && row.parentElement !== this.#list) {
        if (previous === undefined) this.#list.prepend(row);
        else previous.after(row);
      } else if (!isBehind(previous, row)) previous?.after(row);
      previous = row;
    }
  }

  #draw(): void {
    for (const [method, { radio, place }] of this.#rows) {
      place.hidden = !radio.checked;
      if (radio.checked) this.#chosen = method;
    }
  }

  #rowOf(method: MethodName, card?: HTMLElement): Row {
    const known = this.#rows.get(method);
    if (known !== undefined) return known;
    const radio = h('input', { type: 'radio', name: this.#name, value: method });
    const title = h('span', { class: 'choice-title' });
    const panel = method === 'PAYMENT_CARD' ? undefined : this.#panelFor(method);
    const place = h('div', { class: 'method-panel' }, ...(card === undefined ? [] : [card]));
    if (panel !== undefined) place.append(panel.element);
    const row: Row = {
      element: h(
        'div',
        { class: 'method', 'data-method': method },
        h('label', { class: 'choice' }, radio, methodIcon(method), title),
        place,
      ),
      radio,
      place,
      panel,
      speak(words) {
        title.textContent = nameOf(method, words);
        panel?.speak(words);
      },
    };
    this.#rows.set(method, row);
    return row;
  }
}

/** The frame's own panel of a method besides a card. */
export function panelOf(method: MethodName): MethodPanel {
  const { kind, name = '' } = methodOf(method);
  switch (kind) {
    case 'card':
      throw new TypeError('a card has no panel');
    case 'wallet':
      return walletPanel(method);
    case 'page':
      return sentence({ type: method }, (words) => words.pageHint(name));
    case 'voucher':
      return sentence({ type: method }, (words) => words.voucherHint);
    case 'debit':
      return debitFields(method);
    default:
      return kind satisfies never;
  }
}

function sentence(method: GivenMethod, textOf: (words: Words) => string): MethodPanel {
  const element = h('p', { class: 'method-hint' });
  return {
    element,
    speak(words) {
      element.textContent = textOf(words);
    },
    read: () => ({ kind: 'method', method }),
    setDisabled: () => undefined,
  };
}

/** In test mode the wallet is a box: its card is approved, or declined. */
function walletPanel(method: MethodName): MethodPanel {
  const box = h('input', { type: 'checkbox' });
  const text = h('span');
  return {
    element: h('label', { class: 'tick' }, box, text),
    speak(words) {
      text.textContent = words.walletDeclines;
    },
    read: () => ({
      kind: 'method',
      method: { type: method, token: box.checked ? 'sandbox:generic-decline' : 'sandbox:approved' },
    }),
    setDisabled(disabled) {
      box.disabled = disabled;
    },
  };
}
