// A dispute whose time to answer is over: its processor is asked what became of it. Our own clock ends it only where the processor cannot tell (contract §4).
import { expireByClock, recordOverdueLookUp } from '../../domain/payment/dispute-due.ts';
import { recordDispute } from '../../domain/payment/dispute-word.ts';
import { plannedLookUpAt } from '../../domain/payment/look-up-schedule.ts';
import type { Dispute, KnownPayment } from '../../domain/payment/payment.ts';
import type { Context } from '../../journal/context.ts';
import { transact, transactFact } from '../../journal/transact.ts';
import type { LookUpNeeds } from './needs.ts';
import { processorOf, readDispute, wordIn } from './read-dispute.ts';

/** `which`: as lookUpDisputes takes it. Throws StoreUnavailable. */
export async function endOverdueDispute(
  needs: LookUpNeeds,
  paymentId: string,
  payment: KnownPayment,
  dispute: Dispute,
  which: 'due' | 'all',
  begun: Context,
): Promise<void> {
  const processor = processorOf(needs, payment, dispute);
  if (processor === undefined) return;
  const { disputeId, openedAt, challengeRequiredBy = openedAt, lookUps = 0 } = dispute;
  const read = await readDispute(needs, processor, payment, dispute, which);
  const { found, evidence } = read;
  const at = needs.world.now();
  const context: Context = { ...begun, at };
  if (found.kind === 'untold' || found.kind === 'not_found') {
    await transact(needs.payments, paymentId, context, expireByClock(disputeId, at));
    return;
  }
  const word = wordIn(read, dispute);
  if (word !== undefined) {
    await transactFact(needs.payments, paymentId, context, recordDispute(word));
    return;
  }
  const nextLookUpAt = Math.max(plannedLookUpAt(challengeRequiredBy, lookUps, at), at + 1_000);
  const answer = found.kind === 'unreachable' ? 'unreachable' : 'still_open';
  await transact(needs.payments, paymentId, context, recordOverdueLookUp({ disputeId, lookUps, answer, evidence, nextLookUpAt }, at));
}
