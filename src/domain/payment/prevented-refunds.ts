// A prevented dispute and the processor's list of refunds may show the same money: it counts once (contract §13).
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

/** What a prevented dispute refunded, less its refunds that are on record: by name, or one of its amount. */
export function apartFrom(attempts: readonly Attempt[], { amount, refunds }: DisputeRefunds): DisputeRefunds {
  const onRecord = attempts.filter(isBooked).filter(({ operation }) => operation === 'refund');
  const unnamed = onRecord.find(({ outside, bookedAmount }) => outside === true && bookedAmount === amount);
  if (refunds.length === 0) return { amount: unnamed === undefined ? amount : 0, refunds };
  const known = onRecord.filter(({ processorTransactionId }) => refunds.includes(processorTransactionId));
  return { amount: Math.max(0, amount - known.reduce((sum, { bookedAmount }) => sum + bookedAmount, 0)), refunds };
}
