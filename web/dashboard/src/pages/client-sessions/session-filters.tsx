// The filters of the client sessions: tabs by status, a range of days, an order and a customer.
import { Button, CloseButton, Group, TextInput } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import tabs from '../../parts/tab-row.module.css';
import { DayRange } from '../payments/day-range.tsx';
import bar from '../payments/filter-bar.module.css';
import classes from './client-sessions-page.module.css';
import { type SessionSearch, sessionSearch } from './session-search.ts';

const TABS = [
  { label: 'All', status: undefined },
  { label: 'Open', status: 'OPEN' },
  { label: 'In payment', status: 'IN_PAYMENT' },
  { label: 'Expired', status: 'EXPIRED' },
] as const;

/** Remounted for each search, because the fields start from its values. */
export function SessionFilters({ search }: { readonly search: SessionSearch }): ReactNode {
  const [order, setOrder] = useState(search.order_id ?? '');
  const [customer, setCustomer] = useState(search.customer_id ?? '');
  const navigate = useNavigate();
  const go = (next: SessionSearch): void =>
    void navigate({ to: '/client-sessions', search: sessionSearch(next), resetScroll: false });
  const { status, order_id, customer_id, from_date, to_date } = search;
  const { status: _status, ...others } = search;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    go({ ...search, order_id: order.trim(), customer_id: customer.trim() });
  };
  return (
    <search className={bar['bar']}>
      <nav className={tabs['row']} aria-label="Status">
        {TABS.map((tab) => (
          <Link
            key={tab.label}
            to="/client-sessions"
            search={sessionSearch({ ...others, status: tab.status })}
            className={tabs['tab'] ?? ''}
            activeOptions={{ exact: true, includeSearch: true }}
            activeProps={{}}
            aria-current={tab.status === status ? 'page' : undefined}
            resetScroll={false}
          >
            {tab.label}
          </Link>
        ))}
      </nav>
      <form onSubmit={submit}>
        <Group gap="xs">
          <DayRange
            search={{ ...(from_date !== undefined && { from_date }), ...(to_date !== undefined && { to_date }) }}
            onChange={(days) => go({ ...sessionSearch({ status, order_id, customer_id }), ...days })}
          />
          <Words name="Order" value={order} onChange={setOrder} onClear={() => go({ ...search, order_id: '' })} />
          <Words
            name="Customer"
            value={customer}
            onChange={setCustomer}
            onClear={() => go({ ...search, customer_id: '' })}
          />
          <Button type="submit" variant="default">
            Filter
          </Button>
          {Object.keys(others).length > 0 && (
            <Button variant="subtle" onClick={() => go(sessionSearch({ status }))}>
              Clear all
            </Button>
          )}
        </Group>
      </form>
    </search>
  );
}

interface WordsProps {
  readonly name: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly onClear: () => void;
}

const Words = ({ name, value, onChange, onClear }: WordsProps): ReactNode => (
  <TextInput
    aria-label={name}
    placeholder={name}
    className={classes['words'] ?? ''}
    rightSection={value !== '' && <CloseButton size="sm" aria-label={`Any ${name.toLowerCase()}`} onClick={onClear} />}
    value={value}
    onChange={({ currentTarget }) => onChange(currentTarget.value)}
  />
);
