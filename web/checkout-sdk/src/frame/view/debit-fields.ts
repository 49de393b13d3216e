// The fields of a direct debit: the account, its holder, and the mandate with the shopper's consent.
import { formatIban, ibanFault } from '../card/iban.ts';
import type { MethodName } from '../methods.ts';
import type { DebitFault, Words } from '../words/words.ts';
import { h, newId, set } from './dom.ts';
import type { MethodPanel } from './entry.ts';
import { textField } from './text-field.ts';

export function debitFields(method: MethodName): MethodPanel {
  const iban = textField({ name: 'iban', autocomplete: 'off', inputmode: 'text', maxlength: 42 });
  const holder = textField({ name: 'holder', autocomplete: 'name', inputmode: 'text', maxlength: 255 });
  const mandate = h('p', { class: 'mandate', id: newId() });
  const consent = h('input', { type: 'checkbox', name: 'consent', required: true });
  const consentText = h('span');
  const consentError = h('p', { class: 'field-error', id: newId() });
  consent.setAttribute('aria-describedby', `${mandate.id} ${consentError.id}`);
  let spoken: Words | undefined;
  const shown = new Map<'iban' | 'holder' | 'consent', DebitFault>();

  const draw = (): void => {
    const textOf = (field: 'iban' | 'holder' | 'consent'): string | undefined => {
      const fault = shown.get(field);
      return fault === undefined ? undefined : spoken?.faults[fault];
    };
    iban.setError(textOf('iban'));
    holder.setError(textOf('holder'));
    consentError.textContent = textOf('consent') ?? '';
    set(consent, 'aria-invalid', shown.has('consent') ? 'true' : false);
  };
  const judge = (field: 'iban' | 'holder' | 'consent'): DebitFault | undefined => {
    const fault = faultOf(field);
    if (fault === undefined) shown.delete(field);
    else shown.set(field, fault);
    draw();
    return fault;
  };
  const faultOf = (field: 'iban' | 'holder' | 'consent'): DebitFault | undefined => {
    if (field === 'iban') return ibanFault(iban.input.value);
    if (field === 'holder') return holder.input.value.trim() === '' ? 'holderMissing' : undefined;
    return consent.checked ? undefined : 'consentMissing';
  };

  iban.input.addEventListener('input', (event) => {
    const { input } = iban;
    // A deletion, and a correction elsewhere than at the end, stay as they are until the field is left.
    const isDeletion = event instanceof InputEvent && event.inputType.startsWith('delete');
    if (!isDeletion && input.selectionStart === input.value.length) input.value = formatIban(input.value);
    // Wrong check digits are shown as soon as the number is complete.
    if (shown.has('iban') || ibanFault(input.value) === 'ibanWrong') judge('iban');
  });
  iban.input.addEventListener('blur', () => {
    iban.input.value = formatIban(iban.input.value);
    // A field that the user only passed through is not an error yet.
    if (iban.input.value !== '') judge('iban');
  });
  holder.input.addEventListener('input', () => shown.has('holder') && judge('holder'));
  consent.addEventListener('change', () => shown.has('consent') && judge('consent'));

  return {
    element: h(
      'div',
      { class: 'card-fields' },
      iban.element,
      holder.element,
      mandate,
      h('div', {}, h('label', { class: 'tick' }, consent, consentText), consentError),
    ),
    speak(words) {
      spoken = words;
      iban.rename(words.iban, 'DE00 0000 …');
      holder.rename(words.holder);
      mandate.textContent = words.mandate;
      consentText.textContent = words.consent;
      draw();
    },
    read() {
      const fields = ['iban', 'holder', 'consent'] as const;
      const [first] = fields.filter((field) => judge(field) !== undefined);
      if (first === undefined)
        return {
          kind: 'method',
          method: {
            type: method,
            iban: iban.input.value,
            accountHolderName: holder.input.value.trim(),
            mandateAccepted: true,
          },
        };
      (first === 'consent' ? consent : first === 'iban' ? iban.input : holder.input).focus();
      return undefined;
    },
    setDisabled(disabled) {
      for (const input of [iban.input, holder.input, consent]) input.disabled = disabled;
    },
    refuse(isTest) {
      shown.set('iban', isTest ? 'ibanUnknownInTest' : 'ibanWrong');
      draw();
      iban.input.focus();
    },
  };
}
