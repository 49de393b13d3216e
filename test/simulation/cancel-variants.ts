// Services that capture what their merchant cancels: each breaks one promise of the audit of cancellations.
import { contextOf } from '../../src/commands/caller.ts';
import { recordFact } from '../../src/commands/payments/attempt.ts';
import { makePayments, paymentNeeds } from '../../src/commands/payments/payments.ts';
import { operationRequest } from '../../src/commands/payments/processor-call.ts';
import type { Payment } from '../../src/domain/payment/payment.ts';
import { attemptsToAskAbout, isKnown } from '../../src/domain/payment/queries.ts';
import { settleAttempt } from '../../src/domain/payment/settle.ts';
import { connectionOf } from '../../src/processors/connections.ts';
import { newId } from '../../src/world.ts';
import type { BrokenVariant } from './variant.ts';

const LOOK_UP_WITHIN_MS = 3_000;

/**
 * Looks up before the wish is on record, and takes what it finds for its own: an automatic capture is then the
 * cancellation's.
 */
const looksBeforeTheWish: BrokenVariant = {
  name: 'a cancellation looks up before its wish',
  breaks: /was requested by a cancellation/,
  payments(parts) {
    const needs = paymentNeeds(parts);
    const sound = makePayments(parts);
    return {
      ...sound,
      async cancelPayment(id, request, caller) {
        const { state } = await needs.payments.current(id);
        for (const attempt of isKnown(state) ? attemptsToAskAbout(state) : []) {
          const processor = needs.processors.get(attempt.processor);
          if (processor === undefined || !isKnown(state)) continue;
          const call = { connection: connectionOf(attempt), signal: AbortSignal.timeout(LOOK_UP_WITHIN_MS) };
          const found = await processor.lookUp(operationRequest(id, state, attempt), call);
          if (found.kind !== 'succeeded') continue;
          await recordFact(needs, id, contextOf(caller, newId(needs.world, 'op')), (timing) =>
            settleAttempt({
              attemptId: attempt.attemptId,
              outcome: found,
              evidence: { source: 'lookup' },
              source: 'lookup',
              ...timing,
            }),
          );
        }
        return sound.cancelPayment(id, request, caller);
      },
    };
  },
};

/** Books what a notification tells as if nobody wanted the payment cancelled. */
const forgetsTheWish: BrokenVariant = {
  name: 'a notification forgets the wish to cancel',
  breaks: /came after its cancellation was asked for/,
  payments(parts) {
    const sound = makePayments(parts);
    return {
      ...sound,
      recordFact: (id, context, decide) =>
        sound.recordFact(id, context, (timing) => {
          const decided = decide(timing);
          return (payment, revision) => decided(unwished(payment), revision);
        }),
    };
  },
};

function unwished(payment: Payment): Payment {
  if (!isKnown(payment) || payment.status !== 'PENDING') return payment;
  const { cancellation: _forgotten, ...without } = payment;
  return without;
}

export const CANCEL_VARIANTS: readonly BrokenVariant[] = [looksBeforeTheWish, forgetsTheWish];
