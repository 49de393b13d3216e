// POST /payments/{id}/capture, /cancel, /refund and /adjust-authorization: one way, and a decision for each.
import { z } from 'zod';
import { reject } from '../../domain/decider.ts';
import { Metadata } from '../../domain/metadata.ts';
import { requestAdjustment } from '../../domain/payment/adjust.ts';
import { waitingAuthorization } from '../../domain/payment/authentication.ts';
import { requestCancellation } from '../../domain/payment/cancel.ts';
import { requestCapture } from '../../domain/payment/capture.ts';
import type { AttemptTiming } from '../../domain/payment/create.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import { attemptsToAskAbout, isKnown } from '../../domain/payment/queries.ts';
import { requestRefund } from '../../domain/payment/refund.ts';
import type { Decide } from '../../journal/transact.ts';
import type { Answer, Caller } from '../caller.ts';
import { aside, type Effect, revisionOf, transactFor, type Worked } from '../effect.ts';
import { PositiveAmount } from '../fields/amount.ts';
import { identifier, shortText } from '../fields/text.ts';
import { answerAttempt, attemptIdOf, replayAttempt } from './attempt-answers.ts';
import { concludePayment } from './conclude-payment.ts';
import { endUnwanted } from './fence-attempt.ts';
import { lookUpAttempts } from './look-up-attempts.ts';
import type { PaymentNeeds } from './needs.ts';
import { afterWish } from './own-chain.ts';
import { attemptTiming, pursueAttempts } from './pursue-attempts.ts';
import { readIfRefused } from './read-standing.ts';
import { ifSupported } from './supported.ts';

export const CapturePayment = z
  .strictObject({ amount: PositiveAmount, final: z.boolean(), metadata: Metadata })
  .partial()
  .meta({ id: 'CapturePayment' });
export const CancelPayment = z.strictObject({ reason: shortText }).partial().meta({ id: 'CancelPayment' });
export const RefundPayment = z
  .strictObject({ amount: PositiveAmount, orderId: identifier, reason: shortText, transactionEventId: identifier })
  .partial()
  .meta({ id: 'RefundPayment' });
export const AdjustAuthorization = z.strictObject({ amount: PositiveAmount }).meta({ id: 'AdjustAuthorization' });

type AttemptChange = (attempt: AttemptTiming & { readonly attemptId: string }) => Decide<Payment, PaymentEvent>;

/** The condition of If-Match: whether the caller changes the payment at this revision (412 otherwise). */
export type AtVersion = (revision: number) => boolean;

type Changing<Request extends z.ZodType> = (
  paymentId: string,
  request: z.output<Request>,
  caller: Caller,
  atVersion?: AtVersion,
) => Promise<Answer<Payment>>;

/** The operations on a payment that callers ask for. */
export interface PaymentChanges {
  readonly capturePayment: Changing<typeof CapturePayment>;
  readonly cancelPayment: Changing<typeof CancelPayment>;
  readonly refundPayment: Changing<typeof RefundPayment>;
  readonly adjustAuthorization: Changing<typeof AdjustAuthorization>;
}

export const makePaymentChanges = (needs: PaymentNeeds): PaymentChanges => ({
  capturePayment: (paymentId, { final = true, ...request }, caller, atVersion) =>
    change(needs, { name: 'capture-payment', paymentId, caller, atVersion }, (attempt) =>
      requestCapture({ ...request, final, ...attempt }),
    ),
  cancelPayment: (paymentId, request, caller, atVersion) =>
    change(
      needs,
      { name: 'cancel-payment', paymentId, caller, atVersion },
      (attempt) => requestCancellation({ ...request, ...attempt }),
      cancelWork,
    ),
  refundPayment: (paymentId, request, caller, atVersion) =>
    change(needs, { name: 'refund-payment', paymentId, caller, atVersion }, (attempt) =>
      requestRefund({ ...request, refundId: `ref_${attempt.attemptId.split('.')[1] ?? ''}`, ...attempt }),
    ),
  adjustAuthorization: (paymentId, request, caller, atVersion) =>
    change(needs, { name: 'adjust-authorization', paymentId, caller, atVersion }, (attempt) =>
      requestAdjustment({ ...request, ...attempt }),
    ),
});

/**
 * Decided on the payment's own stream: of two callers who saw the same version one changes it, on any node. What a
 * look-up of this call has just found is a newer version as well: the caller has not seen it.
 */
const ifUnchanged =
  (atVersion: AtVersion | undefined, decide: AttemptChange): AttemptChange =>
  (attempt) =>
  (payment, revision) =>
    atVersion?.(revision) === false
      ? reject('PreconditionFailed', 'The payment has changed since the version in If-Match.')
      : decide(attempt)(payment, revision);

type ChangeWork = (needs: PaymentNeeds, effect: Effect, decide: AttemptChange) => Promise<Worked<Answer<Payment>>>;

