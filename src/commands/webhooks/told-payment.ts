// The content of a message: the payment as it was right after the event, however late the attempt (contract §8).
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
  if (!isKnown(state) || head.revision !== sequence)
    throw new TypeError(`the payment ${paymentId} has no event ${sequence} to report`);
  return state;
}

export interface ToldMessage {
  /** `webhook-id`: the public id of the event. */
  readonly messageId: string;
  /** As it is sent, character by character. */
  readonly body: string;
}

/** The body of a queued message: the same at every attempt. Throws as `paymentTold` does. */
export async function toldMessage(
  needs: Pick<WebhookNeeds, 'payments' | 'messageAnswer'>,
  {
    eventId,
    eventType,
    paymentId,
    sequence,
    previousSequence,
  }: TellableMessage & { readonly previousSequence?: number | undefined },
): Promise<ToldMessage> {
  const told = { eventId, eventType, paymentId, sequence };
  const message = needs.messageAnswer(told, await paymentTold(needs, told));
  const body = JSON.stringify(previousSequence === undefined ? message : { ...message, previousSequence });
  return { messageId: message.eventId, body };
}
