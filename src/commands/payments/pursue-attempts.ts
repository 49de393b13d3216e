// The only way to operations at a processor: request recorded, call made, outcome recorded, until no follow-up remains.
import type { AttemptTiming } from '../../domain/payment/create.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import { attemptAskedFor } from '../../domain/payment/fact-names.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import { isKnown } from '../../domain/payment/queries.ts';
import { settleAttempt } from '../../domain/payment/settle.ts';
import type { Settlement } from '../../domain/payment/settlement.ts';
import type { Context } from '../../journal/context.ts';
import type { Folded } from '../../journal/fold.ts';
import { contextAfter, type Decide, type Transacted, transact } from '../../journal/transact.ts';
import { aside } from '../effect.ts';
import type { Timings } from '../payment-timings.ts';
import { evidenceOf } from './call-evidence.ts';
import { concludePayment } from './conclude-payment.ts';
import type { AttemptNeeds } from './needs.ts';
import { type CallTimes, performAttempt } from './perform-attempt.ts';
import type { CallMade } from './processor-call.ts';
import { type Admittance, leave, skipNow } from './route-payment.ts';

/**
 * The time after which an attempt requested at `at` (ms) is no longer sent, and the time by which its call is over
 * (contract §4).
 */
export const attemptTiming = (at: number, { sendWithinMs, answerWithinMs }: Timings): AttemptTiming => ({
  at,
  sendBy: at + sendWithinMs,
  callEndsAt: at + sendWithinMs + answerWithinMs,
});

/**
 * A payment after its attempts, and the context of what follows: it names the last event that this process has
 * appended.
 */
export interface Pursued {
  readonly folded: Folded<Payment>;
  readonly context: Context;
}

/**
 * Calls the processor for every request among the events that this process has just appended, settles each answer, and
 * goes on with the follow-ups. Never throws: once a request is on record its caller gets an answer, and an outcome that
 * could not be recorded here is looked up later. Answers the payment as it is then, with the context of what follows
 * from it. `startedAt` (World.monotonic) is from before the append, so that a process that was stopped after it sends
 * no attempt that another process has given up.
 */
export async function pursueAttempts(
  needs: AttemptNeeds,
  paymentId: string,
  written: Transacted<Payment, PaymentEvent> & { readonly kind: 'written' },
  context: Context,
  startedAt: number,
): Promise<Pursued> {
  let folded = written.folded;
  let requested = attemptAskedFor(written.events);
  let caused = contextAfter(context, written);
  /** No outcome follows the request here, so its document is shown before the caller is answered. */
  const end = async (last: Folded<Payment>): Promise<Pursued> => {
    await needs.payments.show(paymentId, last);
    return { folded: last, context: caused };
  };
  let times: CallTimes = { startedAt };
  while (requested !== undefined) {
    const { state } = folded;
    if (!isKnown(state)) return end(folded);
    const attemptId: string = requested;
    const performed = await performAttempt(needs, paymentId, state, attemptId, times);
    if (performed.late !== undefined)
      void recordLate(needs, paymentId, attemptId, { ...performed, late: performed.late }, caused);
    const { kind } = performed.outcome;
    if (kind === 'unknown' || kind === 'not_sent') needs.watched.watch(attemptId, NOTHING_PROVEN);
    const isAwaited = needs.world.monotonic() - startedAt < needs.timings.answerWithinMs;
    const admitted: Admittance = { to: undefined };
    const skip = isAwaited && state.route !== undefined ? skipNow(needs, state.accountId, admitted) : undefined;
    times = {
      startedAt: needs.world.monotonic(),
      // what was prepared is sent in the time of its first request
      ...(kind === 'prepared' && {
        endsAt: times.startedAt + needs.timings.sendWithinMs + needs.timings.answerWithinMs,
      }),
    };
    try {
      const settled = await settle(needs, paymentId, attemptId, performed, caused, skip);
      if (settled.kind !== 'written') leave(needs.circuits, admitted);
      if (settled.kind === 'rejected') return await end(folded);
      folded = settled.folded;
      if (settled.kind !== 'written') return await end(folded);
      caused = contextAfter(caused, settled);
      requested = attemptAskedFor(settled.events);
      // the shopper waits for both: the second one has what is left of the time of the first
      if (!settled.events.some(isFallback)) leave(needs.circuits, admitted);
      else times = { ...times, endsAt: startedAt + needs.timings.sendWithinMs + needs.timings.answerWithinMs };
      await needs.cardTesting.settled(paymentId, folded.state, settled.events);
    } catch (fault) {
      leave(needs.circuits, admitted);
      needs.watched.watch(attemptId, NOTHING_PROVEN);
      needs.report(fault); // the outcome is not on record; the resolver asks the processor for it
      return end(folded);
    }
  }
  return { folded, context: caused };
}

