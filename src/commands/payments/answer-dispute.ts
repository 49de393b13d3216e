// POST /payments/{id}/disputes/{disputeId}/evidence and /accept: the answer is on record before it is sent, and its
// outcome is graded (contract §13).
import { z } from 'zod';
import { type Decision, type Rejection, reject } from '../../domain/decider.ts';
import {
  disputeOf,
  draftEvidence,
  requestDisputeAnswer,
  settleDisputeAnswer,
} from '../../domain/payment/dispute-answer.ts';
import type { DisputeSubmission, PaymentEvent } from '../../domain/payment/events.ts';
import { plannedLookUpAt } from '../../domain/payment/look-up.ts';
import type { Outcome } from '../../domain/payment/outcome.ts';
import {
  type AnswerToDispute,
  type Dispute,
  isOpenAnswer,
  type KnownPayment,
  type Payment,
} from '../../domain/payment/payment.ts';
import { isKnown } from '../../domain/payment/queries.ts';
import { answerReason } from '../../domain/payment/status-reason.ts';
import type { Context } from '../../journal/context.ts';
import type { Folded } from '../../journal/fold.ts';
import { contextAfter, transact } from '../../journal/transact.ts';
import type { DisputeRequest } from '../../processors/processor.ts';
import { type Answer, type Caller, completed } from '../caller.ts';
import { aside, type Effect, revisionOf, transactFor } from '../effect.ts';
import { EmailAddress } from '../fields/session-fields.ts';
import { shortText, textUpTo } from '../fields/text.ts';
import { changeOnce, inProgress, replayed } from '../idempotency.ts';
import { attemptTiming } from './attempt.ts';
import { attemptIdOf, type Finished, refused } from './attempt-answers.ts';
import { lookUpDisputes, placeOfDispute } from './look-up-disputes.ts';
import type { PaymentNeeds } from './needs.ts';
import { type CallMade, callProcessor, evidenceOf } from './processor-call.ts';

const TEXT_CHARACTERS = 20_000;

export const DisputeEvidence = z
  .strictObject({
    text: textUpTo(TEXT_CHARACTERS),
    customerEmail: EmailAddress.optional(),
    shippingTrackingNumber: shortText.optional(),
    submit: z.boolean().optional(),
  })
  .meta({ id: 'DisputeEvidence' });
export const DisputeAcceptance = z.strictObject({}).meta({ id: 'DisputeAcceptance' });

type Said = { readonly kind: 'evidence'; readonly submission: DisputeSubmission } | { readonly kind: 'acceptance' };

/** Without `submit` the evidence is kept here, and nothing is sent. */
export async function submitEvidence(
  needs: PaymentNeeds,
  paymentId: string,
  disputeId: string,
  { submit = false, ...submission }: z.output<typeof DisputeEvidence>,
  caller: Caller,
): Promise<Answer<Payment>> {
  const said = { kind: 'evidence', submission } as const;
  if (submit) return answer(needs, 'submit-evidence', paymentId, disputeId, said, caller);
  const refused = await refusedFor(needs, paymentId, disputeId, caller);
  if (refused !== undefined) return refused;
  const target = { streams: needs.payments, resource: { id: paymentId } };
  const decide = draftEvidence(paymentId, disputeId, submission, caller.at);
  using operation = await needs.idempotency.open(caller, 'draft-evidence');
  const drafted = await changeOnce(operation, target, () => decide);
  if (drafted.kind === 'rejected') return drafted;
  const answered = completed(paymentId, drafted.folded);
  return drafted.replayed ? replayed(answered) : answered;
}

export const acceptDispute = (
  needs: PaymentNeeds,
  paymentId: string,
  disputeId: string,
  caller: Caller,
): Promise<Answer<Payment>> => answer(needs, 'accept-dispute', paymentId, disputeId, { kind: 'acceptance' }, caller);

/** Another account's payment is one that never existed. */
async function refusedFor(
  needs: PaymentNeeds,
  paymentId: string,
  disputeId: string,
  caller: Caller,
): Promise<Rejection | undefined> {
  const { state } = await needs.payments.load(paymentId);
  if (!isKnown(state) || state.accountId !== caller.accountId) return reject('NotFound', 'There is no such payment.');
  if (disputeOf(state, disputeId) !== undefined) return undefined;
  const { state: newer } = await needs.payments.current(paymentId);
  return disputeOf(newer, disputeId) === undefined ? reject('NotFound', 'There is no such dispute.') : undefined;
}

