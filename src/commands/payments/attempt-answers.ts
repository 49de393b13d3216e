// The answer to a caller about an attempt at the processor, the first time and again (contract §§4, 6).
import { type Rejection, type RejectionId, reject } from '../../domain/decider.ts';
import { REFUSED_AS, RefusedId } from '../../domain/operation.ts';
import { type Attempt, awaitsCustomer, isUnanswered } from '../../domain/payment/attempt.ts';
import type { KnownPayment, Payment } from '../../domain/payment/payment.ts';
import { attemptOf, isKnown, openAttempts, wantsVaulting } from '../../domain/payment/queries.ts';
import { statusReason } from '../../domain/payment/status-reason.ts';
import { causeOf } from '../../domain/payment/totals.ts';
import type { Folded } from '../../journal/fold.ts';
import { type Answer, completed } from '../caller.ts';
import type { Effect } from '../effect.ts';
import { type CallResult, inProgress } from '../idempotency.ts';
import { concludePayment } from './attempt.ts';
import type { PaymentNeeds } from './needs.ts';

/** The end of a command's work: its answer, and what its operation has left. */
export interface Finished {
  readonly answer: Answer<Payment>;
  readonly result: CallResult;
}
export const refused = (answer: Rejection): Finished => ({ answer, result: 'nothing' });

/** Our reference at the processor: it names the payment, and one operation has one. */
export const attemptIdOf = ({ context, resourceId }: Pick<Effect, 'context' | 'resourceId'>): string =>
  `${resourceId}.${context.operationId.slice('op_'.length)}`;

/**
 * 200 with the payment; 202 while the outcome of the attempt, or of one that follows from it, is not known; 422 when it
 * was refused.
 */
export function answerAttempt(paymentId: string, folded: Folded<Payment>, attemptId: string): Answer<Payment> {
  const payment = folded.state;
  if (!isKnown(payment)) {
    return reject('Conflict', 'The payment was abandoned before it was created. Try again.', { retryAfterSeconds: 1 });
  }
  const attempt = attemptOf(payment, attemptId) ?? refusedVoid(payment);
  if (attempt !== undefined && attempt.operation !== 'authorization' && isRefused(attempt))
    return refusal(paymentId, payment, attempt);
  return completed(paymentId, folded, isUndecided(payment, attemptId) ? 202 : 200);
}

/**
 * A cancellation without an attempt of its own is refused with the void that followed from it. One that was not sent is
 * tried again.
 */
const refusedVoid = ({ attempts }: KnownPayment): Attempt | undefined =>
  attempts.findLast(({ follows, state }) => follows?.because === 'intended_cancellation' && state === 'declined');

function isUndecided(payment: KnownPayment, attemptId: string): boolean {
  // A cancellation without an attempt of its own waits for the open attempt, and then for the void that follows it,
  // which may be tried again.
  if (attemptOf(payment, attemptId) === undefined)
    return (
      payment.status === 'PENDING' ||
      openAttempts(payment).some(({ follows }) => follows?.because === 'intended_cancellation')
    );
  return payment.attempts.some(
    (attempt) => belongsTo(attempt, attemptId) && (isUnanswered(attempt) || goesOn(attempt)),
  );
}

/**
 * The customer is back, and the processor goes on; or has given the action up, and the processor has not let go yet:
 * the caller waits for that.
 */
const goesOn = (attempt: Attempt): boolean =>
  awaitsCustomer(attempt) ? attempt.givenUp === true : attempt.resumed === true && attempt.state === 'pending';

/** The attempt, or an attempt that follows from it. */
const belongsTo = ({ attemptId: id }: Attempt, attemptId: string): boolean =>
  id === attemptId || id.startsWith(`${attemptId}-`);

const isRefused = ({ state }: Attempt): boolean =>
  state === 'declined' || state === 'not_sent' || state === 'not_found';

