// Looks attempts up at the processor, by our own reference; never performs one again (contract §4).
import { accept } from '../../domain/decider.ts';
import {
  type Attempt,
  awaitsCustomer,
  callHasEnded,
  dueAtOf,
  isUnanswered,
  isUnprepared,
  keepsSession,
  notFoundAtOf,
  owesFence,
  reportedOf,
  wasAccepted,
} from '../../domain/payment/attempt.ts';
import { settleFenced } from '../../domain/payment/fence.ts';
import { lookUpAfter, recordLookUp } from '../../domain/payment/look-up.ts';
import type { Evidence, LookUp, NotFound, NotSent, Outcome, TakenBack, Unknown } from '../../domain/payment/outcome.ts';
import type { KnownPayment, Payment } from '../../domain/payment/payment.ts';
import { attemptOf, attemptsToAskAbout, isKnown, openAttempts, refusalsToFence } from '../../domain/payment/queries.ts';
import type { Context } from '../../journal/context.ts';
import type { Folded } from '../../journal/fold.ts';
import { transact } from '../../journal/transact.ts';
import { connectionOf } from '../../processors/connections.ts';
import type { Processor } from '../../processors/processor.ts';
import { recordFact, settling } from './attempt.ts';
import { endDueAction, fenceRefusal, freeSession } from './fence-attempt.ts';
import {
  type AskedAt,
  askAbout,
  callEndsAt,
  FENCE,
  longestCallMs,
  lookUpWithin,
  missingProof,
  ownChain,
  provenOnRecord,
} from './findings.ts';
import type { PaymentNeeds } from './needs.ts';
import { evidenceOf, operationRequest } from './processor-call.ts';
import type { AttemptWatch } from './watched-attempts.ts';

/**
 * Look-ups that are due come in crowds, after an outage or a long stop: the processor is asked so many at once by a
 * node.
 */
export const LOOK_UPS_AT_ONCE = 20;
/** A look-up is not brought forward for less, ms. */
const SOONER_MS = 10_000;

/**
 * Looks up the attempts of the payment whose outcome is unknown and whose call has certainly ended. `due`: attempts
 * that are due. `all`, before a new operation: also attempts whose call got no response, reversals that were refused,
 * and attempts that are booked by manual confirmation only.
 */
export async function lookUpAttempts(
  needs: PaymentNeeds,
  paymentId: string,
  which: 'due' | 'all',
  context: Context,
): Promise<Folded<Payment>> {
  const current = await needs.payments.current(paymentId);
  const { state } = current;
  if (!isKnown(state)) return current;
  const now = needs.world.now();
  const asked = which === 'due' ? [...openAttempts(state), ...refusalsToFence(state)] : attemptsToAskAbout(state);
  const wanted = asked.filter((attempt) => {
    if (which === 'due' && owesFence(attempt)) return now >= (dueAtOf(attempt) ?? now);
    const isOver = now >= callEndsAt(needs, attempt);
    if (which === 'all' && attempt.fenced === true) return false; // what it came to is known
    return which === 'due'
      ? isOver && now >= (dueAtOf(attempt) ?? Number.POSITIVE_INFINITY)
      : isOver || TOLD_AT_ONCE.has(attempt.state);
  });
  await Promise.all(wanted.map((attempt) => lookUpAttempt(needs, paymentId, state, attempt, which, context)));
  const told = await needs.payments.load(paymentId);
  // a refusal that was just learnt; others are asked about at their own time
  const isNews = refusalsToFence(state).length === 0 && refusalsToFence(told.state).some(keepsSession);
  if (!isNews) return told;
  await freeSession(needs, paymentId, told.state, context);
  return needs.payments.load(paymentId);
}

/** Its call has ended, so that the processor may know its outcome, or its name there. */
const TOLD_AT_ONCE: ReadonlySet<Attempt['state']> = new Set(['unknown', 'pending', 'succeeded', 'declined'] as const);

async function lookUpAttempt(
  needs: PaymentNeeds,
  paymentId: string,
  payment: KnownPayment,
  attempt: Attempt,
  which: 'due' | 'all',
  begun: Context,
): Promise<void> {
  const { watched, world } = needs;
  const processor = await needs.connections.processor(attempt.processor);
  if (processor === undefined)
    return needs.report(new Error(`no processor ${attempt.processor} on this node to look ${paymentId} up at`));
  const { attemptId } = attempt;
  if (owesFence(attempt)) return needs.dueLookUps(() => fenceRefusal(needs, paymentId, payment, attempt, begun));
  if (which === 'due' && awaitsCustomer(attempt)) return endDueAction(needs, paymentId, payment, attempt, begun);
  if (isUnprepared(attempt) && isUnanswered(attempt)) {
    const evidence = { source: 'lookup', detail: UNPREPARED.detail } as const;
    const unsent = settling(needs, { attemptId, outcome: UNPREPARED, evidence, source: 'lookup' });
    return void (await recordFact(needs, paymentId, await ownChain(needs, paymentId, attempt, begun), unsent));
  }
  const since = watched.watch(attemptId, () => provenOnRecord(notFoundAtOf(attempt), world.now()));
  const fences = which === 'due' && isToBeFenced(needs, processor, attempt, since);
  const lookUp = async (): Promise<ToldOfAttempt> => {
    const asked: AskedAt = { at: world.now(), ...watched.now() };
    const request = operationRequest(paymentId, payment, attempt);
    const told = await askAbout(needs, processor, attempt, request, fences ? FENCE : lookUpWithin(which));
    return { told, asked, since, fences };
  };
  // A look-up for a waiting request does not queue with the due ones.
  const told = await (which === 'due' ? needs.dueLookUps(lookUp) : lookUp());
  const context = await ownChain(needs, paymentId, attempt, begun);
  await recordFound(needs, paymentId, attempt, processor, told, context);
}