const isFallback = (event: PaymentEvent): boolean =>
  event.type === 'AuthorizationRequested' && event.data.follows?.because === 'fallback';

/** A call that has just ended: no look-up came before it. */
const NOTHING_PROVEN = (): number => 0;

const settle = (
  needs: AttemptNeeds,
  paymentId: string,
  attemptId: string,
  { outcome, call }: CallMade,
  context: Context,
  skip: Settlement['skip'],
): Promise<Transacted<Payment, PaymentEvent>> => {
  const at = needs.world.now();
  const evidence = evidenceOf('answer', outcome, call);
  const waits = needs.resumeTokens.waiting({ attemptId }, outcome, at);
  return transact(
    needs.payments,
    paymentId,
    { ...context, at },
    settleAttempt({
      attemptId,
      outcome,
      evidence,
      source: 'answer',
      skip,
      ...waits,
      ...attemptTiming(at, needs.timings),
    }),
    { isFact: true },
  );
};

/**
 * Records a response after the deadline. It is as good as a look-up: it is accepted, and its follow-ups are done. The
 * caller has already got a response, so this is not part of that operation. Never rejects.
 */
async function recordLate(
  needs: AttemptNeeds,
  paymentId: string,
  attemptId: string,
  { call, late }: CallMade & Required<Pick<CallMade, 'late'>>,
  context: Context,
): Promise<void> {
  try {
    const outcome = await late;
    if (outcome.kind === 'unknown' || outcome.kind === 'prepared') return;
    const evidence = evidenceOf('answer', outcome, call);
    await recordFact(needs, paymentId, aside(context, needs.world), (timing) =>
      settleAttempt({
        attemptId,
        outcome,
        evidence,
        source: 'answer',
        ...needs.resumeTokens.waiting({ attemptId }, outcome, timing.at),
        ...timing,
      }),
    );
  } catch (fault) {
    needs.report(fault);
  }
}

/**
 * Records a fact about a payment from any outside source, and does all that follows: its requests are pursued, the
 * payment concluded. Answers what was written, with the payment as it is after all that. Throws StoreUnavailable while
 * nothing is on record.
 */
export async function recordFact(
  needs: AttemptNeeds,
  paymentId: string,
  context: Context,
  decide: (timing: AttemptTiming) => Decide<Payment, PaymentEvent>,
): Promise<Transacted<Payment, PaymentEvent>> {
  const [at, startedAt] = [needs.world.now(), needs.world.monotonic()];
  const recorded = await transact(
    needs.payments,
    paymentId,
    { ...context, at },
    decide(attemptTiming(at, needs.timings)),
    { isFact: true },
  );
  if (recorded.kind !== 'written') return recorded;
  await needs.cardTesting.settled(paymentId, recorded.folded.state, recorded.events);
  const pursued = await pursueAttempts(needs, paymentId, recorded, context, startedAt);
  return { ...recorded, folded: await concludePayment(needs, paymentId, pursued.folded, pursued.context) };
}
