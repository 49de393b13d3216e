// What a text in the search box may name besides payments: a client session by its id, pages by their names.
import type { NavigationEntry } from './navigation-entries.ts';

export interface NamedPlace {
  /** Where it leads: a path without /dashboard. */
  readonly path: string;
  readonly label: string;
  readonly detail: string;
}

/** `pages`: those that the user may open. */
export function placesNamed(text: string, pages: readonly NavigationEntry[]): readonly NamedPlace[] {
  const asked = text.trim();
  if (asked === '') return [];
  if (/^cs_\w+$/.test(asked)) return [{ path: `/client-sessions/${asked}`, label: asked, detail: 'Client session' }];
  const lower = asked.toLowerCase();
  return pages.filter(({ label }) => label.toLowerCase().includes(lower)).map(({ label, to }) => ({ path: to, label, detail: 'Page' }));
}

const PARAMETERS = { orderId: 'order_id', customerId: 'customer_id', last4Digits: 'last_4_digits' } as const;

/** The list of payments with the filter that a search stands for; a path without /dashboard. */
export const listOf = (by: keyof typeof PARAMETERS, text: string): string =>
  `/payments?${PARAMETERS[by]}=${encodeURIComponent(text.trim())}`;