/** The result of a look-up, and since when the attempt is watched. */
interface ToldOfAttempt {
  readonly told: LookUp | TakenBack;
  readonly asked: AskedAt;
  readonly since: AttemptWatch;
  /** True if it was a fence. */
  readonly fences: boolean;
}

/** Settles the attempt as it was found, if that is evidence; otherwise plans the next look-up. */
async function recordFound(
  needs: PaymentNeeds,
  paymentId: string,
  attempt: Attempt,
  processor: Processor,
  { told, asked, since, fences }: ToldOfAttempt,
  context: Context,
): Promise<void> {
  const { watched, world } = needs;
  const { attemptId } = attempt;
  const evidence = evidenceOf('lookup', told, { sentAt: asked.at });
  // nobody can act on what waited when it was fenced; only an authorization is taken back by a fence
  const isFoundNothing = fences && told.kind === 'requires_action';
  const isOther = told.kind === 'released' && attempt.operation !== 'authorization';
  const found = isFoundNothing ? NOT_FOUND : isOther ? UNTOLD : told;
  const isProven = found.kind === 'not_found' && fences && (await fenceProves(needs, processor, attempt));
  if (found.kind === 'released' || (found.kind === 'not_found' && isProven)) {
    const settlement = { attemptId, found, evidence, source: 'lookup' } as const;
    await recordFact(needs, paymentId, context, (timing) => settleFenced({ ...settlement, ...timing }));
    return watched.forget(attemptId);
  }
  const settle = (outcome: Outcome | NotFound) =>
    recordFact(needs, paymentId, context, settling(needs, { attemptId, outcome, evidence, source: 'lookup' }));
  // What a fence may have withdrawn is shown to nobody: the next due look-up fences it, again if need be.
  if (found.kind === 'requires_action' && !awaitsCustomer(attempt) && !mayBeFenced(processor, attempt))
    return void (await settle(found));
  const call = { ...attempt, hasEnded: callHasEnded(attempt) };
  const missingMs = found.kind === 'not_found' ? missingProof(needs, processor, call, asked, since) : 0;
  if (found.kind !== 'succeeded' && found.kind !== 'declined' && (found.kind !== 'not_found' || missingMs > 0))
    return scheduleNext(needs, paymentId, attempt, { found, evidence, missingMs }, { ...context, at: world.now() });
  await settle(found);
  watched.forget(attemptId);
}

/**
 * From the second look-up on, so that a response that is a little late still counts, and never while the call may be
 * under way: a fence would end it. A processor that reported the attempt goes on with it, and is looked up.
 */
const isToBeFenced = (needs: PaymentNeeds, processor: Processor, attempt: Attempt, since: AttemptWatch): boolean =>
  mayBeFenced(processor, attempt) &&
  needs.watched.now().monotonic - since.monotonic >= longestCallMs(needs, callHasEnded(attempt));

/** True if a fence of the attempt may be on its way, or over there already with its response lost. */
const mayBeFenced = ({ fence }: Processor, attempt: Attempt): boolean =>
  fence !== undefined &&
  attempt.lookUps > 0 &&
  attempt.fenced !== true &&
  isUnanswered(attempt) &&
  !wasAccepted(attempt) &&
  reportedOf(attempt) === undefined;

/** As the record of the connection says, which the fence has just gone by. */
async function fenceProves({ connections }: PaymentNeeds, processor: Processor, route: Attempt): Promise<boolean> {
  const connection = await Promise.resolve(connections.of(route)).catch(() => connectionOf(route));
  return processor.capabilities(connection).fenceProves === true;
}

const NOT_FOUND: NotFound = { kind: 'not_found' };
const UNPREPARED: NotSent = {
  kind: 'not_sent',
  detail: 'its preparation is not on record, and nothing follows without',
};
const UNTOLD: Unknown = { kind: 'unknown', detail: 'it was reported as taken back, and is not an authorization' };

interface Inconclusive {
  readonly found: LookUp;
  readonly evidence: Evidence;
  /** See missingProof; 0 when it is not "not found". */
  readonly missingMs: number;
}

/**
 * Records a look-up that settled nothing, once for all nodes that asked at the same time. The next one follows the
 * schedule, or comes as soon as this process has watched for `missingMs` longer, when only that is missing. A look-up
 * before its time leaves no trace, unless it brings the next one forward: repeated calls must
 * not put it off.
 */
async function scheduleNext(
  needs: PaymentNeeds,
  paymentId: string,
  attempt: Attempt,
  { found, evidence, missingMs }: Inconclusive,
  context: Context,
): Promise<void> {
  const { attemptId, requestedAt, lookUps } = attempt;
  const dueAt = dueAtOf(attempt) ?? Number.POSITIVE_INFINITY;
  const { at } = context;
  const isWatchedFor = missingMs > 0 && Number.isFinite(missingMs);
  const next = isWatchedFor ? at + Math.max(missingMs, 1_000) : lookUpAfter(requestedAt, lookUps, at);
  if (at < dueAt && !(isWatchedFor && next < dueAt - SOONER_MS)) return;
  const processorTransactionId =
    found.kind === 'pending' || found.kind === 'requires_action' ? found.processorTransactionId : undefined;
  const record = recordLookUp({
    attemptId,
    answer: found.kind,
    processorTransactionId,
    evidence,
    nextLookUpAt: Math.ceil(next),
  });
  await transact(needs.payments, paymentId, context, (payment) =>
    attemptOf(payment, attemptId)?.lookUps === lookUps ? record(payment) : accept(),
  );
}
