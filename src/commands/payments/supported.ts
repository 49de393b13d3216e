// Whether the processor of a payment supports the decided operation: asked before any write (contract §7,
// OperationNotSupported).
import { type Rejection, reject } from '../../domain/decider.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import type { KnownPayment, Payment } from '../../domain/payment/payment.ts';
import { isKnown } from '../../domain/payment/queries.ts';
import { networkOf } from '../../domain/payment-instrument/recorded-data.ts';
import type { Decide } from '../../journal/transact.ts';
import { connectionOf } from '../../processors/connections.ts';
import type { Capabilities, Processor } from '../../processors/processor.ts';

/** The decision itself, or OperationNotSupported; every other refusal takes precedence. */
export const ifSupported =
  (processors: ReadonlyMap<string, Processor>, decide: Decide<Payment, PaymentEvent>): Decide<Payment, PaymentEvent> =>
  (payment, revision) => {
    const decision = decide(payment, revision);
    if (decision.kind === 'rejected' || !isKnown(payment)) return decision;
    const processor = processors.get(payment.processor);
    if (processor === undefined) return decision; // its attempt will not be sent, and says so
    if (processor.fence === undefined && decision.events.some(({ type }) => type === 'CustomerActionGivenUp'))
      return reject(
        'OperationNotSupported',
        `The processor ${payment.processor} cannot withdraw a customer action before it expires.`,
      );
    const { paymentMethod, possible } = payment;
    const network = networkOf(paymentMethod.paymentMethodType, paymentMethod.paymentMethodData);
    const capabilities = processor.capabilities(connectionOf(payment), { network, possible });
    return (
      decision.events
        .map((event) => unsupported(capabilities, payment, event))
        .find((refusal) => refusal !== undefined) ?? decision
    );
  };

function unsupported(
  { partialCapture, multipleCaptures, adjustment }: Capabilities,
  payment: KnownPayment,
  event: PaymentEvent,
): Rejection | undefined {
  const refused = (description: string): Rejection =>
    reject('OperationNotSupported', `The processor ${payment.processor} ${description}`);
  if (event.type === 'CaptureRequested') {
    const { amount, final } = event.data;
    const isPart = amount < payment.amountCapturable;
    if (payment.amountCaptured > 0 && !multipleCaptures) return refused('captures an authorization once.');
    if (isPart && !partialCapture) return refused('captures only the whole amount of an authorization.');
    if (isPart && !final && !multipleCaptures) return refused('captures once, so the capture has to be final.');
  }
  if (event.type === 'AdjustmentRequested') {
    if (adjustment === 'none') return refused('cannot adjust an authorization.');
    if (adjustment === 'raise' && event.data.amount < payment.amountAuthorized)
      return refused('can only increase an authorization.');
  }
  return undefined;
}
