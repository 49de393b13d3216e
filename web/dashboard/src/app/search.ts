// What a text in the search box may mean: a thing by its id, payments of an order, a customer or a card, a page by its name.
import type { NavigationEntry } from './navigation-entries.ts';

export interface Meaning {
  /** Where it leads: a path without /dashboard. */
  readonly path: string;
  readonly label: string;
  readonly detail: string;
}

const list = (parameter: string, text: string): string => `/payments?${parameter}=${encodeURIComponent(text)}`;

/** The most likely first; `pages`: those that the user may open. */
export function meaningsOf(text: string, pages: readonly NavigationEntry[]): readonly Meaning[] {
  const asked = text.trim();
  if (asked === '') return [];
  const lower = asked.toLowerCase();
  const named = pages.filter(({ label }) => label.toLowerCase().includes(lower));
  const opened = named.map(({ label, to }) => ({ path: to, label, detail: 'Page' }));
  if (/^pay_\w+$/.test(asked)) return [{ path: `/payments/${asked}`, label: asked, detail: 'Payment' }];
  if (/^cs_\w+$/.test(asked)) return [{ path: `/client-sessions/${asked}`, label: asked, detail: 'Client session' }];
  const card = /^\d{4}$/.test(asked) ? [{ path: list('last_4_digits', asked), label: `•••• ${asked}`, detail: 'Payments by card' }] : [];
  return [
    ...card,
    { path: list('order_id', asked), label: asked, detail: 'Payments of this order' },
    { path: list('customer_id', asked), label: asked, detail: 'Payments of this customer' },
    ...opened,
  ];
}
