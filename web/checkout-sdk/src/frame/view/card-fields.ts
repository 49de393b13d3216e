// The four fields of a card. They format typed, pasted and filled-in text, and show an error once the user has left a
// field.

import { formatExpiry, grouped, retyped } from '../card/field-text.ts';
import { knownOf, type Network } from '../card/networks.ts';
import { CARD_FIELDS, type CardField, type CardText, cardOf, digitsIn, faultOf } from '../card/validate-card.ts';
import type { CardFault, Words } from '../words/words.ts';
import { h } from './dom.ts';
import type { Entry } from './entry.ts';
import { networkIcon } from './icons.ts';
import { type TextField, textField } from './text-field.ts';

const deletionOf = (event: Event): 'back' | 'forward' | undefined => {
  const kind = event instanceof InputEvent ? event.inputType : '';
  return kind === 'deleteContentBackward' ? 'back' : kind === 'deleteContentForward' ? 'forward' : undefined;
};

export function cardFields(words: Words): Entry {
  const icon = h('span', { class: 'field-icon' }, networkIcon(undefined));
  const fields: Readonly<Record<CardField, TextField>> = {
    number: textField({ name: 'number', autocomplete: 'cc-number', inputmode: 'numeric', adornment: icon }),
    expiry: textField({ name: 'expiry', autocomplete: 'cc-exp', inputmode: 'numeric' }),
    cvc: textField({ name: 'cvc', autocomplete: 'cc-csc', inputmode: 'numeric', maxlength: 4 }),
    name: textField({ name: 'name', autocomplete: 'cc-name', inputmode: 'text', maxlength: 255 }),
  };
  let spoken = words;
  let networks: readonly Network[] = [];
  let number = '';
  const shown = new Map<CardField, CardFault>();

  const texts = (): CardText => ({
    number: fields.number.input.value,
    expiry: fields.expiry.input.value,
    cvc: fields.cvc.input.value,
    name: fields.name.input.value,
  });
  const show = (field: CardField, fault: CardFault | undefined): void => {
    if (fault === undefined) shown.delete(field);
    else shown.set(field, fault);
    fields[field].setError(fault === undefined ? undefined : spoken.faults[fault]);
  };
  const judge = (field: CardField): CardFault | undefined => {
    const fault = faultOf(field, texts(), networks);
    show(field, fault);
    return fault;
  };
  const drawNetwork = (): void => {
    const { network, cvcDigits } = knownOf(number);
    icon.replaceChildren(networkIcon(network));
    fields.cvc.input.maxLength = cvcDigits;
  };

  fields.number.input.addEventListener('input', (event) => {
    const { input } = fields.number;
    const format = (digits: string): string => {
      const { gaps, maxDigits } = knownOf(digits);
      return grouped(digits.slice(0, maxDigits), gaps);
    };
    const typed = { text: input.value, caret: input.selectionStart ?? input.value.length };
    const { text, caret } = retyped(number, typed, format, deletionOf(event));
    number = digitsIn(text);
    if (input.value !== text) input.value = text;
    if (document.activeElement === input) input.setSelectionRange(caret, caret);
    drawNetwork();
    if (knownOf(number).isComplete || shown.has('number')) judge('number');
  });
  fields.expiry.input.addEventListener('input', (event) => {
    const { input } = fields.expiry;
    // A deletion is left as it is, so that the separator can be deleted; the caret is elsewhere than at the end only
    // for corrections.
    if (deletionOf(event) === undefined && input.selectionStart === input.value.length)
      input.value = formatExpiry(input.value);
    if (shown.has('expiry')) judge('expiry');
  });
  fields.cvc.input.addEventListener('input', () => {
    const { input } = fields.cvc;
    const digits = digitsIn(input.value);
    if (input.value !== digits) input.value = digits;
    if (shown.has('cvc')) judge('cvc');
  });
  fields.name.input.addEventListener('input', () => {
    if (shown.has('name')) judge('name');
  });
  for (const field of CARD_FIELDS) {
    fields[field].input.addEventListener('blur', () => {
      const { input } = fields[field];
      if (field === 'expiry' && input.value !== '') input.value = formatExpiry(input.value);
      // A field that the user only passed through is not an error yet.
      if (input.value !== '') judge(field);
    });
  }

  const speak = (next: Words): void => {
    spoken = next;
    fields.number.rename(spoken.number, '1234 1234 1234 1234');
    fields.expiry.rename(spoken.expiry, spoken.expiryHint);
    fields.cvc.rename(spoken.cvc, spoken.cvcHint);
    fields.name.rename(spoken.name);
    for (const [field, fault] of shown) fields[field].setError(spoken.faults[fault]);
  };
  speak(words);

  return {
    element: h(
      'div',
      { class: 'card-fields' },
      fields.number.element,
      h('div', { class: 'field-row' }, fields.expiry.element, fields.cvc.element),
      fields.name.element,
    ),
    ready: Promise.resolve(),
    show(session, language) {
      networks = session.networks;
      speak(language.words);
    },
    read() {
      const wrong = CARD_FIELDS.filter((field) => judge(field) !== undefined);
      const [first] = wrong;
      if (first === undefined) return { card: cardOf(texts()) };
      fields[first].input.focus();
      return undefined;
    },
    showFault(field, fault) {
      show(field, fault);
      fields[field].input.focus();
    },
    setDisabled(disabled) {
      for (const field of CARD_FIELDS) fields[field].input.disabled = disabled;
    },
    clear() {
      for (const field of CARD_FIELDS) {
        fields[field].input.value = '';
        show(field, undefined);
      }
      number = '';
      drawNetwork();
    },
  };
}
