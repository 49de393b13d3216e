// POST /payments/{id}/capture, /cancel, /refund and /adjust-authorization: one way, and a decision for each.
import { z } from 'zod';
import { type Rejection, reject } from '../../domain/decider.ts';
import { Metadata } from '../../domain/metadata.ts';
import { waitingAuthorization } from '../../domain/payment/authentication.ts';
import { requestAdjustment, requestCancellation, requestCapture } from '../../domain/payment/change.ts';
import type { AttemptTiming } from '../../domain/payment/create.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import type { KnownPayment, Payment } from '../../domain/payment/payment.ts';
import { attemptsToAskAbout, isKnown } from '../../domain/payment/queries.ts';
import { requestRefund } from '../../domain/payment/refund.ts';
import { networkOf } from '../../domain/payment-instrument/recorded-data.ts';
import type { Decide } from '../../journal/transact.ts';
import { connectionOf } from '../../processors/connections.ts';
import type { Capabilities, Processor } from '../../processors/processor.ts';
import type { Answer, Caller } from '../caller.ts';
import { aside, type Effect, revisionOf, transactFor } from '../effect.ts';
import { PositiveAmount } from '../fields/amount.ts';
import { identifier, shortText } from '../fields/text.ts';
import { replayed } from '../idempotency.ts';
import { attemptTiming, concludePayment, pursueAttempts } from './attempt.ts';
import { answerAttempt, attemptIdOf, type Finished, refused, replayAttempt } from './attempt-answers.ts';
import { endUnwanted } from './fence-attempt.ts';
import { afterWish } from './findings.ts';
import { lookUpAttempts } from './look-up-attempts.ts';
import type { PaymentNeeds } from './needs.ts';
import { readIfRefused } from './read-standing.ts';

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

export type AttemptChange = (attempt: AttemptTiming & { readonly attemptId: string }) => Decide<Payment, PaymentEvent>;

/** The condition of If-Match: whether the caller changes the payment at this revision (412 otherwise). */
type AtVersion = (revision: number) => boolean;

export const capturing =
  ({ final = true, ...request }: z.output<typeof CapturePayment>): AttemptChange =>
  (attempt) =>
    requestCapture({ ...request, final, ...attempt });

export const cancelling =
  (request: z.output<typeof CancelPayment>): AttemptChange =>
  (attempt) =>
    requestCancellation({ ...request, ...attempt });

export const refunding =
  (request: z.output<typeof RefundPayment>): AttemptChange =>
  (attempt) =>
    requestRefund({ ...request, refundId: `ref_${attempt.attemptId.split('.')[1] ?? ''}`, ...attempt });

export function capturePayment(
  needs: PaymentNeeds,
  paymentId: string,
  request: z.output<typeof CapturePayment>,
  caller: Caller,
  atVersion?: AtVersion,
): Promise<Answer<Payment>> {
  return change(needs, 'capture-payment', paymentId, caller, ifUnchanged(atVersion, capturing(request)));
}

export function cancelPayment(
  needs: PaymentNeeds,
  paymentId: string,
  request: z.output<typeof CancelPayment>,
  caller: Caller,
  atVersion?: AtVersion,
): Promise<Answer<Payment>> {
  return change(needs, 'cancel-payment', paymentId, caller, ifUnchanged(atVersion, cancelling(request)), cancel);
}

export function refundPayment(
  needs: PaymentNeeds,
  paymentId: string,
  request: z.output<typeof RefundPayment>,
  caller: Caller,
  atVersion?: AtVersion,
): Promise<Answer<Payment>> {
  return change(needs, 'refund-payment', paymentId, caller, ifUnchanged(atVersion, refunding(request)));
}

export function adjustAuthorization(
  needs: PaymentNeeds,
  paymentId: string,
  request: z.output<typeof AdjustAuthorization>,
  caller: Caller,
  atVersion?: AtVersion,
): Promise<Answer<Payment>> {
  const decide: AttemptChange = (attempt) => requestAdjustment({ ...request, ...attempt });
  return change(needs, 'adjust-authorization', paymentId, caller, ifUnchanged(atVersion, decide));
}

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

/** The caller's payment; NotFound for one of another account, as if it never existed. */
export async function ownPayment(
  { payments }: Pick<PaymentNeeds, 'payments'>,
  paymentId: string,
  caller: Caller,
): Promise<KnownPayment | Rejection> {
  const { state } = await payments.load(paymentId);
  if (!isKnown(state) || state.accountId !== caller.accountId) return reject('NotFound', 'There is no such payment.');
  return state;
}

async function change(
  needs: PaymentNeeds,
  name: string,
  paymentId: string,
  caller: Caller,
  decide: AttemptChange,
  work = perform,
): Promise<Answer<Payment>> {
  const state = await ownPayment(needs, paymentId, caller);
  if ('kind' in state) return state;
  using operation = await needs.idempotency.open(caller, name);
  const target = { streams: needs.payments, resource: { id: paymentId } };
  const begun = await operation.begin(target, () => needs.circuits.admit(state));
  if (begun.kind === 'rejected') return begun;
  if (begun.kind === 'repeated') return replayed(await replayAttempt(needs, begun, begun.revision));
  const { answer, result } = await work(needs, begun, decide);
  if (result === 'nothing') needs.circuits.untried(state);
  return await operation.end(begun, answer, result);
}

