// The beginning of a payment: made and authorized in one decision, or fenced off for good.
import { keptFields } from '../client-session/patch.ts';
import { accept, type Decision, reject } from '../decider.ts';
import type { PaymentCreation, PaymentEvent } from './events.ts';
import type { Payment } from './payment.ts';
import { attemptOf, wantsVaulting } from './queries.ts';

/** All in ms of business time. */
export interface AttemptTiming {
  readonly at: number;
  /** It is not sent later than this. */
  readonly sendBy: number;
  /** When the processor is first asked what became of it. */
  readonly lookUpAt: number;
}

/** A payment together with the request for its authorization; nothing when this attempt made it already. */
export const createPayment =
  (creation: PaymentCreation, { attemptId, at, sendBy, lookUpAt }: AttemptTiming & { readonly attemptId: string }) =>
  (payment: Payment): Decision<PaymentEvent> => {
    if (payment.status === 'absent') {
      const requested = { attemptId, amount: creation.amount, requestedAt: at, sendBy, lookUpAt };
      return accept({ type: 'PaymentCreated', data: kept(creation) }, { type: 'AuthorizationRequested', data: requested });
    }
    if (payment.status === 'abandoned') return reject('Conflict', 'This payment was given up before it was made; start a new one.');
    return attemptOf(payment, attemptId) === undefined ? reject('Conflict', 'Another request has made this payment.') : accept();
  };

/** A payment keeps nothing empty, as its session does, so that its answers leave nothing out. */
function kept({ customer, order, metadata, ...others }: PaymentCreation): PaymentCreation {
  const objects = keptFields({ ...(customer && { customer }), ...(order && { order }), ...(metadata && { metadata }) });
  return {
    ...others,
    ...(objects.customer && { customer: objects.customer }),
    ...(objects.order && { order: objects.order }),
    ...(objects.metadata && { metadata: objects.metadata }),
  };
}

/** Keeps a payment that was never made from ever being made; nothing when it exists, whatever became of it. */
export const abandonPayment =
  (at: number) =>
  (payment: Payment): Decision<PaymentEvent> =>
    payment.status === 'absent' ? accept({ type: 'PaymentAbandoned', data: { abandonedAt: at } }) : accept();

/** What became of `vaultOnSuccess`, once: the token that the card is vaulted under, or why it is not. */
export const recordVaulting =
  (outcome: { readonly paymentMethodToken: string } | { readonly refused: string }) =>
  (payment: Payment): Decision<PaymentEvent> =>
    wantsVaulting(payment) ? accept({ type: 'VaultingRecorded', data: outcome }) : accept();
