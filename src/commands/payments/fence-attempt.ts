// Makes it certain that an attempt that waits for its customer takes no effect any more, and records what was found by then.
import { accept } from '../../domain/decider.ts';
import { type ActionRequired, type Asked, type Attempt, awaitsCustomer } from '../../domain/payment/attempt.ts';
import { endAction, fenceAction, waitingAuthorization } from '../../domain/payment/authentication.ts';
import { recordLookUp } from '../../domain/payment/look-up.ts';
import type { Evidence, LookUp } from '../../domain/payment/outcome.ts';
import type { KnownPayment } from '../../domain/payment/payment.ts';
import { attemptOf, isKnown } from '../../domain/payment/queries.ts';
import { settleAttempt } from '../../domain/payment/settle.ts';
import type { Context } from '../../journal/context.ts';
import { transact } from '../../journal/transact.ts';
import { connectionOf } from '../../processors/connections.ts';
import type { OperationRequest, Processor } from '../../processors/processor.ts';
import { evidenceOf, withoutCardNumbers } from './call-evidence.ts';
import type { LookUpNeeds } from './needs.ts';
import { operationRequest } from './operation-request.ts';
import { askProcessor } from './processor-call.ts';
import { recordFact } from './pursue-attempts.ts';

/** The longest time of the call, ms. */
const FENCE_WITHIN_MS = 10_000;
/** The pause after a fence that was not answered, ms. */
const FENCE_AGAIN_MS = 60_000;
/** The first one while a customer waits to pay in another way, ms; each later one is twice as long. */
const FENCE_SOON_MS = 5_000;

/** An authorization that waits for its customer. */
type Waiting = Asked & ActionRequired;

interface FenceMade {
  readonly found: LookUp;
  readonly evidence: Evidence;
  /** Whether it is certain now: false of a processor without a fence, which is only looked up. */
  readonly isFenced: boolean;
}

/** What a processor without a fence does afterwards is known late: a success is voided. Never throws. */
async function fence(needs: LookUpNeeds, paymentId: string, payment: KnownPayment, attempt: Attempt): Promise<FenceMade> {
  const sentAt = needs.world.now();
  const processor = needs.processors.get(attempt.processor);
  const found =
    processor === undefined
      ? noProcessor(attempt)
      : await fenceAt(needs, processor, operationRequest(paymentId, payment, attempt), attempt);
  return { found, evidence: evidenceOf('lookup', found, { sentAt }), isFenced: processor?.fence !== undefined };
}

const noProcessor = ({ processor }: Attempt): LookUp => ({ kind: 'unreachable', detail: `no processor ${processor} on this node` });

async function fenceAt(needs: LookUpNeeds, processor: Processor, request: OperationRequest, attempt: Attempt): Promise<LookUp> {
  const found = await askProcessor(needs, processor.name, { what: 'fence', patienceMs: FENCE_WITHIN_MS }, (signal) =>
    (processor.fence ?? processor.lookUp).call(processor, request, { connection: connectionOf(attempt), signal }),
  );
  return withoutCardNumbers(found);
}

/** The time to act is over, or the customer gave it up: the payment ends as it was found, or the processor is asked again later. */
export async function endDueAction(
  needs: LookUpNeeds,
  paymentId: string,
  payment: KnownPayment,
  attempt: Waiting,
  begun: Context,
): Promise<void> {
  const made = await needs.dueLookUps(() => fence(needs, paymentId, payment, attempt));
  // What falls due was caused by the request that the attempt is of.
  const cause = await needs.payments.causeAt(paymentId, attempt.requestedRevision);
  await endAsFound(needs, paymentId, attempt, made, { ...begun, ...cause, at: needs.world.now() });
}

/** The same at once, for a customer who has given the action up and waits to pay in another way. */
export async function endGivenUp(needs: LookUpNeeds, paymentId: string, context: Context): Promise<void> {
  const { state } = await needs.payments.current(paymentId);
  const attempt = waitingAuthorization(state);
  if (attempt?.givenUp !== true || !isKnown(state)) return;
  const made = await fence(needs, paymentId, state, attempt);
  await endAsFound(needs, paymentId, attempt, made, { ...context, at: needs.world.now() });
}

async function endAsFound(
  needs: LookUpNeeds,
  paymentId: string,
  attempt: Waiting,
  { found, evidence, isFenced }: FenceMade,
  context: Context,
): Promise<void> {
  const { attemptId, lookUps } = attempt;
  const { at } = context;
  const isInTime = attempt.givenUp === true && at < attempt.expiresAt;
  if (found.kind === 'unreachable' || found.kind === 'unknown') {
    const { kind: answer } = found;
    const nextLookUpAt = at + (isInTime ? Math.min(FENCE_AGAIN_MS, FENCE_SOON_MS * 2 ** lookUps) : FENCE_AGAIN_MS);
    const record = recordLookUp({ attemptId, answer, processorTransactionId: undefined, evidence, nextLookUpAt });
    await transact(needs.payments, paymentId, context, (state) => {
      const now = attemptOf(state, attemptId);
      return now !== undefined && awaitsCustomer(now) && now.lookUps === lookUps ? record(state) : accept();
    });
    return;
  }
  await recordFact(needs, paymentId, context, (timing) => {
    const settlement = { attemptId, evidence, source: 'lookup', ...timing } as const;
    const goesOn = found.kind === 'declined' || found.kind === 'pending' || (found.kind === 'succeeded' && isInTime);
    return goesOn
      ? settleAttempt({ ...settlement, outcome: found })
      : endAction({ ...settlement, found, isFenced, wasGivenUp: attempt.givenUp === true });
  });
}

/**
 * Before a payment is cancelled: its customer may act no more. A success that was found there is the payment's, and the cancellation voids it.
 * Where the customer may still act, the cancellation is intended, and done as soon as that is over.
 */
export async function fenceWaiting(needs: LookUpNeeds, paymentId: string, context: Context): Promise<void> {
  const { state } = await needs.payments.current(paymentId);
  const attempt = waitingAuthorization(state);
  if (attempt === undefined || !isKnown(state)) return;
  const { attemptId } = attempt;
  const { found, evidence, isFenced } = await fence(needs, paymentId, state, attempt);
  if (found.kind === 'unreachable' || found.kind === 'unknown') return;
  const stillWaits = found.kind === 'requires_action' || found.kind === 'not_found';
  if (stillWaits && !isFenced) return;
  await recordFact(needs, paymentId, context, (timing) =>
    stillWaits ? fenceAction({ attemptId, evidence }) : settleAttempt({ attemptId, evidence, source: 'lookup', outcome: found, ...timing }),
  );
}
