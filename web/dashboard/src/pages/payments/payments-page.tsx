// Payments: every filter in the URL, a list that grows as it is read, totals, views, columns to choose, CSV, and what
// can be done with several at once.
import { Button } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { useReadAnew } from '../../app/live-queries.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { ExportCsv } from '../../parts/export-csv.tsx';
import { moreOf } from '../../parts/more-rows.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { SavedViews } from '../../parts/saved-views.tsx';
import { isByAmount, type Order, orderIn, SortChoice, type Sorts, sortedColumns } from '../../parts/sorting.tsx';
import { Empty } from '../../parts/states.tsx';
import { ChosenPayments } from './chosen-payments.tsx';
import { ColumnChooser, useHiddenColumns } from './column-chooser.tsx';
import { FilterBar } from './filter-bar.tsx';
import { PaymentCard } from './payment-card.tsx';
import { CHOSEN_AT_FIRST, CHOSEN_OF_DECLINED, PAYMENT_COLUMNS } from './payment-columns.tsx';
import { filterCount, hasOneCurrency, isOfDeclined, type PaymentSearch, paymentSearch } from './payment-filters.ts';
import { type PaymentsPart, paymentsQuery, totalsQuery } from './payment-queries.ts';

const NONE: ReadonlySet<string> = new Set();

const SORTS: Sorts = { date: ['newest', 'oldest'], amount: ['largest', 'smallest'] };

/** The filters and the order without another order. */
const inOrder = ({ sort: _sort, ...search }: PaymentSearch, order: Order): PaymentSearch =>
  order === 'newest' ? search : { ...search, sort: order };

export function PaymentsPage(): ReactNode {
  const inUrl = useSearch({ strict: false });
  const search = useMemo(() => paymentSearch(inUrl), [inUrl]);
  const navigate = useNavigate();
  const change = useCallback(
    (next: PaymentSearch): void =>
      void navigate({ to: '/payments', search: paymentSearch({ ...next }), resetScroll: false }),
    [navigate],
  );
  const query = paymentsQuery(search);
  const list = useInfiniteQuery(query);
  const readAnew = useReadAnew(query.queryKey);
  const ofAll = useHiddenColumns('payments', PAYMENT_COLUMNS, CHOSEN_AT_FIRST);
  const ofDeclined = useHiddenColumns('declined-payments', PAYMENT_COLUMNS, CHOSEN_OF_DECLINED);
  const hasReasons = isOfDeclined(search);
  const [hidden, setHidden] = hasReasons ? ofDeclined : ofAll;
  const rows = list.data?.pages.flatMap(({ data }) => data);
  const [chosenIds, setChosen] = useState<ReadonlySet<string>>(NONE);
  // those that a filter has taken out of the list are not acted on
  const chosen = rows?.filter(({ id }) => chosenIds.has(id)) ?? [];
  const isSorted = search.show === undefined;
  const totals = useQuery({ ...totalsQuery(search), enabled: isSorted });
  const mostUsed = totals.data?.currencies[0]?.currencyCode ?? rows?.[0]?.currencyCode;
  const sorting = useMemo(
    () => ({
      sorts: SORTS,
      current: orderIn(search.sort, SORTS),
      onChange: (order: Order): void => {
        const next = inOrder(search, order);
        // Amounts of several currencies have no order, so the list keeps the currency of most payments.
        const needsCurrency = isByAmount(order) && !hasOneCurrency(search);
        change(needsCurrency && mostUsed !== undefined ? { ...next, currency_code: mostUsed } : next);
      },
    }),
    [search, change, mostUsed],
  );
  const columns = useMemo(
    () => (isSorted ? sortedColumns(PAYMENT_COLUMNS, sorting) : PAYMENT_COLUMNS),
    [isSorted, sorting],
  );
  const { show: _show, ...filters } = search;
  return (
    <PageFrame title="Payments">
      <FilterBar
        search={search}
        onChange={change}
        order={isSorted && <SortChoice {...sorting} />}
        actions={
          <>
            <SavedViews list="payments" search={{ ...search }} />
            <ColumnChooser columns={PAYMENT_COLUMNS} hidden={hidden} onChange={setHidden} />
            {search.show === undefined && <ExportCsv path="/dashboard/api/payments.csv" search={filters} />}
          </>
        }
      />
      {chosen.length > 0 && <ChosenPayments chosen={chosen} onClear={() => setChosen(NONE)} />}
      <DataTable
        label="Payments"
        columns={columns}
        choice={{ chosen: chosenIds, nameOf: ({ orderId }) => orderId, onChange: setChosen }}
        hidden={hidden}
        rows={rows}
        rowKey={({ id }) => id}
        rowPath={({ id }) => `/payments/${id}`}
        card={(payment) => <PaymentCard payment={payment} hasReason={hasReasons} />}
        isTall={hasReasons}
        fault={list.error}
        onRetry={() => void list.refetch()}
        skeletonRows={12}
        empty={<NoPayments search={search} pending={list.data?.pages[0]?.pending} onClear={() => change({})} />}
        more={moreOf(list)}
        readAnew={readAnew}
      />
    </PageFrame>
  );
}

interface NoPaymentsProps {
  readonly search: PaymentSearch;
  readonly pending: PaymentsPart['pending'];
  readonly onClear: () => void;
}

function NoPayments({ search, pending, onClear }: NoPaymentsProps): ReactNode {
  if (search.show === 'unresolved') return <Empty title="No unknown outcomes">{pendingWords(pending)}</Empty>;
  if (filterCount(search) > 0)
    return (
      <Empty
        title="No matching payments"
        action={
          <Button variant="default" onClick={onClear}>
            Show all payments
          </Button>
        }
      >
        No payment matches all of these filters.
      </Empty>
    );
  return <Empty title="No payments yet">Payments appear here once your shop authorizes one.</Empty>;
}

/** A pending operation is not unknown: the processor accepted it and will report its outcome on its own initiative. */
function pendingWords(pending: PaymentsPart['pending']): string {
  if (pending === undefined || pending.count === 0) return 'The processor has reported the outcome of every operation.';
  const { count, isMore } = pending;
  const payments = `${count}${isMore ? ' or more' : ''} ${count === 1 ? 'payment has' : 'payments have'}`;
  return `${payments} a pending operation. The processor accepted it and will report its outcome.`;
}
