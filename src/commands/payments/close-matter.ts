// An operator closes what is open of a payment as a whole: OVER_REFUNDED, or DIFFERS. The processor is not asked,
// because what it showed is on record already (contract §4).
import { maskedText } from '../../domain/card-number/mask.ts';
import { type Rejection, reject } from '../../domain/decider.ts';
import { acceptOverRefund } from '../../domain/payment/over-refund.ts';
import type { KnownPayment, Payment } from '../../domain/payment/payment.ts';
import { openOverRefund } from '../../domain/payment/queries.ts';
import { acceptDifference, isDifferenceOpen } from '../../domain/payment/standing.ts';
import { type ActingUser, operatorContext } from '../../journal/contexts.ts';
import type { Folded } from '../../journal/fold.ts';
import { transact } from '../../journal/transact.ts';
import type { PaymentNeeds } from './needs.ts';

/** The names in lists of attempts. */
const MATTERS = ['OVER_REFUNDED', 'DIFFERS'] as const;
export type WholeMatter = (typeof MATTERS)[number];

export interface MatterClosed {
  readonly kind: 'matter_closed';
  readonly matter: WholeMatter;
  /** OVER_REFUNDED: the refunded amount beyond the captured one, minor units. */
  readonly amount?: number;
  readonly folded: Folded<Payment>;
}

export const openMatters = (payment: Payment): readonly WholeMatter[] =>
  MATTERS.filter((matter) => (matter === 'DIFFERS' ? isDifferenceOpen(payment) : openOverRefund(payment) > 0));

/**
 * `evidence`: the operator's account of it; card numbers in it are masked. InvalidPaymentStatus for `failed`: what the
 * processor showed is so; or when it is closed meanwhile.
 */
export async function closeMatter(
  needs: PaymentNeeds,
  paymentId: string,
  { accountId }: KnownPayment,
  matter: WholeMatter,
  {
    as,
    evidence,
    by,
  }: { readonly as: 'succeeded' | 'failed'; readonly evidence: string; readonly by?: ActingUser | undefined },
): Promise<MatterClosed | Rejection> {
  if (as === 'failed')
    return reject(
      'InvalidPaymentStatus',
      `The processor has shown the money of ${paymentId} as it is: only --as succeeded closes ${matter}.`,
    );
  await needs.mayWrite();
  const context = operatorContext(needs.world, accountId, by);
  const said = { source: 'operator', detail: maskedText(evidence) } as const;
  const decide = matter === 'DIFFERS' ? acceptDifference(said) : acceptOverRefund(said);
  const done = await transact(needs.payments, paymentId, context, decide);
  if (done.kind === 'rejected') return done;
  if (done.kind !== 'written')
    return reject('InvalidPaymentStatus', `${matter} of ${paymentId} was closed in the meantime.`);
  const amount = openOverRefund(done.before.state);
  return {
    kind: 'matter_closed',
    matter,
    ...(matter === 'OVER_REFUNDED' && { amount }),
    folded: done.folded,
  };
}
