// Whether the processor of a payment supports the decided operation: asked before any write (contract §7, OperationNotSupported).
import { type Rejection, reject } from '../../domain/decider.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import type { KnownPayment, Payment } from '../../domain/payment/payment.ts';
import { isKnown } from '../../domain/payment/queries.ts';
import type { Decide } from '../../journal/transact.ts';
import { connectionOf } from '../../processors/connections.ts';
import type { Capabilities, Processor } from '../../processors/processor.ts';

/** The same decision, or OperationNotSupported; every other refusal comes first. */
export const ifSupported =
  (processors: ReadonlyMap<string, Processor>, decide: Decide<Payment, PaymentEvent>): Decide<Payment, PaymentEvent> =>
  (payment, revision) => {
    const decision = decide(payment, revision);
    if (decision.kind === 'rejected' || !isKnown(payment)) return decision;
    const processor = processors.get(payment.processor);
    if (processor === undefined) return decision; // its attempt will not be sent, and says so
    if (processor.fence === undefined && decision.events.some(({ type }) => type === 'CustomerActionGivenUp'))
      return reject('OperationNotSupported', `The processor ${payment.processor} lets a customer act until the time is over.`);
    const { network } = payment.paymentMethod.paymentMethodData;
    const capabilities = processor.capabilities(connectionOf(payment), { network });
    return decision.events.map((event) => unsupported(capabilities, payment, event)).find((refusal) => refusal !== undefined) ?? decision;
  };

function unsupported(
  { partialCapture, multipleCaptures, adjustment }: Capabilities,
  payment: KnownPayment,
  event: PaymentEvent,
): Rejection | undefined {
  const refused = (description: string): Rejection => reject('OperationNotSupported', `The processor ${payment.processor} ${description}`);
  if (event.type === 'CaptureRequested') {
    const { amount, final } = event.data;
    const isPart = amount < payment.amountCapturable;
    if (payment.amountCaptured > 0 && !multipleCaptures) return refused('captures an authorization once.');
    if (isPart && !partialCapture) return refused('captures the whole of an authorization only.');
    if (isPart && !final && !multipleCaptures) return refused('captures once: nothing more could be captured, so it has to be final.');
  }
  if (event.type === 'AdjustmentRequested') {
    if (adjustment === 'none') return refused('changes no authorization.');
    if (adjustment === 'raise' && event.data.amount < payment.amountAuthorized) return refused('only raises an authorization.');
  }
  return undefined;
}
