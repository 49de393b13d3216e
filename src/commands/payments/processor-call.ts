// A call to a processor under its deadline: counted by the circuit, and never thrown for what the network or an adapter
// does.
import type { Outcome, Prepared, Unknown } from '../../domain/payment/outcome.ts';
import { within } from '../../world.ts';
import { type SentCall, withoutCardNumbers } from './call-evidence.ts';
import type { CallNeeds } from './needs.ts';

/** The end of a call at its deadline, without card numbers. */
export interface CallMade<T extends Outcome | Prepared = Outcome | Prepared> {
  readonly outcome: T;
  /** Undefined if nothing was sent. */
  readonly call?: SentCall | undefined;
  /** The answer that missed the deadline; it may still come, or reject. */
  readonly late?: Promise<T>;
}

type Needs = Pick<CallNeeds, 'world' | 'timings' | 'deadlines' | 'circuits' | 'report'>;

/** A call that may have an effect. Never throws. */
export async function callProcessor<T extends Outcome | Prepared>(
  { world, timings, deadlines, circuits, report }: Needs,
  processor: string,
  send: (signal: AbortSignal) => Promise<T>,
  /** When it must be over, where that is not `answerWithinMs` from now; World.monotonic. */
  endsAt?: number,
): Promise<CallMade<T | Unknown>> {
  const call: SentCall = { sentAt: world.now() };
  let answer: Promise<T> | undefined;
  const sendOnce = (signal: AbortSignal): Promise<T> => {
    answer = send(signal);
    return answer;
  };
  try {
    const leftMs = endsAt === undefined ? timings.answerWithinMs : Math.max(0, endsAt - world.monotonic());
    const outcome = endsAt === undefined ? await deadlines.within(sendOnce) : await within(world, leftMs, sendOnce);
    circuits.ended(processor, 'operation', outcome === 'timeout' ? 'unknown' : outcome.kind);
    if (outcome !== 'timeout') return { outcome: withoutCardNumbers(outcome), call };
    const silent: Unknown = { kind: 'unknown', detail: `no answer within ${Math.round(leftMs)} ms` };
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
