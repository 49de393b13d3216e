// The order of a list: turned by the headers of its columns, and on a narrow screen, which has none, chosen by name.
import { NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Column } from './data-table.tsx';

const ORDERS = {
  newest: { words: 'Newest first', direction: 'descending' },
  oldest: { words: 'Oldest first', direction: 'ascending' },
  largest: { words: 'Largest first', direction: 'descending' },
  smallest: { words: 'Smallest first', direction: 'ascending' },
  deadline: { words: 'By deadline', direction: 'ascending' },
} as const;
export type Order = keyof typeof ORDERS;

/** The orders of a list, by the id of the column whose header turns them: the first click leads to the first one. */
export type Sorts = { readonly [column: string]: readonly [Order, ...Order[]] };

export interface Sorting {
  readonly sorts: Sorts;
  readonly current: Order;
  readonly onChange: (order: Order) => void;
}

/** The columns, with headers that turn the order. */
export const sortedColumns = <C extends Column<never>>(
  columns: readonly C[],
  { sorts, current, onChange }: Sorting,
): readonly C[] =>
  columns.map((column) => {
    const orders = sorts[column.id];
    if (orders === undefined) return column;
    const next = orders[(orders.indexOf(current) + 1) % orders.length] ?? orders[0];
    const direction = orders.includes(current) ? ORDERS[current].direction : undefined;
    return { ...column, sort: { direction, onTurn: () => onChange(next) } };
  });

/** The order by name. Only narrow screens have it. */
export const SortChoice = ({ sorts, current, onChange }: Sorting): ReactNode => (
  <NativeSelect
    aria-label="Sort"
    hiddenFrom="sm"
    value={current}
    onChange={({ currentTarget }) => {
      const chosen = ordersOf(sorts).find((order) => order === currentTarget.value);
      if (chosen !== undefined) onChange(chosen);
    }}
    data={ordersOf(sorts).map((order) => ({ value: order, label: ORDERS[order].words }))}
  />
);

const ordersOf = (sorts: Sorts): readonly Order[] => Object.values(sorts).flat();

/** The order that a URL names, otherwise the first one of the list. */
export const orderIn = (sort: string | undefined, sorts: Sorts): Order => {
  const orders = ordersOf(sorts);
  return orders.find((order) => order === sort) ?? orders[0] ?? 'newest';
};

/** True of the orders that need a currency: amounts of several cannot be compared. */
export const isByAmount = (order: string | undefined): boolean => order === 'largest' || order === 'smallest';

/** The sentence that says why the list has one currency. */
export const AmountNote = ({ currencyCode }: { readonly currencyCode: string | undefined }): ReactNode => (
  <span>By amount, in {currencyCode} only: amounts in different currencies cannot be compared.</span>
);
