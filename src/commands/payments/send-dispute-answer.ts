// One call to a processor for an answer to a dispute that is on record: not too late, under its deadline, its outcome
// graded (contract §13).
import { disputeOf } from '../../domain/payment/dispute-answer.ts';
import type { Outcome } from '../../domain/payment/outcome.ts';
import type { Dispute, KnownPayment, Payment } from '../../domain/payment/payment.ts';
import { isKnown } from '../../domain/payment/queries.ts';
import type { DisputeRequest } from '../../processors/processor.ts';
import type { CallNeeds } from './needs.ts';
import { type CallMade, callProcessor } from './processor-call.ts';
import { placeOfDispute } from './read-dispute.ts';

/** Undefined while no answer was asked for. */
function disputeRequest(
  { accountId }: KnownPayment,
  { processorDisputeId, type, answer }: Dispute,
): DisputeRequest | undefined {
  if (answer === undefined) return undefined;
  const { reference, kind, submission } = answer;
  const said = kind === 'acceptance' ? ('accept' as const) : { evidence: { ...submission }, submit: true };
  const round = type === 'DISPUTE' ? {} : { type };
  return { disputeId: processorDisputeId, accountId, reference, ...round, answer: said };
}

const notSent = (detail: string): CallMade<Outcome> => ({ outcome: { kind: 'not_sent', detail } });

/** Never throws. `startedAt` (World.monotonic) is from before the request was appended, by this process. */
export async function sendDisputeAnswer(
  needs: CallNeeds,
  payment: Payment,
  disputeId: string,
  startedAt: number,
): Promise<CallMade<Outcome>> {
  const { world, timings } = needs;
  const dispute = disputeOf(payment, disputeId);
  if (!isKnown(payment) || dispute?.answer === undefined) return notSent('no answer was asked for');
  const route = placeOfDispute(payment, dispute);
  const processor = await needs.connections.processor(route.processor);
  const request = disputeRequest(payment, dispute);
  if (processor?.dispute === undefined || request === undefined)
    return notSent(`no processor ${route.processor} on this node`);
  // By both clocks of the process that requested it, as of any operation.
  const { sendBy } = dispute.answer;
  const isLate = (): boolean => world.monotonic() - startedAt > timings.sendWithinMs || world.now() > sendBy;
  if (isLate()) return notSent('the time to send it had passed');
  const { outcome, call, late } = await callProcessor(
    needs,
    route,
    (call) =>
      processor.dispute?.(request, call) ?? Promise.resolve<Outcome>({ kind: 'not_sent', detail: 'no answers' }),
    { what: 'dispute response', accountId: payment.accountId, isLate },
  );
  return { outcome, ...(call && outcome.kind !== 'not_sent' && { call }), ...(late && { late }) };
}
