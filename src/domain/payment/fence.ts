// The fence of an attempt whose outcome was unknown: it can no longer take effect, and what it had done is known.
import { accept, type Decision } from '../decider.ts';
import { isUnanswered } from './attempt.ts';
import type { PaymentEvent } from './events.ts';
import type { NotFound, TakenBack } from './outcome.ts';
import type { Payment } from './payment.ts';
import { attemptOf, isKnown } from './queries.ts';
import { settleAttempt } from './settle.ts';
import type { Settlement } from './settlement.ts';
import { fencedBy, takenBack } from './taken-back.ts';

/** `not_found`: nothing had happened by then. `released`: the fence itself took a success back. */
export interface FenceSettlement extends Omit<Settlement, 'outcome' | 'waits'> {
  readonly found: NotFound | TakenBack;
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
