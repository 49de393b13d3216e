// Asks the processor what became of attempts, by our own reference; never performs one again (contract §4).
import { recordLookUp, settleAttempt } from '../domain/payment/decide.ts';
import { type Attempt, type KnownPayment, nextLookUpAt, openAttempts, type Payment } from '../domain/payment/state.ts';
import type { Context } from '../journal/context.ts';
import { transact } from '../journal/transact.ts';
import type { LookUp, Processor } from '../processors/processor.ts';
import { within } from '../world.ts';
import { concludePayment } from './conclude-payment.ts';
import type { House } from './house.ts';
import { attemptTiming, pursueAttempts } from './pursue-attempts.ts';

/**
 * Looks up the attempts of the payment whose outcome is not known and whose call cannot be under way any more:
 * `due` those whose time has come, `all` also those that were asked about a while ago.
 */
export async function lookUpAttempts(house: House, paymentId: string, which: 'due' | 'all', context: Context): Promise<Payment> {
  const { state } = await house.payments.current(paymentId);
  if (state.status === 'absent' || state.status === 'abandoned') return state;
  const now = house.world.now();
  const wanted = openAttempts(state).filter(
    ({ requestedAt, lookUpAt = 0 }) => now >= firstLookUpAt(house, requestedAt) && (which === 'all' || now >= lookUpAt),
  );
  for (const attempt of wanted) {
    await lookUpAttempt(house, paymentId, state, attempt, context);
  }
  return (await house.payments.load(paymentId)).state;
}

const firstLookUpAt = ({ timings }: House, requestedAt: number): number => attemptTiming(requestedAt, timings).lookUpAt;

async function lookUpAttempt(house: House, paymentId: string, payment: KnownPayment, attempt: Attempt, context: Context): Promise<void> {
  const processor = house.processors.get(payment.processor);
  if (processor === undefined) return house.report(new Error(`no processor ${payment.processor} on this node to look ${paymentId} up at`));
  const found = await ask(house, processor, attempt.attemptId);
  const at = house.world.now();
  const { attemptId, requestedAt, lookUps } = attempt;
  const conclusive = isConclusive(found, at - firstLookUpAt(house, requestedAt), processor);
  if (!conclusive) {
    const nextLookUp = nextLookUpAt(requestedAt, lookUps + 1);
    const answer = found.kind === 'unknown' ? { answer: found.kind, detail: found.detail } : { answer: found.kind };
    await transact(
      house.payments,
      paymentId,
      { ...context, at },
      recordLookUp({ attemptId, ...answer, nextLookUpAt: Math.max(nextLookUp, at + 1_000), at }),
    );
    return;
  }
  const settled = await transact(
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
  const pursued = await pursueAttempts(house, paymentId, settled, context);
  await concludePayment(house, paymentId, pursued.state, context);
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