async function answer(
  needs: PaymentNeeds,
  name: string,
  paymentId: string,
  disputeId: string,
  said: Said,
  caller: Caller,
): Promise<Answer<Payment>> {
  const refused = await refusedFor(needs, paymentId, disputeId, caller);
  if (refused !== undefined) return refused;
  const { state } = await needs.payments.load(paymentId);
  const circuit = { accountId: caller.accountId, connectionId: isKnown(state) ? state.connectionId : '' };
  using operation = await needs.idempotency.open(caller, name);
  const target = { streams: needs.payments, resource: { id: paymentId } };
  const admit = () => needs.circuits.admit(circuit);
  let begun = await operation.begin(target, admit);
  if (begun.kind === 'repeated') {
    const { state: now } = await needs.payments.current(paymentId);
    if (neverArrived(now, disputeId, attemptIdOf(begun))) begun = await operation.beginAfresh(begun, target, admit);
  }
  if (begun.kind === 'rejected') return begun;
  if (begun.kind === 'repeated') return replayed(await replayDisputeAnswer(needs, begun, disputeId, begun.revision));
  const { answer, result } = await work(needs, begun, disputeId, said);
  if (result === 'nothing') needs.circuits.untried(circuit);
  return await operation.end(begun, answer, result);
}

async function work(needs: PaymentNeeds, effect: Effect, disputeId: string, said: Said): Promise<Finished> {
  const { context, resourceId: paymentId } = effect;
  await lookUpDisputes(needs, paymentId, 'all', aside(context, needs.world));
  const startedAt = needs.world.monotonic();
  const named = { disputeId, answerId: attemptIdOf(effect) };
  const timing = attemptTiming(needs.world.now(), needs.timings);
  const decide = ifTaken(needs, requestDisputeAnswer({ ...named, answer: said, ...timing }));
  const requested = await transactFor(effect, needs.payments, decide);
  if (requested.kind === 'rejected') return refused(requested);
  if (requested.kind !== 'written') {
    const repeated = await replayDisputeAnswer(needs, effect, disputeId, revisionOf(requested));
    return { answer: repeated, result: requested.kind === 'repeated' ? 'appended' : 'nothing' };
  }
  const sent = await sendDisputeAnswer(needs, requested.folded.state, disputeId, startedAt);
  const caused = contextAfter(context, requested);
  const settled = await settle(needs, paymentId, named, sent, caused).catch((fault: unknown) => {
    needs.report(fault); // the outcome is not on record; it is looked up
    return requested.folded;
  });
  const isVoid = neverArrived(settled.state, disputeId, named.answerId);
  const answer = answerToDispute(paymentId, settled, disputeId, named.answerId);
  return { answer, result: isVoid ? 'abandoned' : 'appended' };
}

/** OperationNotSupported where the processor takes no answers; every other refusal comes first. */
const ifTaken =
  ({ processors }: PaymentNeeds, decide: (payment: Payment) => Decision<PaymentEvent>) =>
  (payment: Payment): Decision<PaymentEvent> => {
    const decision = decide(payment);
    if (decision.kind === 'rejected' || !isKnown(payment)) return decision;
    const processor = processors.get(payment.processor);
    if (processor === undefined || processor.dispute !== undefined) return decision;
    return reject('OperationNotSupported', `The processor ${payment.processor} accepts no responses to disputes here.`);
  };

interface Named {
  readonly disputeId: string;
  readonly answerId: string;
}

async function settle(
  needs: PaymentNeeds,
  paymentId: string,
  named: Named,
  { outcome, call, late }: CallMade<Outcome>,
  context: Context,
): Promise<Folded<Payment>> {
  if (outcome.kind === 'unknown' || outcome.kind === 'not_sent') needs.watched.watch(named.answerId, () => 0);
  if (late !== undefined) void settleLate(needs, paymentId, named, call, late, context);
  const at = needs.world.now();
  const evidence = evidenceOf('answer', outcome, call);
  const nextLookUpAt = plannedLookUpAt(call?.sentAt ?? at, 0, at);
  const decide = settleDisputeAnswer({ ...named, outcome, evidence, nextLookUpAt });
  const settled = await transact(needs.payments, paymentId, { ...context, at }, decide, { isFact: true });
  return settled.kind === 'rejected' ? needs.payments.load(paymentId) : settled.folded;
}

/** A response after the deadline is accepted; its caller has already got a response. Never rejects. */
async function settleLate(
  needs: PaymentNeeds,
  paymentId: string,
  named: Named,
  call: CallMade['call'],
  late: Promise<Outcome>,
  context: Context,
): Promise<void> {
  try {
    const outcome = await late;
    if (outcome.kind !== 'unknown')
      await settle(needs, paymentId, named, { outcome, call }, aside(context, needs.world));
  } catch (fault) {
    needs.report(fault);
  }
}

function disputeRequest(
  { accountId }: KnownPayment,
  { processorDisputeId, type }: Dispute,
  { reference, kind, submission }: AnswerToDispute,
): DisputeRequest {
  const said = kind === 'acceptance' ? ('accept' as const) : { evidence: { ...submission }, submit: true };
  const round = type === 'DISPUTE' ? {} : { type };
  return { disputeId: processorDisputeId, accountId, reference, ...round, answer: said };
}

