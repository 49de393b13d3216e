// A labelled input with its error beneath, linked for screen readers.
import { h, newId, set } from './dom.ts';

export interface TextField {
  readonly element: HTMLElement;
  readonly input: HTMLInputElement;
  setError(text: string | undefined): void;
  /** Gives label and placeholder in another language. */
  rename(label: string, placeholder?: string): void;
}

interface Kind {
  readonly name: string;
  /** What the browser may fill in. */
  readonly autocomplete: AutoFill;
  readonly inputmode: 'numeric' | 'text';
  readonly maxlength?: number;
  /** At the end of the input. */
  readonly adornment?: Element;
}

export function textField({ name, autocomplete, inputmode, maxlength, adornment }: Kind): TextField {
  const id = newId();
  const errorId = `${id}-error`;
  const label = h('label', { for: id });
  const input = h('input', {
    id,
    name,
    type: 'text',
    autocomplete,
    inputmode,
    maxlength: maxlength?.toString(),
    autocapitalize: name === 'name' ? 'words' : 'off',
    autocorrect: 'off',
    spellcheck: 'false',
    required: true,
    'aria-describedby': errorId,
  });
  const error = h('p', { id: errorId, class: 'field-error' });
  const box = h('div', { class: 'field-box' }, input, ...(adornment === undefined ? [] : [adornment]));
  const element = h('div', { class: `field field-${name}` }, label, box, error);
  return {
    element,
    input,
    setError(text) {
      error.textContent = text ?? '';
      set(input, 'aria-invalid', text === undefined ? false : 'true');
      element.classList.toggle('has-error', text !== undefined);
    },
    rename(text, placeholder) {
      label.textContent = text;
      if (placeholder !== undefined) input.placeholder = placeholder;
    },
  };
}
