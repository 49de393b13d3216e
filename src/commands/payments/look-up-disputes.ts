// Reads disputes at the processor: those whose answers have an unknown outcome, those whose time is over, and
// challenged ones; never sends an answer again (contract §13).

import { isDisputeStatus } from '../../domain/dispute-status.ts';
import { recordAnswerNotFound, recordDisputeLookUp } from '../../domain/payment/dispute-answer.ts';
import { dueDisputeAt, expireByClock, recordStatusLookUp } from '../../domain/payment/dispute-due.ts';
import { type DisputeWord, opensRound, recordDispute } from '../../domain/payment/dispute-word.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import { lookUpAfter, plannedLookUpAt, verdictLookUpAfter } from '../../domain/payment/look-up.ts';
import type { Evidence } from '../../domain/payment/outcome.ts';
import { type Dispute, isOpenAnswer, type KnownPayment, type OpenAnswer } from '../../domain/payment/payment.ts';
import { attemptOf, isKnown } from '../../domain/payment/queries.ts';
import type { Context } from '../../journal/context.ts';
import { transact } from '../../journal/transact.ts';
import type { DisputeFound, Processor } from '../../processors/processor.ts';
import type { ConnectionRoute } from '../connections/connections.ts';
import {
  type AskedAt,
  callEndsAt,
  chainOfNewest,
  lookUpWithin,
  missingProof,
  ownChain,
  provenOnRecord,
} from './findings.ts';
import type { PaymentNeeds } from './needs.ts';
import { askProcessor, withoutCardNumbers } from './processor-call.ts';

/**
 * `due`: disputes whose time has come; `all`, before a new answer: also answers whose call ended without a word. Throws
 * StoreUnavailable.
 */
export async function lookUpDisputes(
  needs: PaymentNeeds,
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
  needs: PaymentNeeds,
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

/** `dispute` is due and has no open answer; `which`: as lookUpDisputes takes it. Throws StoreUnavailable. */
async function followDispute(
  needs: PaymentNeeds,
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

/** Where the disputed money was moved. */
export function placeOfDispute(payment: KnownPayment, { attemptId }: Dispute): ConnectionRoute {
  const attempt = attemptId === undefined ? undefined : attemptOf(payment, attemptId);
  return attempt ?? payment;
}

/** Its processor on this node; undefined if there is none, which is reported. */
function processorOf(
  { processors, report }: PaymentNeeds,
  payment: KnownPayment,
  dispute: Dispute,
): Processor | undefined {
  const { processor: name } = placeOfDispute(payment, dispute);
  const processor = processors.get(name);
  if (processor === undefined)
    report(new Error(`no processor ${name} on this node to look ${dispute.disputeId} up at`));
  return processor;
}

interface DisputeRead {
  readonly asked: AskedAt;
  /** `untold`: the processor shows no disputes, and reports them only by notifications. */
  readonly found: DisputeFound | { readonly kind: 'untold' };
  readonly evidence: Evidence;
}

/**
 * `which`: as lookUpDisputes takes it. A look-up for a waiting request does not queue with the due ones. Never throws.
 */
async function readDispute(
  needs: PaymentNeeds,
  processor: Processor,
  payment: KnownPayment,
  dispute: Dispute,
  which: 'due' | 'all',
): Promise<DisputeRead> {
  const { world, watched, dueLookUps } = needs;
  const route = placeOfDispute(payment, dispute);
  const request = { disputeId: dispute.processorDisputeId, accountId: payment.accountId };
  const read = async (): Promise<DisputeRead> => {
    const asked: AskedAt = { at: world.now(), ...watched.now() };
    const { lookUpDispute } = processor;
    const found =
      lookUpDispute === undefined
        ? ({ kind: 'untold' } as const)
        : await askProcessor(needs, route, { ...lookUpWithin(which), accountId: payment.accountId }, (call) =>
            lookUpDispute.call(processor, request, call),
          );
    return { asked, found, evidence: { source: 'lookup', sentAt: asked.at, ...detailOf(found) } };
  };
  return which === 'due' ? dueLookUps(read) : read();
}

/**
 * The result that the processor reported, or a later round; undefined if it reported neither, or shows the dispute as
 * recorded.
 */
function wordIn({ found, evidence }: DisputeRead, dispute: Dispute): DisputeWord | undefined {
  if (found.kind !== 'found') return undefined;
  const { disputeId, processorDisputeId, openedAt } = dispute;
  // A read shows the newest round, so a decision is about the one on record.
  const { id: _name, status, type = dispute.type, ...told } = found.dispute;
  if (!isDisputeStatus(status)) return undefined;
  if (!opensRound({ type, evidence }, dispute) && (status === 'OPEN' || status === dispute.status)) return undefined;
  return { ...told, disputeId, processorDisputeId, status, type, openedAt, evidence };
}

function detailOf(found: DisputeRead['found']): { readonly detail?: string } {
  if (found.kind !== 'unreachable') return {};
  const safe = withoutCardNumbers(found);
  return 'detail' in safe ? { detail: safe.detail } : {};
}
