// Disputes: filters, totals, views, CSV, and the chosen ones of them. Those that need a response come first, in the
// order of their deadlines.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useReadAnew } from '../../app/live-queries.ts';
import { ChosenBar } from '../../parts/chosen-bar.tsx';
import { Cut } from '../../parts/cut.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Money } from '../../parts/money.tsx';
import { moreOf } from '../../parts/more-rows.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { RowCard } from '../../parts/row-card.tsx';
import { orderIn, type Sorting, sortedColumns } from '../../parts/sorting.tsx';
import { Empty } from '../../parts/states.tsx';
import { StatusBadge, statusWords } from '../../parts/status-badge.tsx';
import { When } from '../../parts/when.tsx';
import { DisputeFilters } from './dispute-filters.tsx';
import { disputesQuery, disputeTotalsQuery, type ListedDispute } from './dispute-queries.ts';
import { DISPUTE_SORTS, type DisputeSearch, disputeSearch, disputesInOrder } from './dispute-search.ts';
import { reasonWords } from './dispute-words.ts';
import { Due } from './due.tsx';

const dueOf = ({ status, challengeRequiredBy }: ListedDispute): number | undefined =>
  status === 'OPEN' && challengeRequiredBy !== undefined ? Date.parse(challengeRequiredBy) : undefined;

function DueOf({ dispute }: { readonly dispute: ListedDispute }): ReactNode {
  const due = dueOf(dispute);
  return due === undefined ? '–' : <Due ms={due} />;
}

/** The name of the customer, otherwise the customer's id. */
const customerOf = ({ customerName, customerId }: ListedDispute): string | undefined => customerName ?? customerId;

const COLUMNS: readonly Column<ListedDispute>[] = [
  { id: 'amount', header: 'Amount', align: 'right', width: '140px', cell: (dispute) => <Money {...dispute} /> },
  { id: 'status', header: 'Status', width: '130px', cell: ({ status }) => <StatusBadge status={status} /> },
  { id: 'due', header: 'Respond', width: '230px', cell: (dispute) => <DueOf dispute={dispute} /> },
  { id: 'order', header: 'Order', cell: ({ orderId = '–' }) => <Cut>{orderId}</Cut> },
  {
    id: 'customer',
    header: 'Customer',
    cell: (dispute) => <Cut>{customerOf(dispute) ?? '–'}</Cut>,
  },
  { id: 'reason', header: 'Reason', cell: (dispute) => <Cut>{reasonWords(dispute)}</Cut> },
  {
    id: 'opened',
    header: 'Opened',
    align: 'right',
    width: '170px',
    cell: ({ openedAt }) => <When ms={Date.parse(openedAt)} />,
  },
];

const NONE: ReadonlySet<string> = new Set();

export function DisputesPage(): ReactNode {
  const search = disputeSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const go = (next: DisputeSearch): void => void navigate({ to: '/disputes', search: next, resetScroll: false });
  const query = disputesQuery(search);
  const list = useInfiniteQuery(query);
  const readAnew = useReadAnew(query.queryKey);
  const rows = list.data?.pages.flatMap(({ data }) => data);
  const [chosenIds, setChosen] = useState<ReadonlySet<string>>(NONE);
  const chosen = rows?.filter(({ id }) => chosenIds.has(id)) ?? [];
  const totals = useQuery(disputeTotalsQuery(search));
  const mostUsed = totals.data?.currencies[0]?.currencyCode ?? rows?.[0]?.currencyCode;
  const sorting: Sorting = {
    sorts: DISPUTE_SORTS,
    current: orderIn(search.sort, DISPUTE_SORTS),
    onChange: (order) => go(disputesInOrder(search, order, mostUsed)),
  };
  return (
    <PageFrame
      title="Disputes"
      lead="Payments that customers dispute with their card issuer. Respond to an open dispute in time: challenge it with evidence, or accept it."
    >
      <DisputeFilters search={search} onChange={go} sorting={sorting} />
      {chosen.length > 0 && (
        <ChosenBar
          label="Chosen disputes"
          ids={chosen.map(({ paymentId, id }) => `${paymentId}.${id}`)}
          csvPath="/dashboard/api/disputes.csv"
          onClear={() => setChosen(NONE)}
        />
      )}
      <DataTable
        label="Disputes"
        columns={sortedColumns(COLUMNS, sorting)}
        choice={{ chosen: chosenIds, nameOf: ({ orderId, id }) => orderId ?? id, onChange: setChosen }}
        rows={rows}
        rowKey={({ id }) => id}
        rowPath={({ paymentId }) => `/payments/${paymentId}`}
        card={(dispute) => (
          <RowCard
            head={<Money {...dispute} />}
            badge={<StatusBadge status={dispute.status} />}
            line={[dispute.orderId, customerOf(dispute)].filter((one) => one !== undefined).join(' · ')}
            foot={
              dueOf(dispute) === undefined ? (
                <span>
                  {reasonWords(dispute)} · opened <When ms={Date.parse(dispute.openedAt)} />
                </span>
              ) : (
                <span>
                  Respond <DueOf dispute={dispute} />
                </span>
              )
            }
          />
        )}
        fault={list.error}
        onRetry={() => void list.refetch()}
        skeletonRows={8}
        empty={
          search.status === undefined && search.currency_code === undefined ? (
            <Empty title="No disputes">
              Disputes of your payments appear here. To get one in test mode, capture a payment with the card{' '}
              <span style={{ whiteSpace: 'nowrap' }}>4000 0000 0000 0259</span>.
            </Empty>
          ) : (
            <Empty
              title={
                search.status !== undefined && search.currency_code === undefined
                  ? `No dispute is ${statusWords(search.status).toLowerCase()}`
                  : 'No matching disputes'
              }
            />
          )
        }
        more={moreOf(list)}
        readAnew={readAnew}
      />
    </PageFrame>
  );
}
