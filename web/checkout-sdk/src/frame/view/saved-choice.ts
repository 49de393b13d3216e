// The choice between what the customer has saved and something else: cards, or bank accounts.
import type { SavedAccount, SavedCard } from '../pay/answers.ts';
import type { Words } from '../words/words.ts';
import { h, newId } from './dom.ts';
import { methodIcon, networkIcon, networkName } from './icons.ts';

interface SavedRow {
  readonly token: string;
  readonly isDefault: boolean;
  /** The whole row for a screen reader. */
  readonly label: string;
  readonly icon: () => Node;
  readonly name: string;
  readonly lastFour: string;
  readonly note: string;
  /** True if it pays no longer. */
  readonly isOver: boolean;
}

export interface SavedChoice {
  readonly element: HTMLElement;
  /** The chosen token; undefined: something else. */
  chosen(): string | undefined;
  setDisabled(disabled: boolean): void;
}

/** `year` and `month` as the service has them; a card is good through its month. */
const hasExpired = ({ year, month }: SavedCard, now: Date): boolean =>
  `${year}-${month}` < `${now.getFullYear()}-${String(now.getMonth() + 1).padStart(2, '0')}`;

export const cardRow =
  (words: Words) =>
  (card: SavedCard): SavedRow => {
    const name = networkName(card.network, words.card);
    const date = `${card.month} / ${card.year.slice(-2)}`;
    const isOver = hasExpired(card, new Date());
    return {
      token: card.token,
      isDefault: card.isDefault,
      label: `${words.cardEnding(name, card.lastFour)}, ${isOver ? words.cardExpired : words.validUntil(date)}`,
      icon: () => networkIcon(card.network),
      name,
      lastFour: card.lastFour,
      note: isOver ? words.cardExpired : date,
      isOver,
    };
  };

/** `name`: of the method. */
export const accountRow =
  (words: Words, name: string) =>
  ({ token, isDefault, lastFour }: SavedAccount): SavedRow => ({
    token,
    isDefault,
    label: words.cardEnding(name, lastFour),
    icon: () => methodIcon('SEPA_DEBIT'),
    name: words.iban,
    lastFour,
    note: '',
    isOver: false,
  });

/**
 * `first`: the token that is selected at first, by default the customer's default; '' for something else. `onChange` is
 * called with every choice.
 */
export function savedChoice(
  saved: readonly SavedRow[],
  { title, another, icon }: { readonly title: string; readonly another: string; readonly icon: () => Node },
  first: string | undefined,
  onChange: () => void,
): SavedChoice {
  const name = newId();
  const usable = saved.filter(({ isOver }) => !isOver);
  const preferred =
    usable.find(({ token }) => token === first) ?? usable.find(({ isDefault }) => isDefault) ?? usable[0];
  const initial = first === '' ? undefined : preferred;
  const rows = saved.map((one) => {
    const { isOver, label, token } = one;
    const checked = one === initial;
    const radio = h('input', { type: 'radio', name, value: token, checked, disabled: isOver, 'aria-label': label });
    return {
      token,
      isOver,
      radio,
      row: h(
        'label',
        { class: isOver ? 'choice is-over' : 'choice' },
        radio,
        one.icon(),
        h('span', { class: 'choice-title' }, one.name, h('span', { class: 'choice-digits' }, `•••• ${one.lastFour}`)),
        h('span', { class: 'choice-date' }, one.note),
      ),
    };
  });
  const other = h('input', { type: 'radio', name, value: '', checked: initial === undefined });
  const element = h(
    'fieldset',
    { class: 'choices' },
    h('legend', {}, title),
    ...rows.map(({ row }) => row),
    h('label', { class: 'choice' }, other, icon(), h('span', { class: 'choice-title' }, another)),
  );
  element.addEventListener('change', onChange);
  return {
    element,
    chosen: () => rows.find(({ radio }) => radio.checked)?.token,
    setDisabled(disabled) {
      for (const { radio, isOver } of rows) radio.disabled = disabled || isOver;
      other.disabled = disabled;
    },
  };
}
