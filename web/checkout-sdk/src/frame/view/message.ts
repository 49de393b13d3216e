// The whole frame as one message: loading, pending, to be confirmed, complete, expired, unreachable.
import { h } from './dom.ts';
import { alertIcon, checkIcon, clockIcon, lockIcon, spinner } from './icons.ts';

type Kind = 'complete' | 'challenge' | 'pending' | 'offline' | 'expired' | 'unavailable';

interface Message {
  readonly kind: Kind;
  readonly title: string;
  readonly text: string;
  /** A step of the shopper, below the text. */
  readonly action?: { readonly label: string; readonly run: () => void };
}

const SIGNS: { readonly [kind in Kind]: () => Element } = {
  complete: checkIcon,
  challenge: lockIcon,
  pending: spinner,
  offline: spinner,
  expired: clockIcon,
  unavailable: alertIcon,
};

/** `focus` moves to the heading, so that a screen reader says it. */
export function showMessage(host: HTMLElement, { kind, title, text, action }: Message): void {
  const heading = h('h2', { tabindex: '-1' }, title);
  const button = action === undefined ? undefined : h('button', { type: 'button', class: 'pay' }, action.label);
  if (action !== undefined) button?.addEventListener('click', action.run);
  const shown = h(
    'div',
    { class: `message message-${kind}`, 'data-message': kind },
    h('span', { class: 'sign' }, SIGNS[kind]()),
    heading,
    h('p', {}, text),
    ...(button === undefined ? [] : [button]),
  );
  const hadFocus = host.contains(document.activeElement);
  host.replaceChildren(shown);
  if (hadFocus) heading.focus();
}

/** Grey shapes where the form is going to be, of the same height. */
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
