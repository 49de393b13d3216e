// The columns of the payments list.
import { CardText } from '../../parts/card-text.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { Money } from '../../parts/money.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { When } from '../../parts/when.tsx';
import classes from './payment-columns.module.css';
import type { PaymentItem } from './payment-queries.ts';

interface PaymentColumn extends Column<PaymentItem> {
  /** In the chooser. */
  readonly name: string;
}

export const PAYMENT_COLUMNS: readonly PaymentColumn[] = [
  {
    id: 'amount',
    name: 'Amount',
    header: 'Amount',
    align: 'right',
    width: '140px',
    cell: ({ amount, currencyCode }) => (
      <span className={classes['amount']}>
        <Money amount={amount} currencyCode={currencyCode} />
      </span>
    ),
  },
  {
    id: 'status',
    name: 'Status',
    header: 'Status',
    width: '150px',
    cell: (payment) => <PaymentStatus payment={payment} />,
  },
  {
    id: 'card',
    name: 'Card',
    header: 'Card',
    width: '160px',
    cell: ({ paymentMethod }) => <CardText {...paymentMethod.paymentMethodData} />,
  },
  {
    id: 'order',
    name: 'Order',
    header: 'Order',
    cell: ({ orderId }) => <span className={classes['id']}>{orderId}</span>,
  },
  {
    id: 'customer',
    name: 'Customer',
    header: 'Customer',
    cell: ({ customerId }) => <span className={classes['id']}>{customerId ?? <Nothing />}</span>,
  },
  {
    id: 'captured',
    name: 'Captured',
    header: 'Captured',
    align: 'right',
    cell: (payment) => amountCell(payment, payment.processor.amountCaptured),
  },
  {
    id: 'refunded',
    name: 'Refunded',
    header: 'Refunded',
    align: 'right',
    cell: (payment) => amountCell(payment, payment.processor.amountRefunded),
  },
  { id: 'processor', name: 'Processor', header: 'Processor', cell: ({ processor }) => processor.name },
  { id: 'id', name: 'Payment id', header: 'Payment', cell: ({ id }) => <span className={classes['mono']}>{id}</span> },
  {
    id: 'date',
    name: 'Date',
    header: 'Date',
    align: 'right',
    width: '160px',
    cell: ({ date }) => <When ms={Date.parse(date)} />,
  },
];

/** The others wait in the chooser. */
export const CHOSEN_AT_FIRST: ReadonlySet<string> = new Set(['amount', 'status', 'card', 'order', 'customer', 'date']);

const Nothing = () => <span className={classes['nothing']}>–</span>;

const amountCell = ({ currencyCode }: PaymentItem, amount: number) =>
  amount === 0 ? <Nothing /> : <Money amount={amount} currencyCode={currencyCode} />;

/** The status as the contract has it; money that went back is told beside it, because no status of its own says so. */
export function PaymentStatus({
  payment: { status, processor },
}: {
  readonly payment: Pick<PaymentItem, 'status' | 'processor'>;
}) {
  const { amountCaptured, amountRefunded } = processor;
  if (amountRefunded > 0) {
    const isAll = amountRefunded >= amountCaptured;
    return <StatusBadge status={isAll ? 'REFUNDED' : 'PARTIALLY_REFUNDED'} tone="quiet" />;
  }
  return <StatusBadge status={status} />;
}
