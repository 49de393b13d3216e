// POST /payments/{id}/capture, /cancel, /refund and /adjust-authorization: one way, four decisions.
import { z } from 'zod';
import { type Decision, reject } from '../../domain/decider.ts';
import { Metadata } from '../../domain/metadata.ts';
import { requestAdjustment, requestCancellation, requestCapture, requestRefund } from '../../domain/payment/decide.ts';
import { attemptsToAskAbout, isKnown, type Payment, type PaymentEvent } from '../../domain/payment/state.ts';
import { answerAttempt, attemptIdOf, replayAttempt } from '../attempts/attempt-answers.ts';
import { lookUpAttempts } from '../attempts/look-up-attempts.ts';
import { attemptTiming, pursueAttempts } from '../attempts/pursue-attempts.ts';
import type { Answer, Caller } from '../caller.ts';
import { PositiveAmount } from '../fields/amount.ts';
import { identifier, shortText } from '../fields/text.ts';
import type { House } from '../house.ts';
import { aside, type Operation, revisionOf, transactFor, type Worked } from '../operation.ts';
import { concludePayment } from './conclude-payment.ts';
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

interface Attempted {
  readonly attemptId: string;
  readonly at: number;
  readonly sendBy: number;
  readonly nextLookUpAt: number;
}
type Change = (attempt: Attempted) => (payment: Payment) => Decision<PaymentEvent>;

export const capturePayment =
  (house: House) =>
  (paymentId: string, { final = true, ...request }: z.output<typeof CapturePayment>, caller: Caller): Promise<Answer<Payment>> =>
    change(house, 'capture-payment', paymentId, caller, (attempt) => requestCapture({ ...request, final, ...attempt }));

export const cancelPayment =
  (house: House) =>
  (paymentId: string, request: z.output<typeof CancelPayment>, caller: Caller): Promise<Answer<Payment>> =>
    change(house, 'cancel-payment', paymentId, caller, (attempt) => requestCancellation({ ...request, ...attempt }));

export const refundPayment =
  (house: House) =>
  (paymentId: string, request: z.output<typeof RefundPayment>, caller: Caller): Promise<Answer<Payment>> =>
    change(house, 'refund-payment', paymentId, caller, (attempt) =>
      requestRefund({ ...request, refundId: `ref_${attempt.attemptId.split('.')[1] ?? ''}`, ...attempt }),
    );

export const adjustAuthorization =
  (house: House) =>
  (paymentId: string, request: z.output<typeof AdjustAuthorization>, caller: Caller): Promise<Answer<Payment>> =>
    change(house, 'adjust-authorization', paymentId, caller, (attempt) => requestAdjustment({ ...request, ...attempt }));

async function change(house: House, name: string, paymentId: string, caller: Caller, decide: Change): Promise<Answer<Payment>> {
  const { state } = await house.payments.load(paymentId);
  if (!isKnown(state) || state.accountId !== caller.accountId) return reject('NotFound', 'There is no such payment.');
  return house.operations.once(caller, {
    name,
    target: house.payments,
    resource: { id: paymentId },
    admit: async () => house.circuits.admit(state.processor),
    async work(operation) {
      const worked = await work(house, operation, decide);
      if (!worked.appended) house.circuits.untried(state.processor);
      return worked;
    },
    replay: (operation, revision) => replayAttempt(house, operation, revision),
  });
}

async function work(house: House, operation: Operation, decide: Change): Promise<Worked<Answer<Payment>>> {
  const { context, resourceId: paymentId } = operation;
  await askFirst(house, operation);
  const startedAt = house.world.monotonic();
  const attemptId = attemptIdOf(operation);
  const decided = decide({ attemptId, ...attemptTiming(house.world.now(), house.timings) });
  const requested = await transactFor(operation, house.payments, ifSupported(house.processors, decided));
  if (requested.kind === 'rejected') return { answer: requested, appended: false };
  if (requested.kind !== 'written') {
    return { answer: await replayAttempt(house, operation, revisionOf(requested)), appended: requested.kind === 'repeated' };
  }
  const pursued = await pursueAttempts(house, paymentId, requested, context, startedAt);
  const concluded = await concludePayment(house, paymentId, pursued, context);
  return { answer: answerAttempt(paymentId, concluded, attemptId), appended: true };
}

/** Before a new operation the processor is asked about attempts whose outcome is not known (contract §4). */
async function askFirst(house: House, { context, resourceId }: Operation): Promise<void> {
  const { state } = await house.payments.load(resourceId);
  if (!isKnown(state)) return;
  if (attemptsToAskAbout(state).length > 0) await lookUpAttempts(house, resourceId, 'all', aside(context, house.world));
}
