// Reads a dispute at its processor, as a look-up: within the limits of look-ups, and without card numbers in what is
// kept of it (contract §13).
import { isDisputeStatus } from '../../domain/dispute-status.ts';
import { type DisputeWord, opensRound } from '../../domain/payment/dispute-word.ts';
import type { Evidence } from '../../domain/payment/outcome.ts';
import type { Dispute, KnownPayment } from '../../domain/payment/payment.ts';
import { attemptOf } from '../../domain/payment/queries.ts';
import type { DisputeFound, Processor } from '../../processors/processor.ts';
import type { ConnectionRoute } from '../connections/connections.ts';
import { withoutCardNumbers } from './call-evidence.ts';
import { type AskedAt, lookUpWithin } from './look-up-attempts.ts';
import type { LookUpNeeds } from './needs.ts';
import { askProcessor } from './processor-call.ts';

/** Where the disputed money was moved. */
export function placeOfDispute(payment: KnownPayment, { attemptId }: Dispute): ConnectionRoute {
  const attempt = attemptId === undefined ? undefined : attemptOf(payment, attemptId);
  return attempt ?? payment;
}

/** Its processor on this node; undefined if there is none, which is reported. */
export function processorOf(
  { processors, report }: LookUpNeeds,
  payment: KnownPayment,
  dispute: Dispute,
): Processor | undefined {
  const { processor: name } = placeOfDispute(payment, dispute);
  const processor = processors.get(name);
  if (processor === undefined)
    report(new Error(`no processor ${name} on this node to look ${dispute.disputeId} up at`));
  return processor;
}

export interface DisputeRead {
  readonly asked: AskedAt;
  /** `untold`: the processor shows no disputes, and reports them only by notifications. */
  readonly found: DisputeFound | { readonly kind: 'untold' };
  readonly evidence: Evidence;
}

/**
 * `which`: as lookUpDisputes takes it. A look-up for a waiting request does not queue with the due ones. Never throws.
 */
export async function readDispute(
  needs: LookUpNeeds,
  processor: Processor,
  payment: KnownPayment,
  dispute: Dispute,
  which: 'due' | 'all',
): Promise<DisputeRead> {
  const { world, watched, dueLookUps } = needs;
  const route = placeOfDispute(payment, dispute);
  const request = { disputeId: dispute.processorDisputeId, accountId: payment.accountId };
  const read = async (): Promise<DisputeRead> => {
    const asked: AskedAt = { at: world.now(), ...watched.now() };
    const { lookUpDispute } = processor;
    const found =
      lookUpDispute === undefined
        ? ({ kind: 'untold' } as const)
        : await askProcessor(needs, route, { ...lookUpWithin(which), accountId: payment.accountId }, (call) =>
            lookUpDispute.call(processor, request, call),
          );
    return { asked, found, evidence: { source: 'lookup', sentAt: asked.at, ...detailOf(found) } };
  };
  return which === 'due' ? dueLookUps(read) : read();
}

/**
 * The result that the processor reported, or a later round; undefined if it reported neither, or shows the dispute as
 * recorded.
 */
export function wordIn({ found, evidence }: DisputeRead, dispute: Dispute): DisputeWord | undefined {
  if (found.kind !== 'found') return undefined;
  const { disputeId, processorDisputeId, openedAt } = dispute;
  // A read shows the newest round, so a decision is about the one on record.
  const { id: _name, status, type = dispute.type, ...told } = found.dispute;
  if (!isDisputeStatus(status)) return undefined;
  if (!opensRound({ type, evidence }, dispute) && (status === 'OPEN' || status === dispute.status)) return undefined;
  return { ...told, disputeId, processorDisputeId, status, type, openedAt, evidence };
}

function detailOf(found: DisputeRead['found']): { readonly detail?: string } {
  if (found.kind !== 'unreachable') return {};
  const safe = withoutCardNumbers(found);
  return 'detail' in safe ? { detail: safe.detail } : {};
}
