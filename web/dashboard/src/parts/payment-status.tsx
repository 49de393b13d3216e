// The status of a payment as lists, pages, the search and its client session show it.
import type { ReactNode } from 'react';
import type { components } from '../app/api-types.d.ts';
import { StatusBadge, toneOf } from './status-badge.tsx';

type ListedPayment = components['schemas']['ListedPayment'];

interface ShownPayment {
  readonly status: ListedPayment['status'];
  readonly processor: Pick<ListedPayment['processor'], 'amountCaptured' | 'amountRefunded'>;
}

/** What the status does not say: an open or a lost dispute, a refund whose outcome is unknown, money that went back. */
function shownInPlace({ processor }: ShownPayment, derived: ListedPayment['derivedStatus']): string | undefined {
  if (derived !== undefined) return derived;
  const { amountCaptured, amountRefunded } = processor;
  if (amountRefunded === 0) return undefined;
  return amountRefunded >= amountCaptured ? 'REFUNDED' : 'PARTIALLY_REFUNDED';
}

interface PaymentStatusProps {
  readonly payment: ShownPayment;
  readonly derived: ListedPayment['derivedStatus'];
}

export const PaymentStatus = ({ payment, derived }: PaymentStatusProps): ReactNode => (
  <StatusBadge status={shownInPlace(payment, derived) ?? payment.status} />
);

/** The same of a client session: `Payment settled`, but `Disputed`, which only a payment can be. */
export const SessionPaymentStatus = ({ payment, derived }: PaymentStatusProps): ReactNode => {
  const inPlace = shownInPlace(payment, derived);
  return inPlace === undefined ? (
    <StatusBadge status={`PAYMENT_${payment.status}`} tone={toneOf(payment.status)} />
  ) : (
    <StatusBadge status={inPlace} />
  );
};
