// One customer: totals by currency, payments, saved cards, agreements and disputes.
import { type InfiniteData, queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { answerOf, api } from '../../app/api.ts';
import type { components } from '../../app/api-types.d.ts';
import { KEYS } from '../../app/query-keys.ts';
import { useUser } from '../../app/session.tsx';
import { NameOf, nameText } from '../../parts/customer-name.tsx';
import { Cut } from '../../parts/cut.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Facts } from '../../parts/facts.tsx';
import { expiryText, MethodText } from '../../parts/method-text.tsx';
import { Money } from '../../parts/money.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { PathLink } from '../../parts/path-link.tsx';
import { PaymentStatus } from '../../parts/payment-status.tsx';
import { Section } from '../../parts/section.tsx';
import { Empty, Failed, Loading } from '../../parts/states.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { WayBack } from '../../parts/way-back.tsx';
import { When } from '../../parts/when.tsx';
import { AgreementCard, CUSTOMER_AGREEMENT_COLUMNS } from '../agreements/agreement-columns.tsx';
import { agreementsQuery } from '../agreements/agreement-queries.ts';
import { reasonWords } from '../disputes/dispute-words.ts';
import { type Instrument, instrumentsQuery } from '../instruments/instrument-queries.ts';
import { InstrumentState } from '../instruments/instrument-state.tsx';
import { PaymentCard } from '../payments/payment-card.tsx';
import { type PaymentItem, paymentsQuery } from '../payments/payment-queries.ts';
import classes from './customer-page.module.css';
import { EraseCustomer } from './erase-customer.tsx';

type Customer = components['schemas']['CustomerPage'];

/** Rows of payments and of cards; the lists have the others. */
const SHOWN = 10;

const customerQueryOf = (customerId: string) =>
  queryOptions({
    queryKey: [KEYS.payments, 'customer', customerId],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/dashboard/api/customer', { params: { query: { customer_id: customerId } }, signal })),
  });

export function CustomerPage({ customerId }: { readonly customerId: string }): ReactNode {
  const read = useQuery(customerQueryOf(customerId));
  if (read.data === undefined)
    return (
      <PageFrame title="Customer">
        {read.error === null ? (
          <Loading height={480} what="Loading the customer" />
        ) : (
          <Failed fault={read.error} onRetry={() => void read.refetch()} />
        )}
      </PageFrame>
    );
  return <Shown customer={read.data} />;
}

function Shown({ customer }: { readonly customer: Customer }): ReactNode {
  const { customerId, customerName, disputes } = customer;
  const { role } = useUser();
  return (
    <>
      <WayBack to="/customers" words="Customers" id={customerId} label="customer id" />
      <PageFrame title={customerName === undefined ? customerId : nameText(customerName)}>
        <div className={classes['columns']}>
          <div className={classes['main']}>
            <Section title="Totals">
              <DataTable
                label="Totals by currency"
                columns={TOTALS}
                rows={customer.totals}
                rowKey={({ currencyCode }) => currencyCode}
                empty={<Empty title="No captured payment yet">Totals appear once a payment is captured.</Empty>}
              />
            </Section>
            <Payments customerId={customerId} />
            <Cards customerId={customerId} />
            <Agreements customerId={customerId} />
            <Section title="Disputes">
              <DataTable
                label="Disputes of this customer"
                columns={DISPUTES}
                rows={disputes.data}
                rowKey={({ id, paymentId }) => `${paymentId} ${id}`}
                rowPath={({ paymentId }) => `/payments/${paymentId}`}
                empty={<Empty title="No disputes" />}
              />
              {disputes.count > disputes.data.length && (
                <p className={classes['rest']}>
                  The newest {disputes.data.length} of {disputes.count} disputes.
                </p>
              )}
            </Section>
          </div>
          <aside className={classes['aside']} aria-label="About this customer">
            <Section title="Customer">
              <About customer={customer} />
              {role === 'owner' && <EraseCustomer customerId={customerId} />}
            </Section>
          </aside>
        </div>
      </PageFrame>
    </>
  );
}

function About({ customer }: { readonly customer: Customer }): ReactNode {
  const { customerId, customerName, emailAddress, payments, firstSeenAt, lastSeenAt } = customer;
  return (
    <Facts
      facts={[
        { name: 'Name', value: customerName && <NameOf {...customerName} /> },
        { name: 'E-mail', value: emailAddress },
        { name: 'Customer id', value: <bdi>{customerId}</bdi> },
        { name: 'Payments', value: <span className="numbers">{payments}</span> },
        { name: 'First seen', value: firstSeenAt && <When ms={Date.parse(firstSeenAt)} as="second" /> },
        { name: 'Last seen', value: lastSeenAt && <When ms={Date.parse(lastSeenAt)} as="second" /> },
        {
          name: 'Checkouts',
          value: (
            <Link to="/client-sessions" search={{ customer_id: customerId }}>
              Client sessions
            </Link>
          ),
        },
      ]}
    />
  );
}

interface FirstPage<Row> {
  readonly rows: readonly Row[] | undefined;
  readonly hasMore: boolean;
}

/** The first rows of a list, and whether the list has more. */
function firstOf<Row>(
  data: InfiniteData<{ readonly data: readonly Row[]; readonly nextCursor?: string | undefined }> | undefined,
): FirstPage<Row> {
  const [page] = data?.pages ?? [];
  return {
    rows: page?.data.slice(0, SHOWN),
    hasMore: page !== undefined && (page.data.length > SHOWN || page.nextCursor !== undefined),
  };
}

function Payments({ customerId }: { readonly customerId: string }): ReactNode {
  const list = useInfiniteQuery(paymentsQuery({ customer_id: customerId }));
  const { rows, hasMore } = firstOf(list.data);
  return (
    <Section
      title="Payments"
      action={hasMore && <PathLink path={listPath('/payments', customerId)}>All payments</PathLink>}
    >
      <DataTable
        label="Payments of this customer"
        columns={PAYMENTS}
        rows={rows}
        rowKey={({ id }) => id}
        rowPath={({ id }) => `/payments/${id}`}
        card={(payment) => <PaymentCard payment={payment} />}
        fault={list.error}
        onRetry={() => void list.refetch()}
        skeletonRows={3}
        empty={<Empty title="No payments yet">The customer has not paid.</Empty>}
      />
    </Section>
  );
}

function Cards({ customerId }: { readonly customerId: string }): ReactNode {
  const list = useInfiniteQuery(instrumentsQuery({ customer_id: customerId }));
  const { rows, hasMore } = firstOf(list.data);
  return (
    <Section
      title="Cards"
      action={hasMore && <PathLink path={listPath('/instruments', customerId)}>All cards</PathLink>}
    >
      <DataTable
        label="Saved cards of this customer"
        columns={CARDS}
        rows={rows}
        rowKey={({ token }) => token}
        rowPath={({ token }) => `/instruments/${token}`}
        fault={list.error}
        onRetry={() => void list.refetch()}
        skeletonRows={1}
        empty={<Empty title="No saved cards" />}
      />
    </Section>
  );
}

function Agreements({ customerId }: { readonly customerId: string }): ReactNode {
  const list = useInfiniteQuery(agreementsQuery({ customer_id: customerId }));
  const { rows, hasMore } = firstOf(list.data);
  return (
    <Section
      title="Agreements"
      action={hasMore && <PathLink path={listPath('/agreements', customerId)}>All agreements</PathLink>}
    >
      <DataTable
        label="Agreements of this customer"
        columns={CUSTOMER_AGREEMENT_COLUMNS}
        rows={rows}
        rowKey={({ id }) => id}
        rowPath={({ id }) => `/agreements/${id}`}
        card={(agreement) => <AgreementCard agreement={agreement} />}
        fault={list.error}
        onRetry={() => void list.refetch()}
        skeletonRows={1}
        empty={<Empty title="No agreements" />}
      />
    </Section>
  );
}

const listPath = (path: '/payments' | '/instruments' | '/agreements', customerId: string): string =>
  `${path}?customer_id=${encodeURIComponent(customerId)}`;

type Totals = Customer['totals'][number];
const totalOf =
  (total: 'captured' | 'refunded' | 'lost') =>
  ({ currencyCode, ...totals }: Totals): ReactNode =>
    totals[total] === 0 ? (
      <span className={classes['nothing']}>–</span>
    ) : (
      <Money amount={totals[total]} currencyCode={currencyCode} />
    );
const TOTALS: readonly Column<Totals>[] = [
  { id: 'currency', header: 'Currency', isWideOnly: true, cell: ({ currencyCode }) => currencyCode },
  { id: 'captured', header: 'Captured', align: 'right', cell: totalOf('captured') },
  { id: 'refunded', header: 'Refunded', align: 'right', cell: totalOf('refunded') },
  { id: 'lost', header: 'Lost in disputes', align: 'right', cell: totalOf('lost') },
];

const PAYMENTS: readonly Column<PaymentItem>[] = [
  {
    id: 'amount',
    header: 'Amount',
    align: 'right',
    width: '130px',
    cell: ({ amount, currencyCode }) => <Money amount={amount} currencyCode={currencyCode} />,
  },
  {
    id: 'status',
    header: 'Status',
    width: '170px',
    cell: (payment) => <PaymentStatus payment={payment} derived={payment.derivedStatus} />,
  },
  { id: 'order', header: 'Order', cell: ({ orderId }) => <Cut>{orderId}</Cut> },
  { id: 'date', header: 'Date', align: 'right', width: '150px', cell: ({ date }) => <When ms={Date.parse(date)} /> },
];

const CARDS: readonly Column<Instrument>[] = [
  { id: 'card', header: 'Card', cell: (instrument) => <MethodText {...instrument} /> },
  {
    id: 'expires',
    header: 'Expires',
    isWideOnly: true,
    cell: (instrument) => <span className="numbers">{expiryText(instrument) ?? '–'}</span>,
  },
  {
    id: 'state',
    header: 'State',
    cell: (instrument) => (
      <>
        <InstrumentState instrument={instrument} />
        {instrument.default && <span className={classes['default']}>Default</span>}
      </>
    ),
  },
];

type Dispute = Customer['disputes']['data'][number];
const DISPUTES: readonly Column<Dispute>[] = [
  { id: 'amount', header: 'Amount', align: 'right', width: '130px', cell: (dispute) => <Money {...dispute} /> },
  { id: 'status', header: 'Status', width: '170px', cell: ({ status }) => <StatusBadge status={status} /> },
  { id: 'reason', header: 'Reason', isWideOnly: true, cell: (dispute) => <Cut>{reasonWords(dispute)}</Cut> },
  {
    id: 'opened',
    header: 'Opened',
    align: 'right',
    width: '150px',
    cell: ({ openedAt }) => <When ms={Date.parse(openedAt)} />,
  },
];
