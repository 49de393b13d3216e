// Revenue at risk: suspended agreements, by what their customers have to do and since when, with the amounts of their
// next periods.
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Cut } from '../../parts/cut.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Money } from '../../parts/money.tsx';
import { RowCard } from '../../parts/row-card.tsx';
import { revenueAtRiskQuery } from '../agreements/agreement-queries.ts';
import type { RevenueAtRisk as Risk } from '../agreements/agreement-types.ts';
import { ACTION_WORDS } from '../agreements/agreement-words.ts';
import classes from './overview.module.css';

type Row = Risk['data'][number];

const AGE_WORDS: { readonly [A in Row['age']]: string } = {
  WEEK: 'Up to a week',
  MONTH: 'Up to 30 days',
  LONGER: 'Longer',
};

const COLUMNS: readonly Column<Row>[] = [
  { id: 'action', header: 'What is needed', cell: ({ action }) => <Cut>{ACTION_WORDS[action]}</Cut> },
  { id: 'age', header: 'Suspended for', cell: ({ age }) => AGE_WORDS[age] },
  {
    id: 'count',
    header: 'Agreements',
    align: 'right',
    cell: ({ count }) => <span className="numbers">{count}</span>,
  },
  {
    id: 'amount',
    header: 'Next periods',
    align: 'right',
    cell: ({ amount, currencyCode }) => <Money amount={amount} currencyCode={currencyCode} />,
  },
];

/** Nothing while no agreement is suspended. */
export function RevenueAtRisk(): ReactNode {
  const { data } = useQuery(revenueAtRiskQuery);
  if (data === undefined || data.data.length === 0) return null;
  return (
    <section className={classes['currencies']} aria-label="Revenue at risk">
      <h2>Revenue at risk</h2>
      <DataTable
        label="Revenue at risk"
        columns={COLUMNS}
        rows={data.data}
        rowKey={({ action, age, currencyCode }) => `${action} ${age} ${currencyCode}`}
        rowPath={() => '/agreements?status=SUSPENDED'}
        card={({ action, age, count, ...money }) => (
          <RowCard
            head={<Money {...money} />}
            badge={`${count} ${count === 1 ? 'agreement' : 'agreements'}`}
            line={ACTION_WORDS[action]}
            foot={`Suspended for: ${AGE_WORDS[age].toLowerCase()}`}
          />
        )}
        empty={null}
      />
      {data.isMore && <p className={classes['dim']}>Only the newest 1,000 suspended agreements are added up.</p>}
    </section>
  );
}
