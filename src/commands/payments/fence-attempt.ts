// Ensures that an attempt that waits for its customer, or whose refusal is not final, can no longer take effect, and
// records the outcome found by then.
import { accept } from '../../domain/decider.ts';
import {
  type ActionRequired,
  type Asked,
  type Attempt,
  awaitsCustomer,
  keepsSession,
} from '../../domain/payment/attempt.ts';
import { endAction, waitingAuthorization } from '../../domain/payment/authentication.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import { settleFenced } from '../../domain/payment/fence.ts';
import { actionLookUpAt, type LookUpMade, lookUpAfter, recordLookUp } from '../../domain/payment/look-up.ts';
import type { Evidence, LookUp, TakenBack } from '../../domain/payment/outcome.ts';
import type { KnownPayment, Payment } from '../../domain/payment/payment.ts';
import { attemptOf, isKnown } from '../../domain/payment/queries.ts';
import { settleAttempt } from '../../domain/payment/settle.ts';
import { METHODS } from '../../domain/payment-method.ts';
import type { Context } from '../../journal/context.ts';
import { transact } from '../../journal/transact.ts';
import { recordFact, settling } from './attempt.ts';
import { askAbout, chainOfNewest, FENCE, lookUpWithin, ownChain } from './findings.ts';
import type { PaymentNeeds } from './needs.ts';
import { evidenceOf, operationRequest } from './processor-call.ts';

/** The pause after a fence that was not answered, ms. */
const FENCE_AGAIN_MS = 60_000;
/** The first one while a customer waits to pay in another way, ms; each later one is twice as long. */
const FENCE_SOON_MS = 5_000;

/** An authorization that waits for its customer. */
type WaitingAuthorization = Asked & ActionRequired;

interface FenceMade {
  readonly found: LookUp | TakenBack;
  readonly evidence: Evidence;
  /** True if it is certain now: false of a processor without a fence, which is only looked up. */
  readonly isFenced: boolean;
}

/** Withdraws the action. At a processor without a fence, a later success is found late, and voided. Never throws. */
async function fence(
  needs: PaymentNeeds,
  paymentId: string,
  payment: KnownPayment,
  attempt: Attempt,
  asked = FENCE,
): Promise<FenceMade> {
  const sentAt = needs.world.now();
  const processor = await needs.connections.processor(attempt.processor);
  const found =
    processor === undefined
      ? ({ kind: 'unreachable', detail: `no processor ${attempt.processor} on this node` } as const)
      : await askAbout(needs, processor, attempt, operationRequest(paymentId, payment, attempt), asked);
  return { found, evidence: evidenceOf('lookup', found, { sentAt }), isFenced: processor?.fence !== undefined };
}

/**
 * The time to act is over, or the customer gave it up: the payment ends as it was found, or the processor is asked
 * again later.
 */
export async function endDueAction(
  needs: PaymentNeeds,
  paymentId: string,
  payment: KnownPayment,
  attempt: WaitingAuthorization,
  begun: Context,
): Promise<void> {
  if (needs.world.now() < attempt.expiresAt && !isUnwanted(payment, attempt))
    return needs.dueLookUps(() => lookForMoney(needs, paymentId, payment, attempt, begun));
  const made = await needs.dueLookUps(() => fence(needs, paymentId, payment, attempt));
  // The end that somebody requested follows from the request, even if a policy carries it out.
  const context = isUnwanted(payment, attempt) ? await chainOfNewest(needs, paymentId, isWish, begun) : begun;
  await endAsFound(needs, { paymentId, payment, attempt, made }, context);
}

