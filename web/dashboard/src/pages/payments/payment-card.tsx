// A payment in the list on a narrow screen, where a table would have to be scrolled sideways.
import type { ReactNode } from 'react';
import { CardText } from '../../parts/card-text.tsx';
import { Money } from '../../parts/money.tsx';
import { When } from '../../parts/when.tsx';
import classes from './payment-card.module.css';
import { PaymentStatus } from './payment-columns.tsx';
import type { PaymentItem } from './payment-queries.ts';

export function PaymentCard({ payment }: { readonly payment: PaymentItem }): ReactNode {
  const { amount, currencyCode, orderId, date, paymentMethod } = payment;
  return (
    <span className={classes['card']}>
      <span className={classes['line']}>
        <span className={classes['amount']}>
          <Money amount={amount} currencyCode={currencyCode} />
        </span>
        <PaymentStatus payment={payment} />
      </span>
      <span className={classes['line']}>
        <span className={classes['order']}>{orderId}</span>
        <CardText {...paymentMethod.paymentMethodData} />
      </span>
      <span className={classes['date']}>
        <When ms={Date.parse(date)} />
      </span>
    </span>
  );
}
