// Customers by their last payment, or one of them: the id in the address says which page it is.
import { CloseButton, TextInput } from '@mantine/core';
import { MagnifyingGlassIcon } from '@radix-ui/react-icons';
import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { answerOf, api } from '../../app/api.ts';
import type { components } from '../../app/api-types.d.ts';
import { useReadAnew } from '../../app/live-queries.ts';
import { KEYS } from '../../app/query-keys.ts';
import { CustomerText } from '../../parts/customer-name.tsx';
import { Cut } from '../../parts/cut.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Money } from '../../parts/money.tsx';
import { moreOf } from '../../parts/more-rows.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { RowCard } from '../../parts/row-card.tsx';
import { Empty } from '../../parts/states.tsx';
import { When } from '../../parts/when.tsx';
import { CustomerPage } from './customer-page.tsx';
import { customerSearch } from './customer-search.ts';
import classes from './customers-page.module.css';

type Customer = components['schemas']['CustomerList']['data'][number];

const PAGE = 50;
/** Currencies in a cell; the customer's own page has all. */
const MOST_CURRENCIES = 2;

const customersQuery = (text: string) =>
  infiniteQueryOptions({
    queryKey: [KEYS.payments, 'customers', text],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: PAGE, ...(text !== '' && { text }), ...(pageParam !== '' && { cursor: pageParam }) };
      return answerOf(api.GET('/dashboard/api/customers', { params: { query }, signal }));
    },
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

export function CustomersPage(): ReactNode {
  const { customer_id: customerId, text = '' } = customerSearch(useSearch({ strict: false }));
  return customerId === undefined ? <CustomerList key={text} text={text} /> : <CustomerPage customerId={customerId} />;
}

function CustomerList({ text }: { readonly text: string }): ReactNode {
  const query = customersQuery(text);
  const list = useInfiniteQuery(query);
  const readAnew = useReadAnew(query.queryKey);
  return (
    <PageFrame
      title="Customers"
      lead="Customers with a payment, by the id that your shop gave, the newest payment first."
      actions={<CustomerFilter text={text} />}
    >
      <DataTable
        label="Customers"
        columns={COLUMNS}
        rows={list.data?.pages.flatMap(({ data }) => data)}
        rowKey={({ customerId }) => customerId}
        rowPath={({ customerId }) => `/customers?customer_id=${encodeURIComponent(customerId)}`}
        card={(customer) => <CustomerCard customer={customer} />}
        fault={list.error}
        onRetry={() => void list.refetch()}
        skeletonRows={12}
        empty={
          text === '' ? (
            <Empty title="No customers yet">
              Customers appear here once a payment has a customer id (<code>customerId</code>).
            </Empty>
          ) : (
            <Empty title="No customer found">
              No customer with a payment has the id or the whole e-mail address “<bdi>{text}</bdi>”.
            </Empty>
          )
        }
        more={moreOf(list)}
        readAnew={readAnew}
      />
    </PageFrame>
  );
}

function CustomerFilter({ text }: { readonly text: string }): ReactNode {
  const [typed, setTyped] = useState(text);
  const navigate = useNavigate();
  const filter = (wanted: string): void =>
    void navigate({ to: '/customers', search: customerSearch({ text: wanted }), resetScroll: false });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    filter(typed.trim());
  };
  return (
    <search>
      <form onSubmit={submit}>
        <TextInput
          aria-label="Customer id or e-mail address"
          placeholder="Id or whole e-mail, then Enter"
          leftSection={<MagnifyingGlassIcon />}
          rightSection={
            typed !== '' && <CloseButton size="sm" aria-label="Show all customers" onClick={() => filter('')} />
          }
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      </form>
    </search>
  );
}

type Total = 'captured' | 'refunded' | 'lost';

/** The sums of the first currencies; a dash if all are 0. */
function totalOf(total: Total) {
  return function TotalCell({ totals }: Customer): ReactNode {
    const sums = totals.filter((one) => Number(one[total]) > 0);
    if (sums.length === 0) return <span className={classes['dim']}>–</span>;
    const more = sums.length - MOST_CURRENCIES;
    return (
      <span>
        {sums.slice(0, MOST_CURRENCIES).map(({ currencyCode, ...one }, index) => (
          <span key={currencyCode}>
            {index > 0 && ', '}
            <Money amount={one[total]} currencyCode={currencyCode} />
          </span>
        ))}
        {more > 0 && <span className={classes['dim']}> +{more}</span>}
      </span>
    );
  };
}
const Captured = totalOf('captured');

const COLUMNS: readonly Column<Customer>[] = [
  {
    id: 'customer',
    header: 'Customer',
    cell: (customer) => (
      <Cut>
        <CustomerText {...customer} nothing="" />
      </Cut>
    ),
  },
  {
    id: 'email',
    header: 'E-mail',
    cell: ({ emailAddress }) =>
      emailAddress === undefined ? (
        <span className={classes['dim']}>–</span>
      ) : (
        <Cut>
          <bdi>{emailAddress}</bdi>
        </Cut>
      ),
  },
  {
    id: 'payments',
    header: 'Payments',
    align: 'right',
    width: '110px',
    cell: ({ payments }) => <span className="numbers">{payments}</span>,
  },
  { id: 'captured', header: 'Captured', align: 'right', cell: Captured },
  { id: 'refunded', header: 'Refunded', align: 'right', width: '150px', cell: totalOf('refunded') },
  { id: 'lost', header: 'Lost in disputes', align: 'right', width: '150px', cell: totalOf('lost') },
  {
    id: 'last',
    header: 'Last payment',
    align: 'right',
    width: '160px',
    cell: ({ lastSeenAt }) => <When ms={Date.parse(lastSeenAt)} />,
  },
];

const CustomerCard = ({ customer }: { readonly customer: Customer }): ReactNode => (
  <RowCard
    head={<CustomerText {...customer} nothing="" />}
    badge={<Captured {...customer} />}
    line={
      <bdi>{customer.emailAddress ?? (customer.customerName === undefined ? 'No e-mail' : customer.customerId)}</bdi>
    }
    foot={
      <span>
        {customer.payments === 1 ? '1 payment' : `${customer.payments} payments`}, last{' '}
        <When ms={Date.parse(customer.lastSeenAt)} />
      </span>
    }
  />
);
