// One call to a processor for an answer to a dispute that is on record: not too late, under its deadline, its outcome graded (contract §4).
import { disputeOf } from '../../domain/payment/dispute-answer.ts';
import type { Outcome } from '../../domain/payment/outcome.ts';
import type { Dispute, KnownPayment, Payment } from '../../domain/payment/payment.ts';
import { attemptOf, isKnown } from '../../domain/payment/queries.ts';
import { connectionOf } from '../../processors/connections.ts';
import type { Connection, DisputeRequest } from '../../processors/processor.ts';
import { within } from '../../world.ts';
import { type SentCall, withoutCardNumbers } from './call-evidence.ts';
import type { CallNeeds } from './needs.ts';

export interface SentAnswer {
  readonly outcome: Outcome;
  /** Undefined when nothing was sent. */
  readonly call?: SentCall | undefined;
  /** The answer of the processor that missed the deadline; it may still come, or reject. */
  readonly late?: Promise<Outcome>;
}

/** Where the disputed money was moved. */
export function placeOfDispute(payment: KnownPayment, { attemptId }: Dispute): Connection {
  const attempt = attemptId === undefined ? undefined : attemptOf(payment, attemptId);
  return connectionOf(attempt ?? payment);
}

/** The same for the call and for every look-up after it. Undefined while no answer was asked for. */
export function disputeRequest({ accountId }: KnownPayment, { processorDisputeId, answer }: Dispute): DisputeRequest | undefined {
  if (answer === undefined) return undefined;
  const { reference, kind, submission } = answer;
  const said = kind === 'acceptance' ? ('accept' as const) : { evidence: { ...submission }, submit: true };
  return { disputeId: processorDisputeId, accountId, reference, answer: said };
}

const notSent = (detail: string): SentAnswer => ({ outcome: { kind: 'not_sent', detail } });

/** Never throws. `startedAt` (World.monotonic) is from before the request was appended, by this process. */
export async function sendDisputeAnswer(needs: CallNeeds, payment: Payment, disputeId: string, startedAt: number): Promise<SentAnswer> {
  const { world, timings, circuits, report } = needs;
  const dispute = disputeOf(payment, disputeId);
  if (!isKnown(payment) || dispute?.answer === undefined) return notSent('no answer was asked for');
  const connection = placeOfDispute(payment, dispute);
  const processor = needs.processors.get(connection.processor);
  const request = disputeRequest(payment, dispute);
  if (processor?.dispute === undefined || request === undefined) return notSent(`no processor ${connection.processor} on this node`);
  // By both clocks of the process that requested it, as of any operation.
  if (world.monotonic() - startedAt > timings.sendWithinMs || world.now() > dispute.answer.sendBy)
    return notSent('the time to send it had passed');
  const call: SentCall = { sentAt: world.now() };
  let answer: Promise<Outcome> | undefined;
  try {
    const outcome = await within(world, timings.answerWithinMs, (signal) => {
      answer = processor.dispute?.(request, { connection, signal }) ?? Promise.resolve<Outcome>({ kind: 'not_sent', detail: 'no answers' });
      return answer;
    });
    circuits.ended(processor.name, 'operation', outcome === 'timeout' ? 'unknown' : outcome.kind);
    if (outcome !== 'timeout') return { outcome: withoutCardNumbers(outcome), ...(outcome.kind !== 'not_sent' && { call }) };
    const silent: Outcome = { kind: 'unknown', detail: `no answer within ${timings.answerWithinMs} ms` };
    return { outcome: silent, call, ...(answer !== undefined && { late: answer.then((told) => withoutCardNumbers(told)) }) };
  } catch (fault) {
    report(fault); // an adapter's defect says nothing about the effect at the processor
    return { outcome: { kind: 'unknown', detail: 'the call failed in a way that its adapter did not grade' }, call };
  }
}
