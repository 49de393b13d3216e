// The transactions of a payment: the sale, then each refund.
import type { ReactNode } from 'react';
import { CopiedId } from '../../parts/copied-id.tsx';
import { Cut } from '../../parts/cut.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Money } from '../../parts/money.tsx';
import { Section } from '../../parts/section.tsx';
import { shortReason } from '../../parts/short-reason.ts';
import { Empty } from '../../parts/states.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { When } from '../../parts/when.tsx';
import type { Payment } from './payment-queries.ts';

type Transaction = Payment['transactions'][number];

const COLUMNS: readonly Column<Transaction>[] = [
  {
    id: 'type',
    header: 'Transaction',
    cell: ({ transactionType }) => (transactionType === 'SALE' ? 'Sale' : 'Refund'),
  },
  {
    id: 'amount',
    header: 'Amount',
    align: 'right',
    cell: ({ amount, currencyCode }) => <Money amount={amount} currencyCode={currencyCode} />,
  },
  { id: 'status', header: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    id: 'processor',
    header: 'Id at the processor',
    isWideOnly: true,
    cell: ({ processorTransactionId }) =>
      processorTransactionId === undefined ? '–' : <CopiedId id={processorTransactionId} label="id at the processor" />,
  },
  {
    id: 'reason',
    header: 'Reason',
    isWideOnly: true,
    cell: ({ reason, statusReason }) => <Cut>{reason ?? shortReason(statusReason?.message) ?? '–'}</Cut>,
  },
  { id: 'date', header: 'Date', align: 'right', isWideOnly: true, cell: ({ date }) => <When ms={Date.parse(date)} /> },
];

const hasReason = ({ reason, statusReason }: Transaction): boolean => (reason ?? statusReason?.message) !== undefined;

export const Transactions = ({ payment: { transactions } }: { readonly payment: Payment }): ReactNode => (
  <Section title="Transactions">
    <DataTable
      label="Transactions"
      columns={transactions.some(hasReason) ? COLUMNS : COLUMNS.filter(({ id }) => id !== 'reason')}
      rows={transactions}
      rowKey={({ id }) => id}
      empty={<Empty title="No transactions" />}
    />
  </Section>
);
