// The choice between the customer's saved cards and another card.
import type { SavedCard } from '../pay/answers.ts';
import type { Words } from '../words/words.ts';
import { h, newId } from './dom.ts';
import { networkIcon, networkName } from './icons.ts';

export interface CardChoice {
  readonly element: HTMLElement;
  /** Undefined: another card. */
  chosen(): SavedCard | undefined;
  setDisabled(disabled: boolean): void;
}

/** `year` and `month` as the service has them; a card is good through its month. */
const isOver = ({ year, month }: SavedCard, now: Date): boolean =>
  `${year}-${month}` < `${now.getFullYear()}-${String(now.getMonth() + 1).padStart(2, '0')}`;

/**
 * `first`: the token that is selected at first, by default the customer's default. `onChange` is called with every
 * choice.
 */
export function savedCards(
  cards: readonly SavedCard[],
  words: Words,
  first: string | undefined,
  onChange: () => void,
): CardChoice {
  const name = newId();
  const usable = cards.filter((card) => !isOver(card, new Date()));
  const preferred =
    usable.find(({ token }) => token === first) ?? usable.find(({ isDefault }) => isDefault) ?? usable[0];
  const initial = first === '' ? undefined : preferred;
  const rows = cards.map((card) => {
    const title = words.cardEnding(networkName(card.network, words.card), card.lastFour);
    const date = `${card.month} / ${card.year.slice(-2)}`;
    const over = !usable.includes(card);
    const radio = h('input', {
      type: 'radio',
      name,
      value: card.token,
      checked: card === initial,
      disabled: over,
      'aria-label': `${title}, ${over ? words.cardExpired : words.validUntil(date)}`,
    });
    return {
      card,
      over,
      radio,
      row: h(
        'label',
        { class: over ? 'choice is-over' : 'choice' },
        radio,
        networkIcon(card.network),
        h(
          'span',
          { class: 'choice-title' },
          networkName(card.network, words.card),
          h('span', { class: 'choice-digits' }, `•••• ${card.lastFour}`),
        ),
        h('span', { class: 'choice-date' }, over ? words.cardExpired : date),
      ),
    };
  });
  const another = h('input', { type: 'radio', name, value: '', checked: initial === undefined });
  const element = h(
    'fieldset',
    { class: 'choices' },
    h('legend', {}, words.chooseCard),
    ...rows.map(({ row }) => row),
    h(
      'label',
      { class: 'choice' },
      another,
      networkIcon(undefined),
      h('span', { class: 'choice-title' }, words.anotherCard),
    ),
  );
  element.addEventListener('change', onChange);
  return {
    element,
    chosen: () => rows.find(({ radio }) => radio.checked)?.card,
    setDisabled(disabled) {
      for (const { radio, over } of rows) radio.disabled = disabled || over;
      another.disabled = disabled;
    },
  };
}
