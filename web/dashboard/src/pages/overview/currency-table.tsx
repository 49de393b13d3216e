// The period in all currencies side by side: volume, refunds and disputes of each.
import type { ReactNode } from 'react';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Money } from '../../parts/money.tsx';
import { PathLink } from '../../parts/path-link.tsx';
import { type Overview, percentText } from './figures.ts';
import classes from './overview.module.css';
import { PAID, paymentsPath } from './period.ts';

type Row = Overview['byCurrency'][number];

const counted = ({ count, amount }: Row['disputed'], currencyCode: string): ReactNode =>
  count === 0 && amount === 0 ? (
    <span className={classes['dim']}>–</span>
  ) : (
    <>
      <Money amount={amount} currencyCode={currencyCode} /> <span className={classes['dim']}>({count})</span>
    </>
  );

const COLUMNS: readonly Column<Row>[] = [
  { id: 'currency', header: 'Currency', cell: ({ currencyCode }) => currencyCode },
  {
    id: 'volume',
    header: 'Volume',
    align: 'right',
    cell: ({ volume, currencyCode }) => <Money amount={volume} currencyCode={currencyCode} />,
  },
  {
    id: 'rate',
    header: 'Authorization rate',
    align: 'right',
    isWideOnly: true,
    cell: ({ authorizationRate }) => percentText(authorizationRate),
  },
  {
    id: 'refunded',
    header: 'Refunded',
    align: 'right',
    isWideOnly: true,
    cell: ({ refunded, currencyCode }) => counted(refunded, currencyCode),
  },
  {
    id: 'disputed',
    header: 'Disputed',
    align: 'right',
    cell: ({ disputed, currencyCode }) =>
      disputed.count === 0 ? (
        counted(disputed, currencyCode)
      ) : (
        <PathLink path="/disputes" className={classes['inTable']}>
          {counted(disputed, currencyCode)}
        </PathLink>
      ),
  },
  {
    id: 'lost',
    header: 'Lost to disputes',
    align: 'right',
    isWideOnly: true,
    cell: ({ disputeLost, currencyCode }) => counted(disputeLost, currencyCode),
  },
];

/** Nothing before the period's first payment. */
export function CurrencyTable({ overview }: { readonly overview: Overview | undefined }): ReactNode {
  if (overview === undefined || overview.byCurrency.length === 0) return null;
  return (
    <section className={classes['currencies']} aria-label="All currencies">
      <h2>All currencies</h2>
      <DataTable
        label="All currencies"
        columns={COLUMNS}
        rows={overview.byCurrency}
        rowKey={({ currencyCode }) => currencyCode}
        rowPath={({ currencyCode }) => paymentsPath({ ...overview, currencyCode }, { status: PAID })}
        empty={null}
      />
    </section>
  );
}
