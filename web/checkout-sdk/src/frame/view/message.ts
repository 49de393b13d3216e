// The whole frame as one message: loading, pending, to be confirmed, complete, expired, unreachable.
import { h } from './dom.ts';
import { alertIcon, checkIcon, clockIcon, lockIcon, spinner } from './icons.ts';

type Kind = 'complete' | 'challenge' | 'awaiting' | 'voucher' | 'pending' | 'offline' | 'expired' | 'unavailable';

/** A button. */
export interface Action {
  readonly label: string;
  readonly run: () => void;
}

export interface Message {
  readonly kind: Kind;
  readonly title: string;
  readonly text: string;
  /** Below the text. */
  readonly content?: Element;
  /** A button below the text. */
  readonly action?: Action;
  /** A second button, less prominent than the first. */
  readonly other?: Action;
}

const SIGNS: { readonly [kind in Kind]: () => Element } = {
  complete: checkIcon,
  challenge: lockIcon,
  awaiting: clockIcon,
  voucher: clockIcon,
  pending: spinner,
  offline: spinner,
  expired: clockIcon,
  unavailable: alertIcon,
};

/** `focus` moves to the heading, so that a screen reader announces it. */
export function showMessage(host: HTMLElement, { kind, title, text, content, action, other }: Message): void {
  const heading = h('h2', { tabindex: '-1' }, title);
  const shown = h(
    'div',
    { class: `message message-${kind}`, 'data-message': kind },
    h('span', { class: 'sign' }, SIGNS[kind]()),
    heading,
    h('p', {}, text),
    ...(content === undefined ? [] : [content]),
    ...(action === undefined ? [] : [buttonOf(action, 'pay')]),
    ...(other === undefined ? [] : [buttonOf(other, 'other')]),
  );
  const hadFocus = host.contains(document.activeElement);
  host.replaceChildren(shown);
  if (hadFocus) heading.focus();
}

function buttonOf({ label, run }: Action, kind: 'pay' | 'other'): HTMLElement {
  const button = h('button', { type: 'button', class: kind }, label);
  button.addEventListener('click', run);
  return button;
}

/** Grey shapes in the place and height of the form. */
export function showLoading(host: HTMLElement, text: string): void {
  const bar = (kind: string): HTMLElement => h('div', { class: `bone ${kind}` });
  host.replaceChildren(
    h(
      'div',
      { class: 'stack', 'data-message': 'loading' },
      h('p', { class: 'unseen', role: 'status' }, text),
      bar('bone-field'),
      h('div', { class: 'field-row' }, bar('bone-field'), bar('bone-field')),
      bar('bone-field'),
      bar('bone-button'),
    ),
  );
}