/** The customer can still act: asked whether it was done, because the notification may be lost (contract §4). */
async function lookForMoney(
  needs: PaymentNeeds,
  paymentId: string,
  payment: KnownPayment,
  attempt: WaitingAuthorization,
  begun: Context,
): Promise<void> {
  const { attemptId, expiresAt, lookUps } = attempt;
  const { found, evidence } = await fence(needs, paymentId, payment, attempt, lookUpWithin('due'));
  const own = await ownChain(needs, paymentId, attempt, begun);
  if (found.kind !== 'succeeded' && found.kind !== 'declined') {
    const { action } = METHODS[payment.paymentMethod.paymentMethodType];
    const nextLookUpAt = actionLookUpAt(action, expiresAt, lookUps + 1, needs.world.now());
    const answer = found.kind === 'released' ? 'unknown' : found.kind;
    return askAgain(needs, paymentId, attempt, { answer, evidence, nextLookUpAt }, own);
  }
  await recordFact(needs, paymentId, own, settling(needs, { attemptId, outcome: found, evidence, source: 'lookup' }));
}

/**
 * Withdraws the action at once if the merchant cancels the payment, or the customer has chosen another way to pay. The
 * end belongs to `context`, the request; a success or refusal that was found belongs to the payment itself. If the
 * processor cannot withdraw the action, the request waits until the customer's time is over.
 */
export async function endUnwanted(
  needs: PaymentNeeds,
  paymentId: string,
  by: 'merchant' | 'customer',
  context: Context,
): Promise<void> {
  const { state } = await needs.payments.current(paymentId);
  const attempt = waitingAuthorization(state);
  if (attempt === undefined || !isKnown(state)) return;
  if (by === 'merchant' ? state.cancellation === undefined : attempt.givenUp !== true) return;
  const made = await fence(needs, paymentId, state, attempt);
  await endAsFound(needs, { paymentId, payment: state, attempt, made }, context);
}

/** Somebody with a say wants the action to end before its time is over. */
const isUnwanted = ({ cancellation }: KnownPayment, { givenUp }: WaitingAuthorization): boolean =>
  cancellation !== undefined || givenUp === true;

const isMoneyTaken = ({ paymentMethod }: KnownPayment): boolean =>
  METHODS[paymentMethod.paymentMethodType].capture === 'with_authorization';

const isWish = ({ type }: PaymentEvent): boolean => type === 'CancellationIntended' || type === 'CustomerActionGivenUp';

interface Ending {
  readonly paymentId: string;
  readonly payment: KnownPayment;
  readonly attempt: WaitingAuthorization;
  readonly made: FenceMade;
}

/** `context`: of the end, where nobody had acted. */
async function endAsFound(
  needs: PaymentNeeds,
  { paymentId, payment, attempt, made }: Ending,
  context: Context,
): Promise<void> {
  const { attemptId } = attempt;
  const { found, evidence, isFenced } = made;
  const at = needs.world.now();
  const own = await ownChain(needs, paymentId, attempt, context);
  const isInTime = isUnwanted(payment, attempt) && at < attempt.expiresAt;
  if (found.kind === 'unreachable' || found.kind === 'unknown') {
    const soonMs = isInTime ? Math.min(FENCE_AGAIN_MS, FENCE_SOON_MS * 2 ** attempt.lookUps) : FENCE_AGAIN_MS;
    return askAgain(needs, paymentId, attempt, { answer: found.kind, evidence, nextLookUpAt: at + soonMs }, own);
  }
  const isWaiting = found.kind === 'requires_action' || found.kind === 'not_found';
  if (isWaiting && !isFenced && isInTime) {
    // Before its time a look-up leaves no trace.
    if (at < attempt.nextLookUpAt) return;
    return askAgain(needs, paymentId, attempt, { answer: found.kind, evidence, nextLookUpAt: attempt.expiresAt }, own);
  }
  // Money that was taken while nobody had ended the payment pays it: it cannot be voided, and nothing dates it as late.
  const isPaid = !isUnwanted(payment, attempt) && isMoneyTaken(payment);
  const goesOn =
    found.kind === 'declined' || found.kind === 'pending' || (found.kind === 'succeeded' && (isInTime || isPaid));
  await recordFact(needs, paymentId, isWaiting && isInTime ? context : own, (timing) => {
    const settlement = { attemptId, evidence, source: 'lookup', ...timing } as const;
    return goesOn
      ? settleAttempt({ ...settlement, outcome: found })
      : endAction({ ...settlement, found, isFenced, wasGivenUp: attempt.givenUp === true });
  });
}

