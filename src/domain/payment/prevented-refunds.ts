// A prevented dispute and the processor's list of refunds may show the same money: it counts once (contract §4).
import { type Attempt, isBooked } from './attempt.ts';
import type { Dispute } from './payment.ts';

interface ShownRefund {
  /** The processor's own name for it. */
  readonly name: string;
  /** Minor units. */
  readonly amount: number;
}
type DisputeRefunds = NonNullable<Dispute['refunded']>;

/**
 * Those of the processor's refunds that no prevented dispute explains. A dispute that names none explains one of its
 * amount.
 */
export function unexplained<Refund extends ShownRefund>(
  disputes: readonly Dispute[],
  refunds: readonly Refund[],
): readonly Refund[] {
  let left = refunds;
  for (const { refunded } of disputes) {
    if (refunded === undefined) continue;
    const { amount, refunds: names } = refunded;
    const unnamed = names.length > 0 ? undefined : left.find((refund) => refund.amount === amount);
    left = left.filter((refund) => refund !== unnamed && !names.includes(refund.name));
  }
  return left;
}

/** What a prevented dispute refunded, less its refunds that are on record. */
export function apartFrom(attempts: readonly Attempt[], { amount, refunds }: DisputeRefunds): DisputeRefunds {
  const onRecord = attempts
    .filter(isBooked)
    .filter(
      ({ operation, processorTransactionId }) => operation === 'refund' && refunds.includes(processorTransactionId),
    )
    .reduce((sum, { bookedAmount }) => sum + bookedAmount, 0);
  return { amount: Math.max(0, amount - onRecord), refunds };
}
