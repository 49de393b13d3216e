// The columns of agreements in lists, and a row on a narrow screen.
import type { ReactNode } from 'react';
import { Cut } from '../../parts/cut.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { RowCard } from '../../parts/row-card.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { When } from '../../parts/when.tsx';
import type { Agreement } from './agreement-types.ts';
import { termsText } from './agreement-words.ts';
import { NextTry } from './next-try.tsx';

const terms: Column<Agreement> = {
  id: 'terms',
  header: 'Terms',
  cell: (agreement) => (
    <Cut>
      {termsText(agreement)} · <bdi>{agreement.terms.description}</bdi>
    </Cut>
  ),
};
const status: Column<Agreement> = {
  id: 'status',
  header: 'Status',
  width: '130px',
  cell: ({ status: its }) => <StatusBadge status={its} />,
};
const next: Column<Agreement> = {
  id: 'next',
  header: 'Next try',
  cell: (agreement) => (
    <Cut>
      <NextTry agreement={agreement} />
    </Cut>
  ),
};

/** Where the page names the customer. */
export const CUSTOMER_AGREEMENT_COLUMNS: readonly Column<Agreement>[] = [terms, status, next];

export const AGREEMENT_COLUMNS: readonly Column<Agreement>[] = [
  terms,
  status,
  next,
  { id: 'customer', header: 'Customer', cell: ({ customerId }) => <Cut>{customerId}</Cut> },
  {
    id: 'charged',
    header: 'Charged',
    align: 'right',
    width: '90px',
    cell: ({ usage }) => <span className="numbers">{usage.succeeded}</span>,
  },
  {
    id: 'date',
    header: 'Created',
    align: 'right',
    width: '150px',
    cell: ({ date }) => <When ms={Date.parse(date)} />,
  },
];

export const AgreementCard = ({ agreement }: { readonly agreement: Agreement }): ReactNode => (
  <RowCard
    head={termsText(agreement)}
    badge={<StatusBadge status={agreement.status} />}
    line={
      <>
        <bdi>{agreement.customerId}</bdi> · <bdi>{agreement.terms.description}</bdi>
      </>
    }
    foot={<NextTry agreement={agreement} />}
  />
);
