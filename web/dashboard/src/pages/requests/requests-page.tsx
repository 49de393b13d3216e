// The request log: the newest requests of the account's keys and checkouts, with filters that the address has.
import { CloseButton, Select } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { durationText } from '../../parts/duration.ts';
import { moreOf } from '../../parts/more-rows.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { RowCard } from '../../parts/row-card.tsx';
import { shortId } from '../../parts/short-id.ts';
import { Empty } from '../../parts/states.tsx';
import { When } from '../../parts/when.tsx';
import { RequestDrawer } from './request-drawer.tsx';
import {
  type LoggedRequest,
  METHODS,
  type RequestSearch,
  readSearch,
  requestsQuery,
  STATUSES,
} from './request-queries.ts';
import classes from './requests.module.css';
import { StatusCode } from './status-code.tsx';

const COLUMNS: readonly Column<LoggedRequest>[] = [
  { id: 'status', header: 'Status', width: '84px', cell: ({ status }) => <StatusCode status={status} /> },
  {
    id: 'request',
    header: 'Request',
    cell: ({ method, route, errorId }) => (
      <span className={classes['request']}>
        <code>
          {method} {route}
        </code>
        {errorId !== undefined && <span className={classes['dim']}>{errorId}</span>}
      </span>
    ),
  },
  {
    id: 'caller',
    header: 'Caller',
    isWideOnly: true,
    cell: ({ keyId, checkoutSessionId }) => (
      <code className={classes['caller']}>{shortId(keyId ?? checkoutSessionId)}</code>
    ),
  },
  {
    id: 'payment',
    header: 'Payment',
    isWideOnly: true,
    cell: ({ paymentId }) => <code className={classes['caller']}>{shortId(paymentId)}</code>,
  },
  {
    id: 'took',
    header: 'Took',
    align: 'right',
    width: '92px',
    isWideOnly: true,
    cell: ({ durationMs }) => durationText(durationMs),
  },
  {
    id: 'time',
    header: 'Time',
    align: 'right',
    width: '190px',
    cell: ({ date }) => <When ms={Date.parse(date)} as="second" />,
  },
];

const RequestCard = ({ asked }: { readonly asked: LoggedRequest }): ReactNode => {
  const { method, route, status, errorId, keyId, checkoutSessionId, durationMs, date } = asked;
  return (
    <RowCard
      head={
        <code>
          {method} {route}
        </code>
      }
      badge={<StatusCode status={status} />}
      line={errorId ?? <code className={classes['caller']}>{shortId(keyId ?? checkoutSessionId)}</code>}
      aside={<span className="numbers">{durationText(durationMs)}</span>}
      foot={<When ms={Date.parse(date)} as="second" />}
    />
  );
};

export function RequestsPage(): ReactNode {
  const search = readSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const go = (next: RequestSearch): void => void navigate({ to: '/developers/requests', search: next, replace: true });
  const list = useInfiniteQuery(requestsQuery(search));
  const { request, ...filters } = search;
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <PageFrame
      title="Request log"
      lead="The newest 1,000 requests with the account's API keys, and the newest 1,000 from its checkouts. Bodies and credentials are not stored."
    >
      <Filters
        filters={filters}
        routes={list.data?.pages[0]?.routes ?? []}
        keyIds={list.data?.pages[0]?.keyIds ?? []}
        onChange={go}
      />
      <DataTable
        label="Requests"
        columns={COLUMNS}
        rows={list.data?.pages.flatMap((page) => page.data)}
        rowKey={({ id }) => id}
        onOpen={({ id }) => go({ ...search, request: id })}
        card={(asked) => <RequestCard asked={asked} />}
        fault={list.error}
        onRetry={() => void list.refetch()}
        more={moreOf(list)}
        empty={
          isFiltered ? (
            <Empty title="No matching requests" />
          ) : (
            <Empty title="No requests yet">Every API call appears here within a second.</Empty>
          )
        }
      />
      <RequestDrawer
        id={request}
        onClose={() => {
          const { request: _closed, ...left } = search;
          go(left);
        }}
      />
    </PageFrame>
  );
}

interface FiltersProps {
  readonly filters: RequestSearch;
  readonly routes: readonly string[];
  readonly keyIds: readonly string[];
  readonly onChange: (filters: RequestSearch) => void;
}

function Filters({ filters, routes, keyIds, onChange }: FiltersProps): ReactNode {
  const set = (name: keyof RequestSearch) => (value: string | null) => {
    const { [name]: _before, ...others } = filters;
    onChange(value === null ? others : { ...others, [name]: value });
  };
  const withChosen = (values: readonly string[], chosen: string | undefined): string[] => [
    ...new Set([...values, ...(chosen === undefined ? [] : [chosen])]),
  ];
  const choices = [
    { name: 'status', label: 'Status', data: [...STATUSES] },
    { name: 'method', label: 'Method', data: [...METHODS] },
    { name: 'route', label: 'Route', data: withChosen(routes, filters.route) },
    {
      name: 'key',
      label: 'API key',
      data: withChosen(keyIds, filters.key).map((id) => ({ value: id, label: shortId(id) })),
    },
  ] as const;
  return (
    <div className={classes['filters']}>
      {choices.map(({ name, label, data }) => (
        <Select
          key={name}
          aria-label={label}
          placeholder={label}
          data={[...data]}
          value={filters[name] ?? null}
          onChange={set(name)}
          clearable
          searchable={name === 'route'}
          className={classes[name] ?? ''}
          size="xs"
        />
      ))}
      {filters.payment !== undefined && (
        <span className={classes['chip']}>
          Payment {shortId(filters.payment)}
          <CloseButton size="xs" aria-label="Requests of every payment" onClick={() => set('payment')(null)} />
        </span>
      )}
    </div>
  );
}
