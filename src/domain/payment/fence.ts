// The fence of an attempt whose outcome was unknown: it can no longer take effect, and what it had done is known.
import { accept, type Decision } from '../decider.ts';
import { type Attempt, isUnanswered } from './attempt.ts';
import type { PaymentEvent } from './events.ts';
import { followUp } from './follow-up.ts';
import type { NotFound, Released } from './outcome.ts';
import type { KnownPayment, Payment } from './payment.ts';
import { attemptOf, isKnown, placeOf } from './queries.ts';
import { settleAttempt } from './settle.ts';
import type { Settlement } from './settlement.ts';

/** `not_found`: nothing had happened by then. `released`: the fence itself took a success back. */
export interface FenceSettlement extends Omit<Settlement, 'outcome' | 'waits'> {
  readonly found: NotFound | Released;
}

/** Nothing where somebody else has settled the attempt meanwhile: then it is settled by what that one learnt. */
export const settleFenced =
  ({ found, ...settlement }: FenceSettlement) =>
  (payment: Payment): Decision<PaymentEvent> => {
    const attempt = attemptOf(payment, settlement.attemptId);
    if (!isKnown(payment) || attempt === undefined || !isUnanswered(attempt)) return accept();
    const ended = settleAttempt({ ...settlement, outcome: { kind: 'not_found' } })(payment);
    if (ended.kind === 'rejected' || ended.events.length === 0) return ended;
    const taken = found.kind === 'released' ? takenBack(payment, attempt, found, settlement) : [];
    return accept(fencedBy(attempt, settlement), ...ended.events, ...taken);
  };

export const fencedBy = (
  { attemptId, operation }: Attempt,
  { evidence }: Pick<Settlement, 'evidence'>,
): PaymentEvent => ({ type: 'AttemptFenced', data: { attemptId, operation, evidence } });

/** The authorization had succeeded too late, and the fence was its void: no call follows. */
export function takenBack(
  payment: KnownPayment,
  attempt: Attempt,
  { processorTransactionId, amount, currencyCode }: Released,
  settlement: Omit<FenceSettlement, 'found'>,
): readonly PaymentEvent[] {
  const { evidence } = settlement;
  const { attemptId, operation } = attempt;
  const place = placeOf(payment, attempt);
  const request = followUp(payment, attempt, 'late_success', { amount }, settlement);
  if (request.type !== 'CancellationRequested') throw new TypeError('only an authorization is taken back by its fence');
  const late = { attemptId, evidence, processorTransactionId, amount, currencyCode, ...place, operation };
  const voided = { attemptId: request.data.attemptId, evidence, processorTransactionId, ...place };
  return [{ type: 'LateSuccessRecorded', data: late }, request, { type: 'AuthorizationVoided', data: voided }];
}
