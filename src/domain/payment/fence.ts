// The fence of an attempt whose outcome was unknown, or whose refusal was not final: it can no longer take effect, and
// what it had done is known.
import { accept, type Decision } from '../decider.ts';
import { type Attempt, isBooked, isOpen, isUnanswered, type OpenAttempt, owesFence } from './attempt.ts';
import { endedAction, isGivenUp } from './authentication.ts';
import type { PaymentEvent } from './events.ts';
import { expireAuthorization } from './expire.ts';
import { factsOf } from './operations.ts';
import type { NotFound, TakenBack } from './outcome.ts';
import type { KnownPayment, Payment } from './payment.ts';
import { attemptOf, isKnown } from './queries.ts';
import { settleAttempt } from './settle.ts';
import type { Settlement } from './settlement.ts';
import { fencedBy, takenBack } from './taken-back.ts';

/** `not_found`: nothing is held by then. `released`: the fence itself took a success back. */
interface FenceSettlement extends Omit<Settlement, 'outcome' | 'waits'> {
  readonly found: NotFound | TakenBack;
}

/**
 * Where somebody else has settled the attempt meanwhile it stays as that one learnt; only a success that was taken back
 * is told all the same: its hold has ended.
 */
export const settleFenced =
  ({ found, ...settlement }: FenceSettlement) =>
  (payment: Payment): Decision<PaymentEvent> => {
    const attempt = attemptOf(payment, settlement.attemptId);
    if (!isKnown(payment) || attempt === undefined) return accept();
    if (owesFence(attempt)) {
      const confirmedAgain = found.kind === 'released' ? takenBack(payment, attempt, found, settlement) : [];
      return accept(fencedBy(attempt, settlement), ...confirmedAgain);
    }
    if (found.kind === 'released') {
      if (!isOpen(attempt)) return releasedLater(payment, attempt, settlement);
      const events = [...endedBy(payment, attempt, settlement), ...takenBack(payment, attempt, found, settlement)];
      return accept(...(attempt.fenced === true ? [] : [fencedBy(attempt, settlement)]), ...events);
    }
    if (!isUnanswered(attempt)) return accept();
    const ended = settleAttempt({ ...settlement, outcome: { kind: 'not_found' } })(payment);
    if (ended.kind === 'rejected' || ended.events.length === 0) return ended;
    return accept(fencedBy(attempt, settlement), ...ended.events);
  };

/** The end of an attempt that was taken back: of the action where its customer was asked for one. */
const endedBy = (
  payment: KnownPayment,
  attempt: OpenAttempt,
  { evidence }: Pick<Settlement, 'evidence'>,
): readonly PaymentEvent[] =>
  attempt.resumeTokenHash === undefined
    ? [{ type: factsOf(attempt.operation).not_found, data: { attemptId: attempt.attemptId, evidence } }]
    : endedAction(payment, attempt, isGivenUp(attempt));

/** The success was told, and booked, before the fence that took it back could say so: its hold is over. */
const releasedLater = (
  payment: KnownPayment,
  attempt: Attempt,
  { evidence }: Pick<Settlement, 'evidence'>,
): Decision<PaymentEvent> =>
  isBooked(attempt) ? expireAuthorization({ attemptId: attempt.attemptId, evidence })(payment) : accept();
