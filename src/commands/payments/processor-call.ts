// A call to a processor under its deadline: counted by the circuit, and never thrown for what the network or an adapter
// does.
import type { Outcome } from '../../domain/payment/outcome.ts';
import { within } from '../../world.ts';
import { type SentCall, withoutCardNumbers } from './call-evidence.ts';
import type { CallNeeds } from './needs.ts';

/** The end of a call at its deadline, without card numbers. */
export interface CallMade {
  readonly outcome: Outcome;
  /** Undefined if nothing was sent. */
  readonly call?: SentCall | undefined;
  /** The answer that missed the deadline; it may still come, or reject. */
  readonly late?: Promise<Outcome>;
}

type Needs = Pick<CallNeeds, 'world' | 'timings' | 'deadlines' | 'circuits' | 'report'>;

/** A call that may have an effect. Never throws. */
export async function callProcessor(
  { world, timings, deadlines, circuits, report }: Needs,
  processor: string,
  send: (signal: AbortSignal) => Promise<Outcome>,
): Promise<CallMade> {
  const call: SentCall = { sentAt: world.now() };
  let answer: Promise<Outcome> | undefined;
  try {
    const outcome = await deadlines.within((signal) => {
      answer = send(signal);
      return answer;
    });
    circuits.ended(processor, 'operation', outcome === 'timeout' ? 'unknown' : outcome.kind);
    if (outcome !== 'timeout') return { outcome: withoutCardNumbers(outcome), call };
    const silent: Outcome = { kind: 'unknown', detail: `no answer within ${timings.answerWithinMs} ms` };
    return {
      outcome: silent,
      call,
      ...(answer !== undefined && { late: answer.then((told) => withoutCardNumbers(told)) }),
    };
  } catch (fault) {
    report(fault); // an adapter's defect says nothing about the effect at the processor
    return { outcome: { kind: 'unknown', detail: 'the call failed in a way that its adapter did not grade' }, call };
  }
}

interface UnreachableProcessor {
  readonly kind: 'unreachable';
  readonly detail: string;
}

/**
 * A call that has no effect on money, within `patienceMs` at most; `what`: of the call, in the detail of a failure.
 * Never throws.
 */
export async function askProcessor<Found extends { readonly kind: string }>(
  { world, timings, circuits, report }: Needs,
  processor: string,
  { what, patienceMs }: { readonly what: string; readonly patienceMs: number },
  ask: (signal: AbortSignal) => Promise<Found>,
): Promise<Found | UnreachableProcessor> {
  try {
    const found = await within(world, Math.min(timings.answerWithinMs, patienceMs), ask);
    circuits.ended(processor, 'look_up', found === 'timeout' ? 'unreachable' : found.kind);
    return found === 'timeout' ? { kind: 'unreachable', detail: `the ${what} was not answered in time` } : found;
  } catch (fault) {
    report(fault);
    return { kind: 'unreachable', detail: `the ${what} failed` };
  }
}
