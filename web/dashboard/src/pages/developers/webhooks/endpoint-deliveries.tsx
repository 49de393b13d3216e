// The deliveries to an endpoint: filters in the URL, a list that grows as it is read, and one delivery in a drawer.
import { Select, TextInput } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useReadAnew } from '../../../app/live-queries.ts';
import { DataTable } from '../../../parts/data-table.tsx';
import { moreOf } from '../../../parts/more-rows.tsx';
import { type PageTab, PageTabs } from '../../../parts/page-tabs.tsx';
import { Empty } from '../../../parts/states.tsx';
import { TimeRange } from '../../../parts/time-range.tsx';
import { DELIVERY_COLUMNS, DeliveryCard, IDLE_DELIVERY_COLUMNS } from './delivery-columns.tsx';
import { DeliveryDrawer } from './delivery-drawer.tsx';
import { DELIVERY_STATUSES, type DeliverySearch, type DeliveryStatus, deliverySearch } from './delivery-search.ts';
import { deliveriesQuery, endpointsQuery, type MessageType, type WebhookEndpoint } from './webhook-queries.ts';
import classes from './webhooks.module.css';

const TITLES: { readonly [S in DeliveryStatus]: string } = {
  failed: 'Failed',
  retrying: 'Retrying',
  waiting: 'Waiting',
  delivered: 'Delivered',
};
const NO_TYPES: readonly MessageType[] = [];

export function EndpointDeliveries({ endpoint }: { readonly endpoint: WebhookEndpoint }): ReactNode {
  const search = deliverySearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const go = (next: DeliverySearch): void =>
    void navigate({
      to: '/developers/webhooks/$endpointId',
      params: { endpointId: endpoint.id },
      search: next,
      replace: true,
      resetScroll: false,
    });
  const types = useQuery(endpointsQuery).data?.types ?? NO_TYPES;
  const { delivery, ...filters } = search;
  const panel = (
    <>
      <Filters filters={filters} types={types} onChange={go} />
      <Rows endpoint={endpoint} search={filters} types={types} onOpen={(id) => go({ ...search, delivery: id })} />
    </>
  );
  const tabs: readonly PageTab<DeliveryStatus | 'all'>[] = [
    { name: 'all', title: 'All', panel },
    ...DELIVERY_STATUSES.map((name) => ({ name, title: TITLES[name], panel })),
  ];
  const choose = (name: DeliveryStatus | 'all'): void => {
    const { status: _before, ...others } = filters;
    go(name === 'all' ? others : { ...others, status: name });
  };
  return (
    <>
      <PageTabs tabs={tabs} chosen={search.status ?? 'all'} onChoose={choose} />
      <DeliveryDrawer id={delivery} onClose={() => go(filters)} />
    </>
  );
}

interface RowsProps {
  readonly endpoint: WebhookEndpoint;
  readonly search: DeliverySearch;
  readonly types: readonly MessageType[];
  readonly onOpen: (id: string) => void;
}

function Rows({ endpoint, search, types, onOpen }: RowsProps): ReactNode {
  const query = deliveriesQuery(endpoint.id, search, types);
  const list = useInfiniteQuery(query);
  const readAnew = useReadAnew(query.queryKey);
  return (
    <DataTable
      label="Deliveries"
      columns={endpoint.state === 'enabled' ? DELIVERY_COLUMNS : IDLE_DELIVERY_COLUMNS}
      rows={list.data?.pages.flatMap(({ data }) => data)}
      rowKey={({ id }) => id}
      onOpen={({ id }) => onOpen(id)}
      card={(one) => <DeliveryCard delivery={one} />}
      fault={list.error}
      onRetry={() => void list.refetch()}
      more={moreOf(list)}
      readAnew={readAnew}
      empty={
        Object.keys(search).length > 0 ? (
          <Empty title="No matching deliveries" />
        ) : (
          <Empty title="No deliveries yet">
            When a payment next changes, this endpoint is notified within a second.
          </Empty>
        )
      }
    />
  );
}

interface FiltersProps {
  readonly filters: DeliverySearch;
  readonly types: readonly MessageType[];
  readonly onChange: (filters: DeliverySearch) => void;
}

function Filters({ filters, types, onChange }: FiltersProps): ReactNode {
  const [payment, setPayment] = useState(filters.payment_id ?? '');
  const { type: _type, ...others } = filters;
  const { payment_id: _payment, ...withoutPayment } = filters;
  const { from_date: _from, to_date: _to, ...withoutTimes } = filters;
  const isId = /^pay_[0-9A-Za-z]{1,64}$/.test(payment.trim());
  const find = (event: FormEvent): void => {
    event.preventDefault();
    if (payment.trim() === '') onChange(withoutPayment);
    else if (isId) onChange({ ...withoutPayment, payment_id: payment.trim() });
  };
  return (
    <form className={classes['filters']} onSubmit={find}>
      <Select
        aria-label="Type"
        placeholder="Type"
        data={[...types]}
        value={filters.type ?? null}
        onChange={(value) => onChange(value === null ? others : { ...others, type: value })}
        clearable
        className={classes['type'] ?? ''}
        size="xs"
      />
      <TextInput
        aria-label="Payment id"
        placeholder="Payment id, then Enter"
        value={payment}
        onChange={({ currentTarget }) => {
          setPayment(currentTarget.value);
          if (currentTarget.value === '' && filters.payment_id !== undefined) onChange(withoutPayment);
        }}
        error={payment.trim() !== '' && !isId && 'A payment id starts with pay_'}
        className={classes['payment'] ?? ''}
        autoComplete="off"
        spellCheck={false}
        size="xs"
      />
      <TimeRange search={filters} onChange={(times) => onChange({ ...withoutTimes, ...times })} size="xs" />
    </form>
  );
}
