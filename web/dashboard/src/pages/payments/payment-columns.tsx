// The columns of the payments list.

import { CopiedId } from '../../parts/copied-id.tsx';
import { CustomerText } from '../../parts/customer-name.tsx';
import { Cut } from '../../parts/cut.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { MethodText } from '../../parts/method-text.tsx';
import { Money } from '../../parts/money.tsx';
import { PaymentStatus } from '../../parts/payment-status.tsx';
import { shortReason } from '../../parts/short-reason.ts';
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
    cell: (payment) => <PaymentStatus payment={payment} derived={payment.derivedStatus} />,
  },
  {
    id: 'card',
    name: 'Method',
    header: 'Method',
    width: '160px',
    cell: ({ paymentMethod }) => <MethodText {...paymentMethod} />,
  },
  {
    id: 'order',
    name: 'Order',
    header: 'Order',
    cell: ({ orderId }) => <Cut>{orderId}</Cut>,
  },
  {
    id: 'customer',
    name: 'Customer',
    header: 'Customer',
    cell: ({ customerId, customerName }) => (
      <Cut>
        <CustomerText customerId={customerId} customerName={customerName} nothing={<Nothing />} />
      </Cut>
    ),
  },
  {
    id: 'customerId',
    name: 'Customer id',
    header: 'Customer id',
    cell: ({ customerId }) => <Cut>{customerId ?? <Nothing />}</Cut>,
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
  {
    id: 'reason',
    name: 'Reason',
    header: 'Reason',
    cell: ({ reason }) => <Cut>{shortReason(reason?.message) ?? <Nothing />}</Cut>,
  },
  { id: 'processor', name: 'Processor', header: 'Processor', cell: ({ processor }) => <Cut>{processor.name}</Cut> },
  { id: 'id', name: 'Payment id', header: 'Payment', cell: ({ id }) => <CopiedId id={id} label="payment id" /> },
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

/** In a list of declined payments. */
export const CHOSEN_OF_DECLINED: ReadonlySet<string> = new Set([...CHOSEN_AT_FIRST, 'reason']);

const Nothing = () => <span className={classes['nothing']}>–</span>;

const amountCell = ({ currencyCode }: PaymentItem, amount: number) =>
  amount === 0 ? <Nothing /> : <Money amount={amount} currencyCode={currencyCode} />;
