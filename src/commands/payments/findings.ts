// What all look-ups share: when "not found" is evidence, by a time that this process has measured; and the chain that a
// finding belongs to, that of the request which the processor was asked about, never of the call that happened to ask.

import type { Attempt } from '../../domain/payment/attempt.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import type { LookUp, TakenBack } from '../../domain/payment/outcome.ts';
import type { Context } from '../../journal/context.ts';
import { contextAfter, type Transacted } from '../../journal/transact.ts';
import type { OperationRequest, Processor } from '../../processors/processor.ts';
import { aside } from '../effect.ts';
import type { PaymentNeeds } from './needs.ts';
import { askProcessor, withoutCardNumbers } from './processor-call.ts';
import type { AttemptWatch, Moment } from './watched-attempts.ts';

/** How long a new operation waits for look-ups of earlier attempts, ms. */
const ASK_FIRST_MS = 3_000;
/** The longest time of a due look-up: a slower one would keep others waiting, and is repeated later. */
const ASK_DUE_MS = 10_000;
/** The time of a look-up that is due, or that a new operation waits for. */
export const lookUpWithin = (which: 'due' | 'all') => ({
  what: 'look-up',
  patienceMs: which === 'due' ? ASK_DUE_MS : ASK_FIRST_MS,
});
/** Withdraws the attempt as well, where the processor can. */
export const FENCE = { what: 'fence', patienceMs: ASK_DUE_MS };

/** Looks the attempt up, or fences it. Never throws. */
export async function askAbout(
  needs: PaymentNeeds,
  processor: Processor,
  attempt: Attempt,
  request: OperationRequest,
  asked: ReturnType<typeof lookUpWithin>,
): Promise<LookUp | TakenBack> {
  const ask = asked === FENCE ? (processor.fence ?? processor.lookUp) : processor.lookUp;
  const { accountId } = request;
  const told = await askProcessor(needs, attempt, { ...asked, accountId }, (call) =>
    ask.call(processor, request, call),
  );
  return withoutCardNumbers(told);
}

/**
 * Business time, ms, by which the newest call for an attempt is over, by the time on record: a resumption makes a
 * second one.
 */
export const callEndsAt = ({ timings }: PaymentNeeds, { sendBy }: Pick<MadeCall, 'sendBy'>): number =>
  sendBy + timings.answerWithinMs;

/** A call that may have had an effect; `hasEnded`: its answer, or its silence, is on record. */
interface MadeCall {
  /** When it was sent at the latest, ms. */
  readonly sendBy: number;
  readonly hasEnded: boolean;
}

/** When a look-up was made, by the business clock (ms) and by those of this process. */
export interface AskedAt extends Moment {
  readonly at: number;
}

/**
 * How far the clocks of two nodes may lie apart, ms: a distance between times of two clocks proves only what exceeds
 * this.
 */
const CLOCKS_DIFFER_MS = 600_000;

/**
 * The time (ms) before `now` for which the attempt was provably not found: from the oldest recorded look-up that did
 * not find it (`notFoundAt`). The processes of the earlier look-ups may have ended, so only the record knows their
 * clocks.
 */
export function provenOnRecord(notFoundAt: number | undefined, now: number): number {
  return notFoundAt === undefined ? 0 : Math.max(0, now - notFoundAt - CLOCKS_DIFFER_MS);
}

/**
 * How much later, ms, "not found" would have had to be asked for to be evidence: after the processor's consistency
 * window, counted from the end of the call. The time of the request is on record by the clock of another node, which
 * may be wrong. So the window, with the longest call where the call may be under way, must have passed since this
 * process began to watch, plus what the look-ups on record proved before. A call that may be under way keeps its
 * deadline by a clock that nobody moves: its length this process must have measured itself. Infinity: by the time on
 * record it is too early.
 */
export function missingProof(
  needs: PaymentNeeds,
  { consistencyWindowMs }: Processor,
  call: MadeCall,
  asked: AskedAt,
  since: AttemptWatch,
): number {
  if (asked.at - callEndsAt(needs, call) < consistencyWindowMs) return Number.POSITIVE_INFINITY;
  const callMs = longestCallMs(needs, call.hasEnded);
  const passedMs = since.provenMs + asked.steady - since.steady;
  return Math.max(callMs + consistencyWindowMs - passedMs, callMs - (asked.monotonic - since.monotonic));
}

/** How long, ms, a call may still be under way, measured by this process; 0 once its end is on record. */
export const longestCallMs = (
  { timings: { sendWithinMs, answerWithinMs } }: PaymentNeeds,
  hasEnded: boolean,
): number => (hasEnded ? 0 : sendWithinMs + answerWithinMs);

/**
 * The context of what is found about the request, and of all that follows. A policy stays the actor of its work; in the
 * place of a caller the actor of the request acts, so that an automatic capture is never that of a key which may only
 * cancel. Throws StoreUnavailable.
 */
export async function ownChain(
  { payments, world }: PaymentNeeds,
  paymentId: string,
  { requestedRevision }: Pick<Attempt, 'requestedRevision'>,
  begun: Context,
): Promise<Context> {
  const { actor, ...cause } = await payments.chainAt(paymentId, requestedRevision);
  const isPolicy = begun.actor.kind === 'policy';
  return { ...aside(begun, world), ...cause, actor: isPolicy ? begun.actor : actor, at: world.now() };
}

/**
 * The context of what follows from a wish: this call's event, or the newest one of the type that was on record before.
 * A second call for a wish leaves no event of its own, and what it leads to is still the first one's. Throws
 * StoreUnavailable.
 */
export async function afterWish(
  needs: PaymentNeeds,
  paymentId: string,
  wished: Transacted<object, object>,
  type: PaymentEvent['type'],
  begun: Context,
): Promise<Context> {
  if (wished.kind === 'written') return contextAfter(begun, wished);
  return chainOfNewest(needs, paymentId, (event) => event.type === type, begun);
}

/**
 * The chain of the newest event that is meant; `begun` where there is none. Reads the whole stream. Throws
 * StoreUnavailable.
 */
export async function chainOfNewest(
  needs: PaymentNeeds,
  paymentId: string,
  isMeant: (event: PaymentEvent) => boolean,
  begun: Context,
): Promise<Context> {
  let newest: number | undefined;
  for await (const { event, recorded } of needs.payments.history(paymentId, -1))
    if (isMeant(event)) newest = recorded.revision;
  return newest === undefined ? begun : ownChain(needs, paymentId, { requestedRevision: newest }, begun);
}
