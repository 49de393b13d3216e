// A payment as a row of a list on a narrow screen.
import type { ReactNode } from 'react';
import { NameOf } from '../../parts/customer-name.tsx';
import { MethodText } from '../../parts/method-text.tsx';
import { Money } from '../../parts/money.tsx';
import { PaymentStatus } from '../../parts/payment-status.tsx';
import { RowCard } from '../../parts/row-card.tsx';
import { shortReason } from '../../parts/short-reason.ts';
import { When } from '../../parts/when.tsx';
import type { PaymentItem } from './payment-queries.ts';

interface PaymentCardProps {
  readonly payment: PaymentItem;
  /** True in a list of tall cards, where the reason of a refusal has a line of its own. */
  readonly hasReason?: boolean;
}

export function PaymentCard({ payment, hasReason = false }: PaymentCardProps): ReactNode {
  const { amount, currencyCode, orderId, customerName, date, paymentMethod, reason } = payment;
  return (
    <RowCard
      head={<Money amount={amount} currencyCode={currencyCode} />}
      badge={<PaymentStatus payment={payment} derived={payment.derivedStatus} />}
      line={orderId}
      aside={<MethodText {...paymentMethod} />}
      foot={
        <>
          <When ms={Date.parse(date)} />
          {customerName !== undefined && (
            <>
              {' · '}
              <NameOf {...customerName} />
            </>
          )}
        </>
      }
      {...(hasReason && { last: shortReason(reason?.message) ?? '–' })}
    />
  );
}
