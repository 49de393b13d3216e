// Client sessions: filters, totals, views, CSV, and the chosen ones of them.
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useReadAnew } from '../../app/live-queries.ts';
import { ChosenBar } from '../../parts/chosen-bar.tsx';
import { CustomerText } from '../../parts/customer-name.tsx';
import { Cut } from '../../parts/cut.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Money } from '../../parts/money.tsx';
import { moreOf } from '../../parts/more-rows.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { SessionPaymentStatus } from '../../parts/payment-status.tsx';
import { RowCard } from '../../parts/row-card.tsx';
import { orderIn, type Sorting, type Sorts, sortedColumns } from '../../parts/sorting.tsx';
import { Empty } from '../../parts/states.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { When } from '../../parts/when.tsx';
import classes from './client-sessions-page.module.css';
import { SessionFilters } from './session-filters.tsx';
import { type SessionSummary, sessionsQuery } from './session-queries.ts';
import { type SessionSearch, sessionSearch } from './session-search.ts';

export const SessionStatus = ({ session: { status, payment } }: { readonly session: SessionSummary }): ReactNode =>
  status === 'IN_PAYMENT' && payment !== undefined ? (
    <SessionPaymentStatus payment={payment} derived={payment.derivedStatus} />
  ) : (
    <StatusBadge status={status} tone={status === 'EXPIRED' ? 'quiet' : 'busy'} />
  );

const Nothing = (): ReactNode => <span className={classes['nothing']}>–</span>;

const amountOf = ({ amount, currencyCode }: SessionSummary): ReactNode =>
  amount === undefined || currencyCode === undefined ? (
    <Nothing />
  ) : (
    <Money amount={amount} currencyCode={currencyCode} />
  );

const COLUMNS: readonly Column<SessionSummary>[] = [
  { id: 'amount', header: 'Amount', align: 'right', width: '140px', cell: amountOf },
  { id: 'status', header: 'Status', width: '200px', cell: (session) => <SessionStatus session={session} /> },
  {
    id: 'order',
    header: 'Order',
    cell: ({ orderId }) => <Cut>{orderId ?? <Nothing />}</Cut>,
  },
  {
    id: 'customer',
    header: 'Customer',
    cell: ({ customerId, customerName }) => (
      <Cut>
        <CustomerText customerId={customerId} customerName={customerName} nothing={<Nothing />} />
      </Cut>
    ),
  },
  {
    id: 'made',
    header: 'Created',
    align: 'right',
    width: '160px',
    cell: ({ createdAt }) => <When ms={Date.parse(createdAt)} />,
  },
  {
    id: 'expires',
    header: 'Expires',
    align: 'right',
    width: '160px',
    cell: ({ expiresAt }) => <When ms={Date.parse(expiresAt)} />,
  },
];

const NONE: ReadonlySet<string> = new Set();
const SORTS: Sorts = { made: ['newest', 'oldest'] };
const isUnfiltered = ({ sort: _sort, ...filters }: SessionSearch): boolean => Object.keys(filters).length === 0;

export function ClientSessionsPage(): ReactNode {
  const search = sessionSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const sorting: Sorting = {
    sorts: SORTS,
    current: orderIn(search.sort, SORTS),
    onChange: (order) =>
      void navigate({ to: '/client-sessions', search: sessionSearch({ ...search, sort: order }), resetScroll: false }),
  };
  const query = sessionsQuery(search);
  const list = useInfiniteQuery(query);
  const readAnew = useReadAnew(query.queryKey);
  const rows = list.data?.pages.flatMap(({ data }) => data);
  const [chosenIds, setChosen] = useState<ReadonlySet<string>>(NONE);
  const chosen = rows?.filter(({ id }) => chosenIds.has(id)) ?? [];
  return (
    <PageFrame
      title="Client sessions"
      lead="One for each checkout. A session holds the order and the amount until it is paid or expires."
    >
      <SessionFilters key={JSON.stringify(search)} search={search} sorting={sorting} />
      {chosen.length > 0 && (
        <ChosenBar
          label="Chosen client sessions"
          ids={chosen.map(({ id }) => id)}
          csvPath="/dashboard/api/client-sessions.csv"
          onClear={() => setChosen(NONE)}
        />
      )}
      <DataTable
        label="Client sessions"
        columns={sortedColumns(COLUMNS, sorting)}
        choice={{ chosen: chosenIds, nameOf: ({ orderId, id }) => orderId ?? id, onChange: setChosen }}
        rows={rows}
        rowKey={({ id }) => id}
        rowPath={({ id }) => `/client-sessions/${id}`}
        card={(session) => <SessionCard session={session} />}
        fault={list.error}
        onRetry={() => void list.refetch()}
        skeletonRows={12}
        empty={
          isUnfiltered(search) ? (
            <Empty title="No client sessions yet">Sessions appear here once your backend opens a checkout.</Empty>
          ) : (
            <Empty title="No matching sessions">No client session matches all of these filters.</Empty>
          )
        }
        more={moreOf(list)}
        readAnew={readAnew}
      />
    </PageFrame>
  );
}

const SessionCard = ({ session }: { readonly session: SessionSummary }): ReactNode => (
  <RowCard
    head={amountOf(session)}
    badge={<SessionStatus session={session} />}
    line={session.orderId ?? 'No order yet'}
    foot={<When ms={Date.parse(session.createdAt)} />}
  />
);
