// An operator closes an OVER_REFUNDED payment: the processor is not asked, because its refunds are on record already
// (contract §4).
import { maskedText } from '../../domain/card-number/mask.ts';
import { type Rejection, reject } from '../../domain/decider.ts';
import { acceptOverRefund } from '../../domain/payment/over-refund.ts';
import type { KnownPayment, Payment } from '../../domain/payment/payment.ts';
import { openOverRefund } from '../../domain/payment/queries.ts';
import { type ActingUser, operatorContext } from '../../journal/contexts.ts';
import type { Folded } from '../../journal/fold.ts';
import { transact } from '../../journal/transact.ts';
import type { PaymentNeeds } from './needs.ts';

/** The name in lists of attempts. */
export const OVER_REFUNDED = 'OVER_REFUNDED';

export interface OverRefundClosed {
  readonly kind: 'over_refund_closed';
  /** The refunded amount beyond the captured one, minor units. */
  readonly amount: number;
  readonly folded: Folded<Payment>;
}

/**
 * `evidence`: the operator's account of it; card numbers in it are masked. InvalidPaymentStatus for `failed`: every
 * refund is on record as done; or when it is closed meanwhile.
 */
export async function closeOverRefund(
  needs: PaymentNeeds,
  paymentId: string,
  { accountId }: KnownPayment,
  {
    as,
    evidence,
    by,
  }: { readonly as: 'succeeded' | 'failed'; readonly evidence: string; readonly by?: ActingUser | undefined },
): Promise<OverRefundClosed | Rejection> {
  if (as === 'failed')
    return reject(
      'InvalidPaymentStatus',
      `The processor has confirmed every refund of ${paymentId}: only --as succeeded closes it.`,
    );
  await needs.mayWrite();
  const context = operatorContext(needs.world, accountId, by);
  const decide = acceptOverRefund({ source: 'operator', detail: maskedText(evidence) });
  const done = await transact(needs.payments, paymentId, context, decide);
  if (done.kind === 'rejected') return done;
  if (done.kind !== 'written')
    return reject('InvalidPaymentStatus', `${OVER_REFUNDED} of ${paymentId} was closed in the meantime.`);
  return { kind: 'over_refund_closed', amount: openOverRefund(done.before.state), folded: done.folded };
}
