// A captured payment with an open dispute, as the sandbox has it and as a notification of the sandbox would tell,
// without HTTP.
import { recordDispute } from '../../src/domain/payment/dispute-word.ts';
import { operatorContext } from '../../src/journal/contexts.ts';
import { disputeIdOf } from '../../src/processors/sandbox/names.ts';
import type { Service } from '../../src/service.ts';
import { done, known } from './answers.ts';
import { card, checkout, merchant } from './node.ts';
import type { MovableWorld } from './test-world.ts';

/** A card whose disputes are decided by their evidence. */
const DISPUTED = '4000009900004048';
const OPENS_AFTER_MS = 5_000;
/** From its opening on the merchant has so long to answer, ms. */
export const TO_ANSWER_MS = 7 * 86_400_000;
export const DISPUTED_MONEY = { amount: 1_000, currencyCode: 'EUR' } as const;

export interface DisputedPayment {
  readonly id: string;
  readonly disputeId: string;
  /** The sandbox's own name of the dispute. */
  readonly processorDisputeId: string;
  readonly openedAt: number;
}

/** Moves the clock until the dispute is open. */
export async function disputedPayment(
  service: Service,
  world: MovableWorld,
  accountId: string,
): Promise<DisputedPayment> {
  const caller = merchant(accountId, world);
  const session = await service.sessions.createClientSession({ orderId: 'o-1', ...DISPUTED_MONEY }, caller);
  if (session.kind === 'rejected') throw new Error(session.description);
  const { id: paymentMethodToken } = done(
    await service.instruments.tokenizeCard(card(DISPUTED), checkout(accountId, session.id, world)),
  );
  const { id } = done(
    await service.payments.authorizePayment({ clientToken: session.clientToken, paymentMethodToken }, caller),
  );
  const captured = known(done(await service.payments.capturePayment(id, {}, caller)).doc);
  const capture = captured.attempts.find(({ operation }) => operation === 'capture');
  if (capture === undefined) throw new Error('nothing is captured');
  world.advance(OPENS_AFTER_MS);
  const disputed = {
    id,
    disputeId: 'dsp_1',
    processorDisputeId: disputeIdOf(capture.reference),
    openedAt: world.now(),
  };
  const word = recordDispute({
    ...disputed,
    attemptId: capture.attemptId,
    status: 'OPEN',
    ...DISPUTED_MONEY,
    challengeRequiredBy: disputed.openedAt + TO_ANSWER_MS,
    evidence: { source: 'notification', occurredAt: disputed.openedAt },
  });
  await service.payments.recordFact(id, operatorContext(world, accountId), () => word);
  return disputed;
}
