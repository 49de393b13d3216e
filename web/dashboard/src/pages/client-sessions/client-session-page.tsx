// One client session: the amount, the customer, and the payments that used it. Its token is never shown.
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CopyText } from '../../parts/copy.tsx';
import { CustomerText } from '../../parts/customer-name.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { type Fact, Facts } from '../../parts/facts.tsx';
import { Money } from '../../parts/money.tsx';
import { OrderItems } from '../../parts/order-items.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { PaymentStatus } from '../../parts/payment-status.tsx';
import { Section } from '../../parts/section.tsx';
import { Empty, Failed, Loading } from '../../parts/states.tsx';
import { visibleJson } from '../../parts/visible-json.ts';
import { WayBack } from '../../parts/way-back.tsx';
import { When } from '../../parts/when.tsx';
import classes from './client-session-page.module.css';
import { SessionStatus } from './client-sessions-page.tsx';
import { type SessionDetail, sessionQueryOf } from './session-queries.ts';

export function ClientSessionPage(): ReactNode {
  const { sessionId = '' } = useParams({ strict: false });
  const read = useQuery(sessionQueryOf(sessionId));
  if (read.data === undefined)
    return (
      <PageFrame title="Client session">
        {read.error === null ? (
          <Loading height={480} what="Loading the session" />
        ) : (
          <Failed fault={read.error} onRetry={() => void read.refetch()} />
        )}
      </PageFrame>
    );
  return <Shown session={read.data} />;
}

function Shown({ session: { summary, fields, payments } }: { readonly session: SessionDetail }): ReactNode {
  const { currencyCode } = summary;
  return (
    <>
      <WayBack to="/client-sessions" words="Client sessions" id={summary.id} label="session id" />
      <PageFrame title={summary.orderId ?? 'Client session'} aside={<SessionStatus session={summary} />}>
        <div className={classes['columns']}>
          <div className={classes['main']}>
            <Section title="Payments">
              <DataTable
                label="Payments of this session"
                columns={PAYMENT_COLUMNS}
                rows={payments}
                rowKey={({ id }) => id}
                rowPath={({ id }) => `/payments/${id}`}
                empty={<Empty title="No payments yet">The customer has not paid.</Empty>}
              />
            </Section>
            <Section title="Items">
              <OrderItems
                order={fields.order}
                currencyCode={currencyCode}
                empty={<Empty title="No items">The session names an amount alone, or nothing yet.</Empty>}
              />
            </Section>
          </div>
          <aside className={classes['aside']} aria-label="About this session">
            <Section title="Session">
              <Facts facts={factsOf(summary)} />
            </Section>
            <Section title="All fields">
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard has to reach it */}
              <pre className={classes['json']} tabIndex={0}>
                {visibleJson(JSON.stringify(fields, undefined, 2))}
              </pre>
            </Section>
          </aside>
        </div>
      </PageFrame>
    </>
  );
}

const factsOf = (summary: SessionDetail['summary']): readonly Fact[] => {
  const { amount, currencyCode, orderId, customerId, customerName, createdAt, expiresAt } = summary;
  return [
    {
      name: 'Amount',
      value:
        amount === undefined || currencyCode === undefined ? (
          '–'
        ) : (
          <Money amount={amount} currencyCode={currencyCode} />
        ),
    },
    {
      name: 'Order',
      value:
        orderId === undefined ? (
          '–'
        ) : (
          <Link to="/payments" search={{ order_id: orderId }}>
            {orderId}
          </Link>
        ),
    },
    {
      name: 'Customer',
      value:
        customerId === undefined ? (
          '–'
        ) : (
          <Link to="/customers" search={{ customer_id: customerId }}>
            <CustomerText customerId={customerId} customerName={customerName} nothing="–" />
          </Link>
        ),
    },
    { name: 'Created', value: <When ms={Date.parse(createdAt)} as="second" /> },
    { name: 'Expires', value: <When ms={Date.parse(expiresAt)} as="second" /> },
    { name: 'Id', value: <CopyText text={summary.id} label="session id" /> },
  ];
};

type Payment = SessionDetail['payments'][number];
const PAYMENT_COLUMNS: readonly Column<Payment>[] = [
  {
    id: 'amount',
    header: 'Amount',
    align: 'right',
    cell: ({ amount, currencyCode }) => <Money amount={amount} currencyCode={currencyCode} />,
  },
  {
    id: 'status',
    header: 'Status',
    cell: (payment) => <PaymentStatus payment={payment} derived={payment.derivedStatus} />,
  },
  { id: 'date', header: 'Date', align: 'right', cell: ({ date }) => <When ms={Date.parse(date)} /> },
];
