// Releases the claims of a payment that is not going to be made.
import { releaseSession } from '../../domain/client-session/decide.ts';
import type { Rejection } from '../../domain/decider.ts';
import { abandonPayment } from '../../domain/payment/create.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import { isKnown } from '../../domain/payment/queries.ts';
import { releaseInstrument } from '../../domain/payment-instrument/decide.ts';
import { transact } from '../../journal/transact.ts';
import type { Answer } from '../caller.ts';
import { aside, type Effect, lastEventOf, type Worked } from '../effect.ts';
import { replayAttempt } from './attempt-answers.ts';
import type { ConcludeNeeds } from './needs.ts';

interface Claimed {
  readonly sessionId?: string;
  readonly paymentMethodToken: string;
}

/**
 * Answers `refusal`, with the session and the token free again. Under an idempotency key another node may be making the
 * very payment at this moment: it is fenced off first, or, when it exists already, answered. A session whose claim were
 * given without that could be paid twice.
 */
export async function withdrawPayment(
  needs: ConcludeNeeds,
  { sessionId, paymentMethodToken }: Claimed,
  refusal: Rejection,
  effect: Effect,
): Promise<Worked<Answer<Payment>>> {
  const { context, resourceId: paymentId, how } = effect;
  const isNew = how.start === 'empty';
  if (!isNew) {
    const fenced = await transact(
      needs.payments,
      paymentId,
      aside(context, needs.world),
      abandonPayment(context.accountId),
      { isFact: true },
    );
    if (fenced.kind === 'rejected') return { answer: fenced, appended: false };
    const { state, head } = fenced.folded;
    if (isKnown(state)) {
      const revision = (await lastEventOf(needs.payments, paymentId, -1, context.operationId)) ?? head.revision;
      return { answer: await replayAttempt(needs, effect, revision), appended: true };
    }
  }
  if (sessionId !== undefined) await transact(needs.sessions, sessionId, context, releaseSession(paymentId));
  await transact(needs.instruments, paymentMethodToken, context, releaseInstrument(paymentId));
  return { answer: refusal, appended: false, abandoned: !isNew };
}
