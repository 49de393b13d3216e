// When the outcome of an attempt counts as unknown: the one definition of the list, the metric and the glossary.
import { type Attempt, isFoundMismatched } from './attempt.ts';
import { DAY_MS } from './look-up-schedule.ts';
import { isOpenAnswer, type KnownPayment } from './payment.ts';

/**
 * Whether the payment has an attempt with an unknown outcome at `now` (ms, business time): its answer was lost or not
 * believed, or no answer is on record when its call must be over, because the process that made the call is gone. A
 * call under way is none, nor is a mismatch that a look-up has found: its outcome is known, and an operator closes it.
 */
export const hasUnknownOutcome = (
  { attempts, standing }: Pick<KnownPayment, 'attempts' | 'standing'>,
  now: number,
): boolean =>
  attempts.some((attempt) => isUnknown(attempt, now)) ||
  (standing?.answer === 'unreachable' && now - standing.since >= UNREAD_MS);

/** A payment that its processor has not shown for so long, ms, wants a person. */
const UNREAD_MS = 7 * DAY_MS;

/** True if the outcome of a response to one of its disputes is unknown. */
export const hasUnknownAnswer = ({ disputes }: Pick<KnownPayment, 'disputes'>, now: number): boolean =>
  disputes.some(
    ({ answer }) =>
      isOpenAnswer(answer) && (answer.state === 'unknown' || (answer.state === 'open' && answer.nextLookUpAt <= now)),
  );

const isUnknown = (attempt: Attempt, now: number): boolean =>
  (attempt.state === 'unknown' && !isFoundMismatched(attempt)) ||
  (attempt.state === 'open' && attempt.nextLookUpAt <= now);
