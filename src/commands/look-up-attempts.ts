// Asks the processor what became of attempts, by our own reference; never performs one again (contract §4).
import { accept } from '../domain/decider.ts';
import { recordLookUp, settleAttempt } from '../domain/payment/decide.ts';
import { type Attempt, attemptOf, type KnownPayment, nextLookUpAt, openAttempts, type Payment } from '../domain/payment/state.ts';
import type { Context } from '../journal/context.ts';
import type { Folded } from '../journal/streams.ts';
import { transact, transactFact } from '../journal/transact.ts';
import type { LookUp, Processor } from '../processors/processor.ts';
import { within } from '../world.ts';
import { concludePayment } from './conclude-payment.ts';
import type { House } from './house.ts';
import { attemptTiming, pursueAttempts } from './pursue-attempts.ts';

/** How long a new operation waits for the processor's word on the ones before it, ms. */
const ASK_FIRST_MS = 3_000;

/**
 * Looks up the attempts of the payment whose outcome is not known and whose call cannot be under way any more:
 * `due` those whose time has come; `all`, before a new operation, also those whose call has ended without telling.
 */
export async function lookUpAttempts(house: House, paymentId: string, which: 'due' | 'all', context: Context): Promise<Folded<Payment>> {
  const current = await house.payments.current(paymentId);
  const { state } = current;
  if (state.status === 'absent' || state.status === 'abandoned') return current;
  const now = house.world.now();
  const wanted = openAttempts(state).filter(({ requestedAt, lookUpAt = 0, state: known }) => {
    const isOverdue = now >= firstLookUpAt(house, requestedAt);
    return which === 'due' ? isOverdue && now >= lookUpAt : isOverdue || known === 'unknown' || known === 'pending';
  });
  const { answerWithinMs } = house.timings;
  const patienceMs = which === 'due' ? answerWithinMs : Math.min(answerWithinMs, ASK_FIRST_MS);
  await Promise.all(wanted.map((attempt) => lookUpAttempt(house, paymentId, state, attempt, patienceMs, context)));
  return house.payments.load(paymentId);
}

const firstLookUpAt = ({ timings }: House, requestedAt: number): number => attemptTiming(requestedAt, timings).lookUpAt;

async function lookUpAttempt(
  house: House,
  paymentId: string,
  payment: KnownPayment,
  attempt: Attempt,
  patienceMs: number,
  context: Context,
): Promise<void> {
  const processor = house.processors.get(payment.processor);
  if (processor === undefined) return house.report(new Error(`no processor ${payment.processor} on this node to look ${paymentId} up at`));
  const askedAt = house.world.now();
  const found = await ask(house, processor, attempt.attemptId, patienceMs);
  const [at, startedAt] = [house.world.now(), house.world.monotonic()];
  const { attemptId, requestedAt } = attempt;
  const conclusive = isConclusive(found, askedAt - firstLookUpAt(house, requestedAt), processor);
  if (!conclusive) return scheduleNext(house, paymentId, attempt, found, { ...context, at });
  const settled = await transactFact(
    house.payments,
    paymentId,
    { ...context, at },
    settleAttempt({
      attemptId,
      outcome: found,
      evidence: { source: 'lookup', received: found },
      source: 'lookup',
      ...attemptTiming(at, house.timings),
    }),
  );
  if (settled.kind !== 'written') return;
  await house.cardTesting.settled(paymentId, settled.folded.state, settled.events);
  const pursued = await pursueAttempts(house, paymentId, settled, context, startedAt);
  await concludePayment(house, paymentId, pursued, context);
}

/**
 * Puts a look-up that settled nothing on record, once for all nodes that asked at the same time. One that was asked for
 * before its time leaves no trace: callers who try again and again must not put the next one off.
 */
async function scheduleNext(house: House, paymentId: string, attempt: Attempt, found: LookUp, context: Context): Promise<void> {
  const { attemptId, requestedAt, lookUps, lookUpAt = 0 } = attempt;
  const { at } = context;
  if (at < lookUpAt) return;
  const next = Math.max(nextLookUpAt(requestedAt, lookUps + 1), at + 1_000);
  const answer = found.kind === 'unknown' ? { answer: found.kind, detail: found.detail } : { answer: found.kind };
  const record = recordLookUp({ attemptId, ...answer, nextLookUpAt: next, at });
  await transact(house.payments, paymentId, context, (payment) =>
    attemptOf(payment, attemptId)?.lookUps === lookUps ? record(payment) : accept(),
  );
}

/** Succeeded and declined count at once; "not found" only when it was asked for behind the processor's consistency window, counted from the deadline. */
const isConclusive = (
  found: LookUp,
  sinceDeadlineMs: number,
  { consistencyWindowMs }: Processor,
): found is Exclude<LookUp, { kind: 'unknown' | 'pending' }> =>
  found.kind === 'succeeded' || found.kind === 'declined' || (found.kind === 'not_found' && sinceDeadlineMs >= consistencyWindowMs);

async function ask({ world, report }: House, processor: Processor, reference: string, patienceMs: number): Promise<LookUp> {
  try {
    const found = await within(world, patienceMs, (signal) => processor.lookUp(reference, signal));
    return found === 'timeout' ? { kind: 'unknown', detail: 'the look-up was not answered in time' } : found;
  } catch (fault) {
    report(fault);
    return { kind: 'unknown', detail: 'the look-up failed' };
  }
}