interface ChangeCall {
  readonly name: string;
  readonly paymentId: string;
  readonly caller: Caller;
  readonly atVersion: AtVersion | undefined;
}

async function change(
  needs: PaymentNeeds,
  { name, paymentId, caller, atVersion }: ChangeCall,
  decide: AttemptChange,
  work: ChangeWork = askFirstWork,
): Promise<Answer<Payment>> {
  const { state } = await needs.payments.load(paymentId);
  if (!isKnown(state) || state.accountId !== caller.accountId) return reject('NotFound', 'There is no such payment.');
  return needs.idempotency.once(caller, {
    name,
    target: needs.payments,
    resource: { id: paymentId },
    admit: async () => needs.circuits.admit(state),
    async work(effect) {
      const worked = await work(needs, effect, ifUnchanged(atVersion, decide));
      if (!worked.appended) needs.circuits.untried(state);
      return worked;
    },
    replay: (effect, revision) => replayAttempt(needs, effect, revision),
  });
}

/** The processor is asked about earlier attempts, then the operation is decided and done. */
async function askFirstWork(
  needs: PaymentNeeds,
  effect: Effect,
  decide: AttemptChange,
): Promise<Worked<Answer<Payment>>> {
  await askFirst(needs, effect);
  const { paymentId, attemptId, startedAt, requested } = await request(needs, effect, decide);
  if (requested.kind === 'rejected') return { answer: requested, appended: false };
  if (requested.kind !== 'written') {
    return {
      answer: await replayAttempt(needs, effect, revisionOf(requested)),
      appended: requested.kind === 'repeated',
    };
  }
  const { context } = effect;
  const pursued = await pursueAttempts(needs, paymentId, requested, context, startedAt);
  const concluded = await concludePayment(needs, paymentId, pursued.folded, pursued.context);
  await readIfRefused(needs, paymentId, concluded.state, pursued.context, ({ attemptId: one }) => one === attemptId);
  return { answer: answerAttempt(paymentId, concluded, attemptId), appended: true };
}

/**
 * A cancellation is decided before the processor is asked: a refused one looks nothing up, and a payment that waits has
 * the wish on record by the time that anything is found, so that it is voided and never captured (contract §4). A
 * second call for a payment that is to be cancelled asks, too: the process that was first may be gone.
 */
async function cancelWork(
  needs: PaymentNeeds,
  effect: Effect,
  decide: AttemptChange,
): Promise<Worked<Answer<Payment>>> {
  const { context, resourceId } = effect;
  const { state, head } = await needs.payments.current(resourceId);
  if (state.status !== 'PENDING') {
    const judged = decide(changing(needs, effect))(state, head.revision);
    return judged.kind === 'rejected' ? { answer: judged, appended: false } : askFirstWork(needs, effect, decide);
  }
  const { paymentId, attemptId, startedAt, requested } = await request(needs, effect, decide);
  if (requested.kind === 'rejected') return { answer: requested, appended: false };
  if (requested.kind === 'repeated')
    return { answer: await replayAttempt(needs, effect, requested.revision), appended: true };
  const after = await afterWish(needs, paymentId, requested, 'CancellationIntended', context);
  if (requested.kind === 'written') await pursueAttempts(needs, paymentId, requested, context, startedAt);
  const { state: wished } = requested.folded;
  if (wished.status === 'PENDING' && waitingAuthorization(wished) === undefined) await askFirst(needs, effect);
  await endUnwanted(needs, paymentId, 'merchant', after); // also of an action that the look-up has just found
  const concluded = await concludePayment(needs, paymentId, await needs.payments.load(paymentId), after);
  return { answer: answerAttempt(paymentId, concluded, attemptId), appended: requested.kind === 'written' };
}

const changing = (needs: PaymentNeeds, effect: Effect): Parameters<AttemptChange>[0] => ({
  attemptId: attemptIdOf(effect),
  ...attemptTiming(needs.world.now(), needs.timings),
});

async function request(needs: PaymentNeeds, effect: Effect, decide: AttemptChange) {
  const startedAt = needs.world.monotonic();
  const attempt = changing(needs, effect);
  const requested = await transactFor(effect, needs.payments, ifSupported(needs.processors, decide(attempt)));
  return { paymentId: effect.resourceId, attemptId: attempt.attemptId, startedAt, requested };
}

/** Before a new operation the processor is asked about attempts whose outcome is not known (contract §4). */
async function askFirst(needs: PaymentNeeds, { context, resourceId }: Effect): Promise<void> {
  const { state } = await needs.payments.load(resourceId);
  if (!isKnown(state)) return;
  if (attemptsToAskAbout(state).length > 0) await lookUpAttempts(needs, resourceId, 'all', aside(context, needs.world));
}
