// What a message tells: the payment as it was right after the event, however late the attempt (contract §8).
import type { TellableMessage } from '../../domain/payment/message.ts';
import type { KnownPayment } from '../../domain/payment/payment.ts';
import { isKnown } from '../../domain/payment/queries.ts';
import type { WebhookNeeds } from './needs.ts';

/** Throws StoreUnavailable, and TypeError where the payment's stream is shorter than the message says. */
export async function paymentTold(
  { payments }: Pick<WebhookNeeds, 'payments'>,
  { paymentId, sequence }: Pick<TellableMessage, 'paymentId' | 'sequence'>,
): Promise<KnownPayment> {
  const { state, head } = await payments.at(paymentId, sequence);
  if (!isKnown(state) || head.revision !== sequence) throw new TypeError(`the payment ${paymentId} has no event ${sequence} to tell of`);
  return state;
}
