// The items of an order: its lines, fees and shipping, each with its amount.
import type { ReactNode } from 'react';
import type { components } from '../app/api-types.d.ts';
import { Cut } from './cut.tsx';
import { type Column, DataTable } from './data-table.tsx';
import { Money } from './money.tsx';

type Order = components['schemas']['AnsweredOrder'];

export interface OrderItem {
  readonly key: string;
  readonly name: string;
  readonly quantity: number;
  /** Minor units, as all of these. Of one piece. */
  readonly amount: number;
  /** All pieces, without the discount and with the tax. */
  readonly total: number;
}

/** As the service counts it (contract §3). */
const totalOf = ({
  amount,
  quantity = 1,
  discountAmount = 0,
  taxAmount = 0,
}: NonNullable<Order['lineItems']>[number]): number => amount * quantity - discountAmount + taxAmount;

export const itemsOf = (order: Order | undefined): readonly OrderItem[] => [
  ...(order?.lineItems ?? []).map((line, at) => ({
    key: `item ${at}`,
    name: line.name ?? line.description ?? line.itemId ?? 'Item',
    quantity: line.quantity ?? 1,
    amount: line.amount,
    total: totalOf(line),
  })),
  ...(order?.fees ?? []).map(({ type, description, amount }, at) => ({
    key: `fee ${at}`,
    name: description ?? type ?? 'Fee',
    quantity: 1,
    amount,
    total: amount,
  })),
  ...(order?.shipping?.amount === undefined
    ? []
    : [
        {
          key: 'shipping',
          name: order.shipping.methodName ?? 'Shipping',
          quantity: 1,
          amount: order.shipping.amount,
          total: order.shipping.amount,
        },
      ]),
];

interface OrderItemsProps {
  readonly order: Order | undefined;
  /** Undefined for a session that has none yet: amounts are then in minor units. */
  readonly currencyCode: string | undefined;
  /** Shown in place of the table if there are no items. */
  readonly empty: ReactNode;
}

export const OrderItems = ({ order, currencyCode, empty }: OrderItemsProps): ReactNode => (
  <DataTable
    label="Items"
    columns={columnsOf(currencyCode)}
    rows={itemsOf(order)}
    rowKey={({ key }) => key}
    empty={empty}
  />
);

function columnsOf(currencyCode: string | undefined): readonly Column<OrderItem>[] {
  const money = (amount: number): ReactNode =>
    currencyCode === undefined ? amount : <Money amount={amount} currencyCode={currencyCode} />;
  return [
    { id: 'name', header: 'Item', cell: ({ name }) => <Cut>{name}</Cut> },
    {
      id: 'quantity',
      header: 'Quantity',
      align: 'right',
      cell: ({ quantity }) => <span className="numbers">{quantity}</span>,
    },
    { id: 'amount', header: 'Price', align: 'right', isWideOnly: true, cell: ({ amount }) => money(amount) },
    { id: 'total', header: 'Total', align: 'right', cell: ({ total }) => money(total) },
  ];
}
