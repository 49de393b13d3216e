// The numbers of a voucher, each with a button that copies it, the time that is left to pay, and when it ends.
import { formatMoney } from '../../../../../src/domain/currency.ts';
import type { Payment, Voucher } from '../pay/answers.ts';
import type { Language } from '../words/language.ts';
import { h } from './dom.ts';
import { momentText } from './moment-text.ts';

const MINUTE_MS = 60_000;

/** `onOver` is called when the time is over while the numbers are shown. */
export function voucherNumbers(
  { amount, currencyCode }: Payment,
  { entity, reference, expiresAt }: Voucher,
  { words, locale }: Language,
  onOver: () => void,
): HTMLElement {
  const copied = h('p', { class: 'unseen', role: 'status' });
  const row = (label: string, text: string, copy = text): HTMLElement => {
    const value = h('dd', {}, text);
    const button = h('button', { type: 'button', class: 'copy', 'aria-label': `${words.copy}: ${label}` }, words.copy);
    button.addEventListener('click', () => {
      void navigator.clipboard.writeText(copy).then(
        () => {
          button.textContent = words.copied;
          copied.textContent = `${label}: ${words.copied}`;
        },
        () => window.getSelection()?.selectAllChildren(value),
      );
    });
    return h('div', {}, h('dt', {}, label), value, h('dd', { class: 'copy-place' }, button));
  };
  const left = h('p', { class: 'time-left' });
  const element = h(
    'div',
    { class: 'voucher' },
    h(
      'dl',
      {},
      row(words.entity, entity),
      row(words.reference, reference.replaceAll(/(\d{3})(?=\d)/g, '$1 '), reference),
      row(words.amount, formatMoney(amount, currencyCode, locale)),
    ),
    left,
    h('p', { class: 'time-left' }, momentText(expiresAt, locale)),
    copied,
  );
  const draw = (): void => {
    left.textContent = words.timeLeft(timeText(expiresAt - Date.now(), locale));
  };
  draw();
  const clock = setInterval(() => {
    if (!element.isConnected) clearInterval(clock);
    else if (Date.now() < expiresAt) draw();
    else {
      clearInterval(clock);
      onOver();
    }
  }, 1_000);
  return element;
}

/** The two greatest units: 2 days 23 hours, 5 hours 10 minutes, 9 minutes. */
function timeText(ms: number, locale: string): string {
  const minutes = Math.max(1, Math.ceil(ms / MINUTE_MS));
  const parts = [
    ['day', Math.floor(minutes / 1_440)],
    ['hour', Math.floor(minutes / 60) % 24],
    ['minute', minutes % 60],
  ] as const;
  const first = parts.findIndex(([, count]) => count > 0);
  return parts
    .slice(first, first + 2)
    .filter(([, count]) => count > 0)
    .map(([unit, count]) => new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count))
    .join(' ');
}
