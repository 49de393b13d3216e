// Asks the processor about disputes without a reported end: an OPEN one whose response period is over, and a CHALLENGED
// one.
import { expireByClock, recordStatusLookUp } from '../../domain/payment/dispute-due.ts';
import { recordDispute } from '../../domain/payment/dispute-word.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import { plannedLookUpAt, verdictLookUpAfter } from '../../domain/payment/look-up-schedule.ts';
import type { Dispute, KnownPayment } from '../../domain/payment/payment.ts';
import type { Context } from '../../journal/context.ts';
import { transact } from '../../journal/transact.ts';
import type { LookUpNeeds } from './needs.ts';
import { chainOfNewest } from './own-chain.ts';
import { type DisputeRead, processorOf, readDispute, wordIn } from './read-dispute.ts';

/** `dispute` is due and has no open answer; `which`: as lookUpDisputes takes it. Throws StoreUnavailable. */
export async function followDispute(
  needs: LookUpNeeds,
  paymentId: string,
  payment: KnownPayment,
  dispute: Dispute,
  which: 'due' | 'all',
  begun: Context,
): Promise<void> {
  const processor = processorOf(needs, payment, dispute);
  if (processor === undefined) return;
  const read = await readDispute(needs, processor, payment, dispute, which);
  const at = needs.world.now();
  // The chain of the dispute itself, not of the call that happened to look.
  const isOfDispute = (event: PaymentEvent): boolean =>
    'disputeId' in event.data && event.data.disputeId === dispute.disputeId;
  const context = { ...(await chainOfNewest(needs, paymentId, isOfDispute, begun)), at };
  const word = wordIn(read, dispute);
  if (word !== undefined) {
    await transact(needs.payments, paymentId, context, recordDispute(word), { isFact: true });
    return;
  }
  const { disputeId, lookUps = 0 } = dispute;
  const { evidence } = read;
  if (dispute.status === 'CHALLENGED') {
    const answer = verdictIn(read);
    const nextLookUpAt = verdictLookUpAfter(answer, lookUps, at);
    const look = { disputeId, status: dispute.status, lookUps, answer, evidence, nextLookUpAt };
    await transact(needs.payments, paymentId, context, recordStatusLookUp(look, at));
    return;
  }
  // Our own clock ends it only where the processor cannot tell (contract §13).
  if (isUntold(read)) {
    await transact(needs.payments, paymentId, context, expireByClock(disputeId, at));
    return;
  }
  const { openedAt, challengeRequiredBy = openedAt } = dispute;
  const nextLookUpAt = Math.max(plannedLookUpAt(challengeRequiredBy, lookUps, at), at + 1_000);
  const answer = read.found.kind === 'unreachable' ? 'unreachable' : 'still_open';
  const look = { disputeId, status: 'OPEN', lookUps, answer, evidence, nextLookUpAt } as const;
  await transact(needs.payments, paymentId, context, recordStatusLookUp(look, at));
}

/** The processor shows no disputes, or does not know this one. */
const isUntold = ({ found }: DisputeRead): boolean => found.kind === 'untold' || found.kind === 'not_found';

const verdictIn = (read: DisputeRead): 'undecided' | 'unreachable' | 'untold' =>
  isUntold(read) ? 'untold' : read.found.kind === 'unreachable' ? 'unreachable' : 'undecided';
