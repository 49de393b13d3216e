// What the status of a payment does not say, and the dashboard shows in its place: a success with another amount, an
// open or a lost dispute, a refund whose outcome is unknown.
import { isLost, isUndecided } from '../dispute-status.ts';
import { type Attempt, isFoundMismatched } from './attempt.ts';
import type { KnownPayment } from './payment.ts';

/** A payment with several shows the first of them: what may have moved money, what can be done, what is over. */
export const derivedStatuses = ['AMOUNT_DIFFERS', 'REFUND_NOT_KNOWN', 'DISPUTED', 'DISPUTE_LOST'] as const;
export type DerivedStatus = (typeof derivedStatuses)[number];

/** The derived statuses of a payment; most have none. */
export const derivedStatusesOf = ({
  attempts,
  disputes,
}: Pick<KnownPayment, 'attempts' | 'disputes'>): readonly DerivedStatus[] => [
  ...(attempts.some(isFoundMismatched) ? (['AMOUNT_DIFFERS'] as const) : []),
  ...(attempts.some(isRefundNotKnown) ? (['REFUND_NOT_KNOWN'] as const) : []),
  ...(disputes.some(({ status }) => isUndecided(status)) ? (['DISPUTED'] as const) : []),
  ...(disputes.some(({ status }) => isLost(status)) ? (['DISPUTE_LOST'] as const) : []),
];

/**
 * A read model cannot ask for the time, so a call without a recorded response counts from its first look-up on, which
 * is due at the deadline of the call.
 */
const isRefundNotKnown = (attempt: Attempt): boolean =>
  attempt.operation === 'refund' &&
  ((attempt.state === 'unknown' && !isFoundMismatched(attempt)) || (attempt.state === 'open' && attempt.lookUps > 0));
