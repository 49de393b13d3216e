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
import { plannedLookUpAt } from '../../domain/payment/look-up-schedule.ts';
import type { Outcome } from '../../domain/payment/outcome.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import { isKnown } from '../../domain/payment/queries.ts';
import type { Context } from '../../journal/context.ts';
import type { Folded } from '../../journal/fold.ts';
import { contextAfter, transact } from '../../journal/transact.ts';
import { type Answer, type Caller, completed } from '../caller.ts';
import { aside, type Effect, leftBy, revisionOf, transactFor, type Worked } from '../effect.ts';
import { EmailAddress } from '../fields/session-fields.ts';
import { shortText, textUpTo } from '../fields/text.ts';
import { attemptIdOf } from './attempt-answers.ts';
import { evidenceOf } from './call-evidence.ts';
import { answerToDispute, neverArrived, replayDisputeAnswer } from './dispute-answers.ts';
import { lookUpDisputes } from './look-up-disputes.ts';
import type { PaymentNeeds } from './needs.ts';
import type { CallMade } from './processor-call.ts';
import { attemptTiming } from './pursue-attempts.ts';
import { sendDisputeAnswer } from './send-dispute-answer.ts';

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

export interface DisputeAnswers {
  /** Without `submit` the evidence is kept here, and nothing is sent. */
  readonly submitEvidence: (
    paymentId: string,
    disputeId: string,
    evidence: z.output<typeof DisputeEvidence>,
    caller: Caller,
  ) => Promise<Answer<Payment>>;
  readonly acceptDispute: (paymentId: string, disputeId: string, caller: Caller) => Promise<Answer<Payment>>;
}

type Said = { readonly kind: 'evidence'; readonly submission: DisputeSubmission } | { readonly kind: 'acceptance' };

export const makeDisputeAnswers = (needs: PaymentNeeds): DisputeAnswers => ({
  async submitEvidence(paymentId, disputeId, { submit = false, ...submission }, caller) {
    if (submit) return answer(needs, 'submit-evidence', paymentId, disputeId, { kind: 'evidence', submission }, caller);
    return draft(needs, paymentId, disputeId, submission, caller);
  },
  acceptDispute: (paymentId, disputeId, caller) =>
    answer(needs, 'accept-dispute', paymentId, disputeId, { kind: 'acceptance' }, caller),
});

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

async function draft(
  needs: PaymentNeeds,
  paymentId: string,
  disputeId: string,
  submission: DisputeSubmission,
  caller: Caller,
): Promise<Answer<Payment>> {
  const refused = await refusedFor(needs, paymentId, disputeId, caller);
  if (refused !== undefined) return refused;
  return needs.idempotency.once(caller, {
    name: 'draft-evidence',
    target: needs.payments,
    resource: { id: paymentId },
    appendsOnce: true,
    async work(effect): Promise<Worked<Answer<Payment>>> {
      const done = await transactFor(
        effect,
        needs.payments,
        draftEvidence(paymentId, disputeId, submission, caller.at),
      );
      if (done.kind === 'rejected') return { answer: done, appended: false };
      return {
        answer: completed(paymentId, await leftBy(needs.payments, paymentId, done)),
        appended: done.kind !== 'unchanged',
      };
    },
    replay: async (_effect, revision) => completed(paymentId, await needs.payments.at(paymentId, revision)),
  });
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
  return needs.idempotency.once(caller, {
    name,
    target: needs.payments,
    resource: { id: paymentId },
    admit: async () => needs.circuits.admit(circuit),
    async work(effect) {
      const worked = await work(needs, effect, disputeId, said);
      if (!worked.appended) needs.circuits.untried(circuit);
      return worked;
    },
    replay: (effect, revision) => replayDisputeAnswer(needs, effect, disputeId, revision),
    isVoid: async (effect) =>
      neverArrived((await needs.payments.current(paymentId)).state, disputeId, attemptIdOf(effect)),
  });
}

async function work(
  needs: PaymentNeeds,
  effect: Effect,
  disputeId: string,
  said: Said,
): Promise<Worked<Answer<Payment>>> {
  const { context, resourceId: paymentId } = effect;
  await lookUpDisputes(needs, paymentId, 'all', aside(context, needs.world));
  const startedAt = needs.world.monotonic();
  const answerId = attemptIdOf(effect);
  const timing = attemptTiming(needs.world.now(), needs.timings);
  const decide = ifTaken(needs, requestDisputeAnswer({ disputeId, answerId, answer: said, ...timing }));
  const requested = await transactFor(effect, needs.payments, decide);
  if (requested.kind === 'rejected') return { answer: requested, appended: false };
  if (requested.kind !== 'written') {
    const repeated = await replayDisputeAnswer(needs, effect, disputeId, revisionOf(requested));
    return { answer: repeated, appended: requested.kind === 'repeated' };
  }
  const sent = await sendDisputeAnswer(needs, requested.folded.state, disputeId, startedAt);
  const caused = contextAfter(context, requested);
  const settled = await settle(needs, paymentId, { disputeId, answerId }, sent, caused).catch((fault: unknown) => {
    needs.report(fault); // the outcome is not on record; it is looked up
    return requested.folded;
  });
  const answered = answerToDispute(paymentId, settled, disputeId, answerId);
  return { answer: answered, appended: true, abandoned: neverArrived(settled.state, disputeId, answerId) };
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
  if (late !== undefined) void recordLate(needs, paymentId, named, { call, late }, context);
  return record(needs, paymentId, named, outcome, call, context);
}

async function record(
  needs: PaymentNeeds,
  paymentId: string,
  named: Named,
  outcome: Outcome,
  call: CallMade['call'],
  context: Context,
): Promise<Folded<Payment>> {
  const at = needs.world.now();
  const evidence = evidenceOf('answer', outcome, call);
  const nextLookUpAt = plannedLookUpAt(call?.sentAt ?? at, 0, at);
  const settled = await transact(
    needs.payments,
    paymentId,
    { ...context, at },
    settleDisputeAnswer({ ...named, outcome, evidence, nextLookUpAt }),
    { isFact: true },
  );
  return settled.kind === 'rejected' ? needs.payments.load(paymentId) : settled.folded;
}

/** A response after the deadline is accepted; its caller has already got a response. Never rejects. */
async function recordLate(
  needs: PaymentNeeds,
  paymentId: string,
  named: Named,
  { call, late }: Pick<CallMade, 'call'> & { readonly late: Promise<Outcome> },
  context: Context,
): Promise<void> {
  try {
    const outcome = await late;
    if (outcome.kind !== 'unknown') await record(needs, paymentId, named, outcome, call, aside(context, needs.world));
  } catch (fault) {
    needs.report(fault);
  }
}