/** The processor is asked about earlier attempts, then the operation is decided and done. */
async function perform(needs: PaymentNeeds, effect: Effect, decide: AttemptChange): Promise<Finished> {
  await askFirst(needs, effect);
  const { paymentId, attemptId, startedAt, requested } = await request(needs, effect, decide);
  if (requested.kind === 'rejected') return refused(requested);
  if (requested.kind !== 'written') {
    const answer = await replayAttempt(needs, effect, revisionOf(requested));
    return { answer, result: requested.kind === 'repeated' ? 'appended' : 'nothing' };
  }
  const { folded, context } = await pursueAttempts(needs, paymentId, requested, effect.context, startedAt);
  await readIfRefused(needs, paymentId, folded.state, context, ({ attemptId: one }) => one === attemptId);
  return { answer: answerAttempt(paymentId, folded, attemptId), result: 'appended' };
}

/**
 * A cancellation is decided before the processor is asked: a refused one looks nothing up, and a payment that waits has
 * the wish on record by the time that anything is found, so that it is voided and never captured (contract §4). A
 * second call for a payment that is to be cancelled asks, too: the process that was first may be gone.
 */
async function cancel(needs: PaymentNeeds, effect: Effect, decide: AttemptChange): Promise<Finished> {
  const { context, resourceId } = effect;
  const { state, head } = await needs.payments.current(resourceId);
  if (state.status !== 'PENDING') {
    const judged = decide(changing(needs, effect))(state, head.revision);
    return judged.kind === 'rejected' ? refused(judged) : perform(needs, effect, decide);
  }
  const { paymentId, attemptId, startedAt, requested } = await request(needs, effect, decide);
  if (requested.kind === 'rejected') return refused(requested);
  if (requested.kind === 'repeated')
    return { answer: await replayAttempt(needs, effect, requested.revision), result: 'appended' };
  const after = await afterWish(needs, paymentId, requested, 'CancellationIntended', context);
  if (requested.kind === 'written') await pursueAttempts(needs, paymentId, requested, context, startedAt);
  const { state: wished } = requested.folded;
  if (wished.status === 'PENDING' && waitingAuthorization(wished) === undefined) await askFirst(needs, effect);
  await endUnwanted(needs, paymentId, 'merchant', after); // also of an action that the look-up has just found
  const concluded = await concludePayment(needs, paymentId, await needs.payments.load(paymentId), after);
  const result = requested.kind === 'written' ? 'appended' : 'nothing';
  return { answer: answerAttempt(paymentId, concluded, attemptId), result };
}

export const changing = (
  needs: PaymentNeeds,
  effect: Pick<Effect, 'context' | 'resourceId'>,
): Parameters<AttemptChange>[0] => ({
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

/** The decision itself, or OperationNotSupported; every other refusal takes precedence. */
export const ifSupported =
  (processors: ReadonlyMap<string, Processor>, decide: Decide<Payment, PaymentEvent>): Decide<Payment, PaymentEvent> =>
  (payment, revision) => {
    const decision = decide(payment, revision);
    if (decision.kind === 'rejected' || !isKnown(payment)) return decision;
    const processor = processors.get(payment.processor);
    if (processor === undefined) return decision; // its attempt will not be sent, and says so
    if (processor.fence === undefined && decision.events.some(({ type }) => type === 'CustomerActionGivenUp'))
      return reject(
        'OperationNotSupported',
        `The processor ${payment.processor} cannot withdraw a customer action before it expires.`,
      );
    const { paymentMethod, possible } = payment;
    const network = networkOf(paymentMethod.paymentMethodType, paymentMethod.paymentMethodData);
    const capabilities = processor.capabilities(connectionOf(payment), { network, possible });
    return (
      decision.events
        .map((event) => unsupported(capabilities, payment, event))
        .find((refusal) => refusal !== undefined) ?? decision
    );
  };

function unsupported(
  { partialCapture, multipleCaptures, adjustment }: Capabilities,
  payment: KnownPayment,
  event: PaymentEvent,
): Rejection | undefined {
  const refused = (description: string): Rejection =>
    reject('OperationNotSupported', `The processor ${payment.processor} ${description}`);
  if (event.type === 'CaptureRequested') {
    const { amount, final } = event.data;
    const isPart = amount < payment.amountCapturable;
    if (payment.amountCaptured > 0 && !multipleCaptures) return refused('captures an authorization once.');
    if (isPart && !partialCapture) return refused('captures only the whole amount of an authorization.');
    if (isPart && !final && !multipleCaptures) return refused('captures once, so the capture has to be final.');
  }
  if (event.type === 'AdjustmentRequested') {
    if (adjustment === 'none') return refused('cannot adjust an authorization.');
    if (adjustment === 'raise' && event.data.amount < payment.amountAuthorized)
      return refused('can only increase an authorization.');
  }
  return undefined;
}
