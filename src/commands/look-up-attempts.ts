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
  for (const attempt of wanted) {
    await lookUpAttempt(house, paymentId, state, attempt, context);
  }
  return house.payments.load(paymentId);
}

const firstLookUpAt = ({ timings }: House, requestedAt: number): number => attemptTiming(requestedAt, timings).lookUpAt;

async function lookUpAttempt(house: House, paymentId: string, payment: KnownPayment, attempt: Attempt, context: Context): Promise<void> {
  const processor = house.processors.get(payment.processor);
  if (processor === undefined) return house.report(new Error(`no processor ${payment.processor} on this node to look ${paymentId} up at`));
  const found = await ask(house, processor, attempt.attemptId);
  const at = house.world.now();
  const { attemptId, requestedAt } = attempt;
  const conclusive = isConclusive(found, at - firstLookUpAt(house, requestedAt), processor);
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
  const pursued = await pursueAttempts(house, paymentId, settled, context);
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

/** Succeeded and declined count at once; "not found" only after the processor's consistency window, counted from the deadline. */
const isConclusive = (
  found: LookUp,
  sinceDeadlineMs: number,
  { consistencyWindowMs }: Processor,
): found is Exclude<LookUp, { kind: 'unknown' | 'pending' }> =>
  found.kind === 'succeeded' || found.kind === 'declined' || (found.kind === 'not_found' && sinceDeadlineMs >= consistencyWindowMs);

async function ask({ world, timings, report }: House, processor: Processor, reference: string): Promise<LookUp> {
  try {
    const found = await within(world, timings.answerWithinMs, (signal) => processor.lookUp(reference, signal));
    return found === 'timeout' ? { kind: 'unknown', detail: 'the look-up was not answered in time' } : found;
  } catch (fault) {
    report(fault);
    return { kind: 'unknown', detail: 'the look-up failed' };
  }
}
