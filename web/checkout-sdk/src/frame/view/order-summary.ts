// The order: the session's lines and their total.
import { formatMoney } from '../../../../../src/domain/currency.ts';
import type { Line, Session } from '../pay/answers.ts';
import type { Language } from '../words/language.ts';
import type { Words } from '../words/words.ts';
import { h, newId } from './dom.ts';

/** The summary, or undefined if there is only a total, which is already on the button. */
export function orderSummary(
  { lines, amount, currencyCode }: Session,
  { words, locale }: Language,
): HTMLElement | undefined {
  if (lines.length === 0 || amount === undefined || currencyCode === undefined) return undefined;
  const id = newId();
  const money = (minor: number): string => formatMoney(minor, currencyCode, locale);
  const rows = lines.map((line) =>
    h(
      'li',
      {},
      h(
        'span',
        { class: 'line-name' },
        ...nameOf(line, words),
        ...(line.quantity > 1
          ? [h('span', { class: 'line-quantity' }, `× ${new Intl.NumberFormat(locale).format(line.quantity)}`)]
          : []),
      ),
      h('span', { class: 'line-amount' }, money(line.amount)),
    ),
  );
  return h(
    'section',
    { class: 'order', 'aria-labelledby': id },
    h('h2', { id }, words.order),
    h('ul', {}, ...rows),
    h('p', { class: 'order-total' }, h('span', {}, words.total), h('strong', {}, money(amount))),
  );
}

/** A name is an element of its own: its direction of writing ends with it. */
function nameOf({ kind, name }: Line, words: Words): readonly (HTMLElement | string)[] {
  const own = name === undefined ? undefined : h('bdi', {}, name);
  switch (kind) {
    case 'item':
      return [own ?? '–'];
    case 'shipping':
      return own === undefined ? [words.shipping] : [`${words.shipping}: `, own];
    case 'fee':
      return [own ?? words.fees];
    default:
      return kind satisfies never;
  }
}
