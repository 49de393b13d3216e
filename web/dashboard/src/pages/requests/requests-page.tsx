// The request log: the newest requests of the account's keys and checkouts, with filters that the address has.
import { CloseButton, Select, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useMemo, useState } from 'react';
import { CopiedId } from '../../parts/copied-id.tsx';
import { Cut } from '../../parts/cut.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { durationText } from '../../parts/duration.ts';
import { moreOf } from '../../parts/more-rows.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { RowCard } from '../../parts/row-card.tsx';
import { shortId } from '../../parts/short-id.ts';
import { Empty } from '../../parts/states.tsx';
import { TimeRange } from '../../parts/time-range.tsx';
import { When } from '../../parts/when.tsx';
import { Caller, type KnownKeys, keyText, useKnownKeys } from './caller.tsx';
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

const columnsOf = (keys: KnownKeys): readonly Column<LoggedRequest>[] => [
  { id: 'status', header: 'Status', width: '84px', cell: ({ status }) => <StatusCode status={status} /> },
  {
    id: 'request',
    header: 'Request',
    cell: ({ method, route, errorId }) => (
      <Cut>
        <code className={classes['request']}>
          {method} {route}
        </code>
        {errorId !== undefined && <span className={classes['error']}>{errorId}</span>}
      </Cut>
    ),
  },
  {
    id: 'caller',
    header: 'Caller',
    isWideOnly: true,
    cell: (asked) => <Caller asked={asked} keys={keys} />,
  },
  {
    id: 'payment',
    header: 'Payment',
    isWideOnly: true,
    width: '140px',
    cell: ({ paymentId }) => paymentId !== undefined && <CopiedId id={paymentId} label="payment id" />,
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

interface RequestCardProps {
  readonly asked: LoggedRequest;
  readonly keys: KnownKeys;
}

const RequestCard = ({ asked, keys }: RequestCardProps): ReactNode => {
  const { method, route, status, errorId, durationMs, date } = asked;
  return (
    <RowCard
      head={
        <code>
          {method} {route}
        </code>
      }
      badge={<StatusCode status={status} />}
      line={errorId ?? <Caller asked={asked} keys={keys} isText />}
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
  const keys = useKnownKeys();
  const columns = useMemo(() => columnsOf(keys), [keys]);
  const { request, ...filters } = search;
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <PageFrame
      title="Request log"
      lead="The newest 1,000 requests with the account's API keys, and the newest 1,000 from its checkouts. Bodies and credentials are not stored. Times are of the business clock."
    >
      <Filters
        key={filters.diagnostics_id ?? ''}
        filters={filters}
        routes={list.data?.pages[0]?.routes ?? []}
        keyIds={list.data?.pages[0]?.keyIds ?? []}
        keys={keys}
        onChange={go}
      />
      <DataTable
        label="Requests"
        columns={columns}
        rows={list.data?.pages.flatMap((page) => page.data)}
        rowKey={({ id }) => id}
        onOpen={({ id }) => go({ ...search, request: id })}
        card={(asked) => <RequestCard asked={asked} keys={keys} />}
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
  readonly keys: KnownKeys;
  readonly onChange: (filters: RequestSearch) => void;
}

function Filters({ filters, routes, keyIds, keys, onChange }: FiltersProps): ReactNode {
  const { from_date: _from, to_date: _to, ...withoutTimes } = filters;
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
      data: withChosen(keyIds, filters.key).map((id) => ({ value: id, label: keyText(id, keys) })),
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
      <DiagnosticsId asked={filters.diagnostics_id} onAsk={set('diagnostics_id')} />
      <TimeRange size="xs" search={filters} onChange={(times) => onChange({ ...withoutTimes, ...times })} />
      {filters.payment !== undefined && (
        <span className={classes['chip']}>
          Payment {shortId(filters.payment)}
          <CloseButton size="xs" aria-label="Requests of every payment" onClick={() => set('payment')(null)} />
        </span>
      )}
    </div>
  );
}

interface DiagnosticsIdProps {
  readonly asked: string | undefined;
  readonly onAsk: (id: string | null) => void;
}

function DiagnosticsId({ asked = '', onAsk }: DiagnosticsIdProps): ReactNode {
  const [id, setId] = useState(asked);
  const find = (event: FormEvent): void => {
    event.preventDefault();
    onAsk(id.trim() === '' ? null : id.trim());
  };
  return (
    <form onSubmit={find} className={classes['diagnostics']}>
      <TextInput
        aria-label="Diagnostics id"
        placeholder="Diagnostics id, then Enter"
        value={id}
        onChange={({ currentTarget: { value } }) => {
          setId(value);
          if (value === '' && asked !== '') onAsk(null);
        }}
        maxLength={255}
        autoComplete="off"
        spellCheck={false}
        size="xs"
      />
    </form>
  );
}
