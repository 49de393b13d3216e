// The filters of the client sessions: tabs by status, a range of time, an order and a customer.
import { Button, CloseButton, Group, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { ExportCsv } from '../../parts/export-csv.tsx';
import bar from '../../parts/filter-bar.module.css';
import { SavedViews } from '../../parts/saved-views.tsx';
import { SortChoice, type Sorting } from '../../parts/sorting.tsx';
import tabs from '../../parts/tab-row.module.css';
import { TimeRange } from '../../parts/time-range.tsx';
import { TotalsLine } from '../../parts/totals-line.tsx';
import classes from './client-sessions-page.module.css';
import { sessionTotalsQuery } from './session-queries.ts';
import { type SessionSearch, sessionSearch } from './session-search.ts';

interface Tab {
  readonly label: string;
  readonly search: Pick<SessionSearch, 'status' | 'derived_status'>;
}

const TABS: readonly Tab[] = [
  { label: 'All', search: {} },
  { label: 'Open', search: { status: 'OPEN' } },
  { label: 'In payment', search: { status: 'IN_PAYMENT' } },
  { label: 'Refund not known', search: { derived_status: 'REFUND_NOT_KNOWN' } },
  { label: 'Disputed', search: { derived_status: 'DISPUTED' } },
  { label: 'Dispute lost', search: { derived_status: 'DISPUTE_LOST' } },
  { label: 'Expired', search: { status: 'EXPIRED' } },
];

const isTab = ({ search }: Tab, { status, derived_status }: SessionSearch): boolean =>
  search.status === status && search.derived_status === derived_status;

/** Remounted for each search, because the fields start from its values. */
interface SessionFiltersProps {
  readonly search: SessionSearch;
  readonly sorting: Sorting;
}

export function SessionFilters({ search, sorting }: SessionFiltersProps): ReactNode {
  const [order, setOrder] = useState(search.order_id ?? '');
  const [customer, setCustomer] = useState(search.customer_id ?? '');
  const navigate = useNavigate();
  const go = (next: SessionSearch): void =>
    void navigate({ to: '/client-sessions', search: sessionSearch(next), resetScroll: false });
  const { order_id, customer_id, from_date, to_date, sort } = search;
  const totals = useQuery(sessionTotalsQuery(search));
  const { status, derived_status, ...others } = search;
  const narrowing = Object.keys(others).filter((name) => name !== 'sort');
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
            search={sessionSearch({ ...others, ...tab.search })}
            className={tabs['tab'] ?? ''}
            activeOptions={{ exact: true, includeSearch: true }}
            activeProps={{}}
            aria-current={isTab(tab, search) ? 'page' : undefined}
            resetScroll={false}
          >
            {tab.label}
          </Link>
        ))}
      </nav>
      <form onSubmit={submit}>
        <Group gap="xs" justify="space-between">
          <Group gap="xs">
            <TimeRange
              search={{ ...(from_date !== undefined && { from_date }), ...(to_date !== undefined && { to_date }) }}
              onChange={(times) =>
                go({ ...sessionSearch({ status, derived_status, order_id, customer_id, sort }), ...times })
              }
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
            {narrowing.length > 0 && (
              <Button variant="subtle" onClick={() => go(sessionSearch({ status, derived_status, sort }))}>
                Clear all
              </Button>
            )}
          </Group>
          <Group gap="xs">
            <SortChoice {...sorting} />
            <SavedViews list="client-sessions" search={sessionSearch(search)} />
            <ExportCsv path="/dashboard/api/client-sessions.csv" search={sessionSearch(search)} />
          </Group>
        </Group>
      </form>
      <TotalsLine
        totals={totals.data}
        isOld={totals.isPlaceholderData}
        nouns={['client session', 'client sessions']}
        amounts="session amounts"
      />
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
