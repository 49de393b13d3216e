// A payment in the list on a narrow screen.
import type { ReactNode } from 'react';
import { CardText } from '../../parts/card-text.tsx';
import { Money } from '../../parts/money.tsx';
import { RowCard } from '../../parts/row-card.tsx';
import { When } from '../../parts/when.tsx';
import { PaymentStatus } from './payment-columns.tsx';
import type { PaymentItem } from './payment-queries.ts';

export function PaymentCard({ payment }: { readonly payment: PaymentItem }): ReactNode {
  const { amount, currencyCode, orderId, date, paymentMethod } = payment;
  return (
    <RowCard
      head={<Money amount={amount} currencyCode={currencyCode} />}
      badge={<PaymentStatus payment={payment} />}
      line={orderId}
      aside={<CardText {...paymentMethod.paymentMethodData} />}
      foot={<When ms={Date.parse(date)} />}
    />
  );
}
