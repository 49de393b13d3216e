// The status of a payment as lists, pages and the search show it.
import type { ReactNode } from 'react';
import type { components } from '../app/api-types.d.ts';
import { StatusBadge } from './status-badge.tsx';

type ListedPayment = components['schemas']['ListedPayment'];

interface PaymentStatusProps {
  readonly payment: Pick<ListedPayment, 'status' | 'processor'>;
  readonly derived: ListedPayment['derivedStatus'];
}

/**
 * The status as the contract has it, or in its place what it does not say: an open or a lost dispute, a refund whose
 * outcome is unknown, and money that went back.
 */
export function PaymentStatus({ payment: { status, processor }, derived }: PaymentStatusProps): ReactNode {
  if (derived !== undefined) return <StatusBadge status={derived} />;
  const { amountCaptured, amountRefunded } = processor;
  if (amountRefunded > 0) {
    const isAll = amountRefunded >= amountCaptured;
    return <StatusBadge status={isAll ? 'REFUNDED' : 'PARTIALLY_REFUNDED'} tone="quiet" />;
  }
  return <StatusBadge status={status} />;
}