const notSent = (detail: string): CallMade<Outcome> => ({ outcome: { kind: 'not_sent', detail } });

/** Never throws. `startedAt` (World.monotonic) is from before the request was appended, by this process. */
async function sendDisputeAnswer(
  needs: PaymentNeeds,
  payment: Payment,
  disputeId: string,
  startedAt: number,
): Promise<CallMade<Outcome>> {
  const { world, timings } = needs;
  const dispute = disputeOf(payment, disputeId);
  if (!isKnown(payment) || dispute?.answer === undefined) return notSent('no answer was asked for');
  const route = placeOfDispute(payment, dispute);
  const processor = await needs.connections.processor(route.processor);
  const send = processor?.dispute?.bind(processor);
  if (send === undefined) return notSent(`no processor ${route.processor} on this node`);
  const request = disputeRequest(payment, dispute, dispute.answer);
  // By both clocks of the process that requested it, as of any operation.
  const { sendBy } = dispute.answer;
  const isLate = (): boolean => world.monotonic() - startedAt > timings.sendWithinMs || world.now() > sendBy;
  if (isLate()) return notSent('the time to send it had passed');
  const bounds = { what: 'dispute response', accountId: payment.accountId, isLate };
  const { call, ...made } = await callProcessor(needs, route, (call) => send(request, call), bounds);
  return made.outcome.kind === 'not_sent' ? made : { ...made, call };
}

/**
 * 200; 202 while the outcome is not known; InvalidDisputeStatus when the processor refused, ServiceUnavailable when
 * nothing reached it.
 */
function answerToDispute(
  paymentId: string,
  folded: Folded<Payment>,
  disputeId: string,
  answerId: string,
): Answer<Payment> {
  const payment = folded.state;
  const answer = disputeOf(payment, disputeId)?.answer;
  if (!isKnown(payment) || answer?.answerId !== answerId) return completed(paymentId, folded);
  const statusReason = answerReason(answer);
  const details = { paymentId, paymentStatus: payment.status, ...(statusReason !== undefined && { statusReason }) };
  switch (answer.state) {
    case 'succeeded':
    case 'pending':
      return completed(paymentId, folded);
    case 'open':
    case 'unknown':
      return completed(paymentId, folded, 202);
    case 'declined':
    case 'overtaken':
      return reject('InvalidDisputeStatus', statusReason?.message ?? 'The processor refused the response.', details);
    case 'not_sent':
    case 'not_found':
      return reject('ServiceUnavailable', 'The response never reached the processor. The dispute is unchanged.', {
        ...details,
        retryAfterSeconds: 1,
      });
    default:
      return answer satisfies never;
  }
}

/** See answerAgain. A refusal names the request that was refused (contract §6). */
async function replayDisputeAnswer(
  needs: PaymentNeeds,
  effect: Effect,
  disputeId: string,
  revision: number,
): Promise<Answer<Payment>> {
  const { resourceId: paymentId } = effect;
  const again = await answerAgain(needs, effect, disputeId, revision);
  if (again.kind !== 'rejected' || again.errorId !== 'InvalidDisputeStatus') return again;
  const answer = disputeOf((await needs.payments.load(paymentId)).state, disputeId)?.answer;
  if (answer?.answerId !== attemptIdOf(effect)) return again;
  const { correlationId } = await needs.payments.causeAt(paymentId, answer.requestedRevision);
  return { ...again, diagnosticsId: correlationId };
}

/** The first answer again; a first 202 is answered with the payment as it is now (contract §6). */
async function answerAgain(
  needs: PaymentNeeds,
  effect: Effect,
  disputeId: string,
  revision: number,
): Promise<Answer<Payment>> {
  const { resourceId: paymentId } = effect;
  const answerId = attemptIdOf(effect);
  const then = answerToDispute(paymentId, await needs.payments.at(paymentId, revision), disputeId, answerId);
  if (then.kind === 'rejected' || then.status === 200) return then;
  const current = await needs.payments.current(paymentId);
  const now = answerToDispute(paymentId, current, disputeId, answerId);
  const answer = disputeOf(current.state, disputeId)?.answer;
  const mayRun =
    isOpenAnswer(answer) &&
    answer.state === 'open' &&
    answer.answerId === answerId &&
    needs.world.now() < answer.nextLookUpAt;
  return mayRun ? inProgress() : now;
}

/**
 * True if the response was provably never sent, or never arrived. It may be sent again under the same key: a 5xx has
 * had no effect (contract §6).
 */
function neverArrived(payment: Payment, disputeId: string, answerId: string): boolean {
  const answer = disputeOf(payment, disputeId)?.answer;
  return answer?.answerId === answerId && (answer.state === 'not_sent' || answer.state === 'not_found');
}
