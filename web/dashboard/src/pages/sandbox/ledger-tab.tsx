// The sandbox's own ledger: every effect and every refusal.
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { answerOf, api } from '../../app/api.ts';
import { KEYS } from '../../app/query-keys.ts';
import { CopiedId } from '../../parts/copied-id.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Money } from '../../parts/money.tsx';
import { moreOf } from '../../parts/more-rows.tsx';
import { RowCard } from '../../parts/row-card.tsx';
import { Empty } from '../../parts/states.tsx';
import { StatusBadge, statusWords } from '../../parts/status-badge.tsx';
import { When } from '../../parts/when.tsx';
import classes from './sandbox.module.css';
import type { OfSandbox } from './sandbox-search.ts';

const readLedger = (connectionId: string | undefined, cursor: string, signal: AbortSignal) => {
  const query = { ...(cursor !== '' && { cursor }), ...(connectionId !== undefined && { connectionId }) };
  return answerOf(api.GET('/dashboard/api/sandbox/ledger', { params: { query }, signal }));
};
type Line = Awaited<ReturnType<typeof readLedger>>['data'][number];

export function LedgerTab({ connectionId }: OfSandbox): ReactNode {
  const ledger = useInfiniteQuery({
    queryKey: [KEYS.ledger, connectionId ?? ''],
    queryFn: ({ pageParam, signal }) => readLedger(connectionId, pageParam, signal),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  return (
    <>
      <p className={classes['hint']}>
        Oldest first. The service reads it through look-ups alone, as it would read any acquirer.
      </p>
      <DataTable
        label="Ledger"
        columns={COLUMNS}
        rows={ledger.data?.pages.flatMap(({ data: lines }) => lines)}
        rowKey={({ reference }) => reference}
        rowPath={({ paymentId }) => `/payments/${paymentId}`}
        card={(line) => <LineCard line={line} />}
        fault={ledger.error}
        onRetry={() => void ledger.refetch()}
        more={moreOf(ledger)}
        empty={<Empty title="The ledger is empty">Entries appear with the first payment at the sandbox.</Empty>}
      />
    </>
  );
}

const outcomeOf = ({ outcome }: Line): ReactNode => (
  <StatusBadge status={outcome} {...(outcome === 'pending' && { tone: 'busy' as const })} />
);

const LineCard = ({ line }: { readonly line: Line }): ReactNode => (
  <RowCard
    head={<Money amount={line.amount} currencyCode={line.currencyCode} />}
    badge={outcomeOf(line)}
    line={statusWords(line.operation)}
    foot={<When ms={Date.parse(line.at)} as="second" />}
  />
);

const COLUMNS: readonly Column<Line>[] = [
  { id: 'at', header: 'At', cell: ({ at }) => <When ms={Date.parse(at)} as="second" /> },
  { id: 'operation', header: 'Operation', cell: ({ operation }) => statusWords(operation) },
  { id: 'outcome', header: 'Outcome', cell: outcomeOf },
  {
    id: 'amount',
    header: 'Amount',
    align: 'right',
    cell: ({ amount, currencyCode }) => <Money amount={amount} currencyCode={currencyCode} />,
  },
  {
    id: 'payment',
    header: 'Payment',
    cell: ({ paymentId }) => <CopiedId id={paymentId} label="payment id" />,
    isWideOnly: true,
  },
  {
    id: 'transaction',
    header: 'Transaction',
    cell: ({ processorTransactionId }) =>
      processorTransactionId === undefined ? '–' : <CopiedId id={processorTransactionId} label="transaction" />,
    isWideOnly: true,
  },
];
