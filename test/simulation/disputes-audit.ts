// Compares the disputes of the sandbox with those of the payments in the log: none is unknown here, none differs, and
// no answer stays open.
import { type Dispute, isOpenAnswer, type Payment } from '../../src/domain/payment/payment.ts';
import { isKnown } from '../../src/domain/payment/queries.ts';
import type { LedgerLine } from '../../src/processors/sandbox/sandbox-interface.ts';

export function auditDisputes(
  ledger: readonly LedgerLine[],
  payments: ReadonlyMap<string, Payment>,
): readonly string[] {
  const disputes = new Map<string, Dispute>();
  for (const doc of payments.values())
    if (isKnown(doc)) for (const one of doc.disputes) disputes.set(one.processorDisputeId, one);
  const wrong: string[] = [];
  for (const { operation, reference, outcome } of ledger) {
    if (operation !== 'dispute') continue;
    const dispute = disputes.get(reference);
    disputes.delete(reference);
    if (dispute?.status.toLowerCase() !== outcome)
      wrong.push(
        `${reference}: the processor has a dispute that is ${outcome}, we have ${dispute?.status ?? 'nothing'}`,
      );
    if (isOpenAnswer(dispute?.answer))
      wrong.push(`the answer ${dispute?.answer?.answerId} stays ${dispute?.answer?.state}`);
  }
  return [...wrong, ...[...disputes.keys()].map((reference) => `${reference}: the processor has no such dispute`)];
}
