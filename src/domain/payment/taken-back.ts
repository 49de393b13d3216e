// The facts that a fence leaves: the fence, and the success that it took back.
import type { Attempt } from './attempt.ts';
import type { PaymentEvent } from './events.ts';
import { followUp } from './follow-up.ts';
import type { TakenBack } from './outcome.ts';
import type { KnownPayment } from './payment.ts';
import { placeOf } from './queries.ts';
import type { Settlement } from './settlement.ts';

export const fencedBy = (
  { attemptId, operation }: Attempt,
  { evidence }: Pick<Settlement, 'evidence'>,
): PaymentEvent => ({ type: 'AttemptFenced', data: { attemptId, operation, evidence } });

/** The authorization had succeeded too late, and the fence was its void: no call follows. */
export function takenBack(
  payment: KnownPayment,
  attempt: Attempt,
  { processorTransactionId, amount, currencyCode }: TakenBack,
  settlement: Omit<Settlement, 'outcome' | 'waits'>,
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
