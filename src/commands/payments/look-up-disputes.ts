// Reads disputes at the processor: those whose answers have an unknown outcome, those whose time is over, and
// challenged ones; never sends an answer again (contract §13).
import { recordAnswerNotFound, recordDisputeLookUp } from '../../domain/payment/dispute-answer.ts';
import { dueDisputeAt } from '../../domain/payment/dispute-due.ts';
import { recordDispute } from '../../domain/payment/dispute-word.ts';
import { lookUpAfter } from '../../domain/payment/look-up-schedule.ts';
import { type Dispute, isOpenAnswer, type KnownPayment, type OpenAnswer } from '../../domain/payment/payment.ts';
import { isKnown } from '../../domain/payment/queries.ts';
import type { Context } from '../../journal/context.ts';
import { transact } from '../../journal/transact.ts';
import { followDispute } from './follow-dispute.ts';
import { callEndsAt, missingProof, provenOnRecord } from './look-up-attempts.ts';
import type { LookUpNeeds } from './needs.ts';
import { ownChain } from './own-chain.ts';
import { processorOf, readDispute, wordIn } from './read-dispute.ts';

/**
 * `due`: disputes whose time has come; `all`, before a new answer: also answers whose call ended without a word. Throws
 * StoreUnavailable.
 */
export async function lookUpDisputes(
  needs: LookUpNeeds,
  paymentId: string,
  which: 'due' | 'all',
  context: Context,
): Promise<void> {
  const { state } = await needs.payments.current(paymentId);
  if (!isKnown(state)) return;
  const now = needs.world.now();
  for (const dispute of state.disputes) {
    const dueAt = dueDisputeAt(dispute);
    const { answer } = dispute;
    const isDue = dueAt !== undefined && dueAt <= now;
    if (isOpenAnswer(answer) && (isDue || (which === 'all' && answer.hasEnded)))
      await lookUp(needs, paymentId, state, { dispute, answer }, which, context);
    else if (isDue) await followDispute(needs, paymentId, state, dispute, which, context);
  }
}

interface Answered {
  readonly dispute: Dispute;
  readonly answer: OpenAnswer;
}

async function lookUp(
  needs: LookUpNeeds,
  paymentId: string,
  payment: KnownPayment,
  { dispute, answer }: Answered,
  which: 'due' | 'all',
  begun: Context,
): Promise<void> {
  const { watched, world } = needs;
  const { disputeId } = dispute;
  const { answerId, requestedAt, lookUps } = answer;
  const processor = processorOf(needs, payment, dispute);
  if (processor === undefined) return;
  if (world.now() < callEndsAt(needs, answer) && !answer.hasEnded) return; // its call may be under way
  const since = watched.watch(answerId, () => provenOnRecord(answer.notFoundAt, world.now()));
  const read = await readDispute(needs, processor, payment, dispute, which);
  const { asked, found, evidence } = read;
  const context = await ownChain(needs, paymentId, answer, begun);
  const word = wordIn(read, dispute);
  if (word !== undefined) {
    await transact(needs.payments, paymentId, context, recordDispute(word), { isFact: true });
    return watched.forget(answerId);
  }
  // It is open over there: the answer has not arrived, or not yet.
  const isMissing =
    found.kind === 'not_found' ||
    (found.kind === 'found' && found.dispute.status === 'OPEN' && answer.state !== 'pending');
  const missingMs = isMissing ? missingProof(needs, processor, answer, asked, since) : 0;
  if (isMissing && missingMs <= 0) {
    await transact(needs.payments, paymentId, context, recordAnswerNotFound(disputeId, answerId, evidence), {
      isFact: true,
    });
    return watched.forget(answerId);
  }
  const isWatchedFor = missingMs > 0 && Number.isFinite(missingMs);
  const next = isWatchedFor ? context.at + Math.max(missingMs, 1_000) : lookUpAfter(requestedAt, lookUps, context.at);
  if (context.at < answer.nextLookUpAt && next >= answer.nextLookUpAt) return; // before its time it leaves no trace
  const said = isMissing
    ? 'not_found'
    : found.kind === 'unreachable' || found.kind === 'untold'
      ? 'unreachable'
      : 'pending';
  const look = { disputeId, answerId, lookUps, answer: said, evidence, nextLookUpAt: Math.ceil(next) } as const;
  await transact(needs.payments, paymentId, context, recordDisputeLookUp(look));
}
