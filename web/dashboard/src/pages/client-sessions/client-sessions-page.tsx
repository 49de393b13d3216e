// Client sessions, newest first: what the shop's customers are about to pay, or did not.
import { CloseButton, TextInput } from '@mantine/core';
import { MagnifyingGlassIcon } from '@radix-ui/react-icons';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useReadAnew } from '../../app/live-queries.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Money } from '../../parts/money.tsx';
import { moreOf } from '../../parts/more-rows.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { Empty } from '../../parts/states.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { When } from '../../parts/when.tsx';
import classes from './client-sessions-page.module.css';
import { type SessionSummary, sessionsQuery } from './session-queries.ts';
import { type SessionSearch, sessionSearch } from './session-search.ts';

export const SessionStatus = ({ session: { status, payment } }: { readonly session: SessionSummary }): ReactNode =>
  status === 'IN_PAYMENT' ? (
    <StatusBadge status={payment === undefined ? 'IN_PAYMENT' : `PAYMENT_${payment.status}`} tone="good" />
  ) : (
    <StatusBadge status={status} tone={status === 'OPEN' ? 'busy' : 'quiet'} />
  );

const Nothing = (): ReactNode => <span className={classes['nothing']}>–</span>;

const amountOf = ({ amount, currencyCode }: SessionSummary): ReactNode =>
  amount === undefined || currencyCode === undefined ? <Nothing /> : <Money amount={amount} currencyCode={currencyCode} />;

const COLUMNS: readonly Column<SessionSummary>[] = [
  { id: 'amount', header: 'Amount', align: 'right', width: '140px', cell: amountOf },
  { id: 'status', header: 'Status', width: '200px', cell: (session) => <SessionStatus session={session} /> },
  { id: 'order', header: 'Order', cell: ({ orderId }) => <span className={classes['id']}>{orderId ?? <Nothing />}</span> },
  { id: 'customer', header: 'Customer', cell: ({ customerId }) => <span className={classes['id']}>{customerId ?? <Nothing />}</span> },
  { id: 'made', header: 'Made', align: 'right', width: '160px', cell: ({ createdAt }) => <When ms={Date.parse(createdAt)} /> },
  { id: 'expires', header: 'Expires', align: 'right', width: '160px', cell: ({ expiresAt }) => <When ms={Date.parse(expiresAt)} /> },
];

export function ClientSessionsPage(): ReactNode {
  const search = sessionSearch(useSearch({ strict: false }));
  const query = sessionsQuery(search);
  const list = useInfiniteQuery(query);
  const readAnew = useReadAnew(query.queryKey);
  return (
    <PageFrame
      title="Client sessions"
      lead="One for each checkout. It holds what is to be paid, until a payment takes it over or it expires."
      actions={<OrderFilter key={search.order_id ?? ''} search={search} />}
    >
      <DataTable
        label="Client sessions"
        columns={COLUMNS}
        rows={list.data?.pages.flatMap(({ data }) => data)}
        rowKey={({ id }) => id}
        rowPath={({ id }) => `/client-sessions/${id}`}
        card={(session) => <SessionCard session={session} />}
        fault={list.error}
        onRetry={() => void list.refetch()}
        skeletonRows={12}
        empty={
          search.order_id === undefined ? (
            <Empty title="No client sessions yet">One stands here as soon as the shop’s backend has opened a checkout.</Empty>
          ) : (
            <Empty title="No session of this order">No client session has the order “{search.order_id}” now.</Empty>
          )
        }
        more={moreOf(list)}
        readAnew={readAnew}
      />
    </PageFrame>
  );
}

function OrderFilter({ search }: { readonly search: SessionSearch }): ReactNode {
  const [text, setText] = useState(search.order_id ?? '');
  const navigate = useNavigate();
  const filter = (order: string): void =>
    void navigate({ to: '/client-sessions', search: order === '' ? {} : { order_id: order }, resetScroll: false });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    filter(text.trim());
  };
  return (
    <search>
      <form onSubmit={submit}>
        <TextInput
          aria-label="Order"
          placeholder="Order, then Enter"
          leftSection={<MagnifyingGlassIcon />}
          rightSection={text !== '' && <CloseButton size="sm" aria-label="Show all sessions" onClick={() => filter('')} />}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      </form>
    </search>
  );
}

const SessionCard = ({ session }: { readonly session: SessionSummary }): ReactNode => (
  <span className={classes['card']}>
    <span className={classes['line']}>
      <strong>{amountOf(session)}</strong>
      <SessionStatus session={session} />
    </span>
    <span className={classes['id']}>{session.orderId ?? 'No order yet'}</span>
    <span className={classes['nothing']}>
      <When ms={Date.parse(session.createdAt)} />
    </span>
  </span>
);