function refusal(paymentId: string, payment: KnownPayment, attempt: Attempt): Rejection {
  const { operation } = attempt;
  const cause = causeOf(attempt, payment);
  const reason = cause && statusReason(cause);
  const description = reason?.message ?? 'The processor did not perform the operation. The payment is unchanged.';
  const errorId = operation === 'authorization' ? 'Conflict' : REFUSED_AS[operation];
  return reject(errorId, description, {
    paymentId,
    paymentStatus: payment.status,
    ...(reason !== undefined && { statusReason: reason }),
  });
}

const REFUSALS: ReadonlySet<RejectionId> = new Set(RefusedId.options);

/**
 * The operation's first answer again: shaped at `revision`, where its own last event is. A first 202 is answered with
 * the payment as it is now; an attempt whose call may still run is IdempotencyKeyInProgress. A refusal names the
 * request that was refused (contract §6). `attemptId`: the attempt that the operation is about, where it is not one of
 * its own.
 */
export async function replayAttempt(
  needs: PaymentNeeds,
  effect: Effect,
  revision: number,
  attemptId: string = attemptIdOf(effect),
): Promise<Answer<Payment>> {
  const answer = await answerAgain(needs, effect, revision, attemptId);
  if (answer.kind !== 'rejected' || !REFUSALS.has(answer.errorId)) return answer;
  const { resourceId: paymentId } = effect;
  const attempt = attemptOf((await needs.payments.load(paymentId)).state, attemptId);
  if (attempt === undefined) return answer;
  const { correlationId } = await needs.payments.causeAt(paymentId, attempt.requestedRevision);
  return { ...answer, diagnosticsId: correlationId };
}

async function answerAgain(
  needs: PaymentNeeds,
  effect: Effect,
  revision: number,
  attemptId: string,
): Promise<Answer<Payment>> {
  const { resourceId: paymentId } = effect;
  // The first call is not over before the card is vaulted, even after a crash: its response shows the vaulted card.
  const concludedAt = async (place: number): Promise<Folded<Payment>> => {
    const found = await needs.payments.at(paymentId, place);
    const isOver =
      !isKnown(found.state) ||
      attemptOf(found.state, attemptId)?.operation !== 'authorization' ||
      !wantsVaulting(found.state);
    return isOver
      ? found
      : concludePayment(needs, paymentId, found, {
          ...effect.context,
          ...(await needs.payments.causeAt(paymentId, place)),
        });
  };
  const then = answerAttempt(paymentId, await concludedAt(revision), attemptId);
  if (then.kind === 'rejected' || then.status === 200) return then;
  const current = await needs.payments.current(paymentId);
  const told = answeredBy(current.state, attemptId, revision);
  if (told !== undefined) return answerAttempt(paymentId, await concludedAt(told), attemptId);
  const now = answerAttempt(paymentId, current, attemptId);
  return now.kind === 'completed' && now.status === 202 && callMayRun(current.state, attemptId, needs.world.now())
    ? inProgress()
    : now;
}

/**
 * Where a notification or a look-up settled an attempt before its own call did: the caller was answered from
 * there. Undefined while an attempt is unanswered, and where the first answer was a 202.
 */
function answeredBy(payment: Payment, attemptId: string, revision: number): number | undefined {
  if (!isKnown(payment) || attemptOf(payment, attemptId) === undefined) return undefined;
  const family = payment.attempts.filter((attempt) => belongsTo(attempt, attemptId));
  const wasUnknown = family.some(({ events }) => events.some(({ type }) => type.endsWith('OutcomeUnknown')));
  const told = Math.max(...family.map(({ answeredRevision = -1 }) => answeredRevision));
  return wasUnknown || family.some(isUnanswered) || told <= revision ? undefined : told;
}

const callMayRun = (payment: Payment, attemptId: string, now: number): boolean =>
  isKnown(payment) &&
  payment.attempts.some(
    (attempt) => belongsTo(attempt, attemptId) && attempt.state === 'open' && now < attempt.nextLookUpAt,
  );
