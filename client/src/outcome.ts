// Decides if a payment includes the processor's report on a call, so that PENDING never counts as done.
import type { Payment, PaymentStatus } from './types.ts';

/** The operations whose outcome may come later. */
export type PaymentOperation = 'authorize' | 'capture' | 'cancel' | 'refund' | 'adjust';

/** The statuses in which a report of the processor ends an authorization. An unknown status counts as open. */
const AUTHORIZATION_ENDED: ReadonlySet<PaymentStatus> = new Set([
  'AUTHORIZED',
  'SETTLED',
  'PARTIALLY_SETTLED',
  'DECLINED',
  'FAILED',
  'CANCELLED',
]);

/**
 * False for a 202 (the call to the processor has no answer) and for a 200 with the effect still pending (a notification
 * follows). `wanted`: the total that an adjustment asked for, minor units.
 */
export function outcomeKnown(operation: PaymentOperation, status: number, payment: Payment, wanted?: number): boolean {
  if (status !== 200) return false;
  const { processor } = payment;
  switch (operation) {
    case 'authorize':
      return AUTHORIZATION_ENDED.has(payment.status);
    case 'capture':
      return payment.status === 'SETTLED' || payment.status === 'PARTIALLY_SETTLED';
    case 'cancel':
      return (
        payment.status === 'CANCELLED' ||
        (payment.status === 'PARTIALLY_SETTLED' && (processor.amountCapturable ?? 0) === 0)
      );
    case 'refund': {
      const newest = payment.transactions.findLast(({ transactionType }) => transactionType === 'REFUND');
      return newest?.status === 'SETTLED' || newest?.status === 'FAILED';
    }
    case 'adjust':
      return processor.amountAuthorized === wanted;
    default:
      return operation satisfies never;
  }
}
