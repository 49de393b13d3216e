// Disputes. Those that need a response come first, in the order of their deadlines.
import { NativeSelect } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useReadAnew } from '../../app/live-queries.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Money } from '../../parts/money.tsx';
import { moreOf } from '../../parts/more-rows.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { RowCard } from '../../parts/row-card.tsx';
import { Empty } from '../../parts/states.tsx';
import { StatusBadge, statusWords } from '../../parts/status-badge.tsx';
import { When } from '../../parts/when.tsx';
import { disputesQuery, type ListedDispute } from './dispute-queries.ts';
import { DISPUTE_STATUSES, disputeSearch } from './dispute-search.ts';
import { reasonWords } from './dispute-words.ts';
import classes from './disputes-page.module.css';
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
  { id: 'amount', header: 'Amount', width: '140px', cell: (dispute) => <Money {...dispute} /> },
  { id: 'status', header: 'Status', width: '130px', cell: ({ status }) => <StatusBadge status={status} /> },
  { id: 'due', header: 'Respond', width: '210px', cell: (dispute) => <DueOf dispute={dispute} /> },
  { id: 'order', header: 'Order', cell: ({ orderId = '–' }) => <span className={classes['text']}>{orderId}</span> },
  {
    id: 'customer',
    header: 'Customer',
    cell: (dispute) => <span className={classes['text']}>{customerOf(dispute) ?? '–'}</span>,
  },
  { id: 'reason', header: 'Reason', cell: reasonWords },
  {
    id: 'opened',
    header: 'Opened',
    align: 'right',
    width: '170px',
    cell: ({ openedAt }) => <When ms={Date.parse(openedAt)} />,
  },
];

export function DisputesPage(): ReactNode {
  const search = disputeSearch(useSearch({ strict: false }));
  const query = disputesQuery(search);
  const list = useInfiniteQuery(query);
  const readAnew = useReadAnew(query.queryKey);
  return (
    <PageFrame
      title="Disputes"
      lead="Payments that customers dispute with their card issuer. Respond to an open dispute in time: challenge it with evidence, or accept it."
      actions={<StatusFilter status={search.status ?? ''} />}
    >
      <DataTable
        label="Disputes"
        columns={COLUMNS}
        rows={list.data?.pages.flatMap(({ data }) => data)}
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
          search.status === undefined ? (
            <Empty title="No disputes">
              Disputes of your payments appear here. To get one in test mode, capture a payment with the card{' '}
              <span style={{ whiteSpace: 'nowrap' }}>4000 0000 0000 0259</span>.
            </Empty>
          ) : (
            <Empty title={`No dispute is ${statusWords(search.status).toLowerCase()}`} />
          )
        }
        more={moreOf(list)}
        readAnew={readAnew}
      />
    </PageFrame>
  );
}

function StatusFilter({ status }: { readonly status: string }): ReactNode {
  const navigate = useNavigate();
  return (
    <NativeSelect
      aria-label="Status"
      value={status}
      onChange={({ currentTarget }) =>
        void navigate({ to: '/disputes', search: disputeSearch({ status: currentTarget.value }), resetScroll: false })
      }
      data={[
        { value: '', label: 'All statuses' },
        ...DISPUTE_STATUSES.map((one) => ({ value: one, label: statusWords(one) })),
      ]}
    />
  );
}