/** Once for all nodes that asked at the same time. */
async function askAgain(
  needs: PaymentNeeds,
  paymentId: string,
  { attemptId, lookUps }: WaitingAuthorization,
  asked: Pick<LookUpMade, 'answer' | 'evidence' | 'nextLookUpAt'>,
  context: Context,
): Promise<void> {
  const record = recordLookUp({ attemptId, processorTransactionId: undefined, ...asked });
  await transact(needs.payments, paymentId, context, (state) => {
    const now = attemptOf(state, attemptId);
    return now !== undefined && awaitsCustomer(now) && now.lookUps === lookUps ? record(state) : accept();
  });
}

/**
 * Fences a refusal that is not final at the processor. If somebody has confirmed it again, that success is voided, by
 * the fence or after it. A fence without an answer is asked for again later.
 */
export async function fenceRefusal(
  needs: PaymentNeeds,
  paymentId: string,
  payment: KnownPayment,
  attempt: Attempt,
  begun: Context,
): Promise<void> {
  const { attemptId, requestedAt, lookUps } = attempt;
  const { found, evidence, isFenced } = await fence(needs, paymentId, payment, attempt);
  const own = await ownChain(needs, paymentId, attempt, begun);
  const isOpen = found.kind === 'unreachable' || found.kind === 'unknown' || found.kind === 'pending';
  if (isOpen || !isFenced) {
    const at = needs.world.now();
    const nextLookUpAt = keepsSession(attempt)
      ? at + Math.min(FENCE_AGAIN_MS, FENCE_SOON_MS * 2 ** lookUps)
      : lookUpAfter(requestedAt, lookUps, at);
    const told = { answer: found.kind === 'released' ? 'unknown' : found.kind, evidence, nextLookUpAt } as const;
    const record = recordLookUp({ attemptId, processorTransactionId: undefined, ...told });
    await transact(needs.payments, paymentId, own, (state) =>
      attemptOf(state, attemptId)?.lookUps === lookUps ? record(state) : accept(),
    );
    return;
  }
  await recordFact(needs, paymentId, own, (timing) => {
    const settlement = { attemptId, evidence, source: 'lookup', ...timing } as const;
    return found.kind === 'succeeded'
      ? settleAttempt({ ...settlement, outcome: found })
      : settleFenced({ ...settlement, found: found.kind === 'released' ? found : { kind: 'not_found' } });
  });
}

/** Fences the refusals that keep the session of the payment, so that the customer can pay again. */
export async function freeSession(
  needs: PaymentNeeds,
  paymentId: string,
  payment: Payment,
  context: Context,
): Promise<void> {
  if (!isKnown(payment)) return;
  for (const attempt of payment.attempts.filter(keepsSession))
    await fenceRefusal(needs, paymentId, payment, attempt, context);
}

/**
 * Ends what the processor prepared under this name for an attempt that is over without it. True if nothing can come of
 * the name any more; false if it has to be asked again. Never throws.
 */
export async function fenceOrphan(
  needs: PaymentNeeds,
  paymentId: string,
  payment: KnownPayment,
  attempt: Attempt,
  name: string,
): Promise<boolean> {
  const processor = await needs.connections.processor(attempt.processor);
  if (processor?.fence === undefined) return false;
  const request = { ...operationRequest(paymentId, payment, attempt), processorTransactionId: name };
  const found = await needs.dueLookUps(() => askAbout(needs, processor, attempt, request, FENCE));
  return found.kind === 'not_found';
}
