// The content of a message: the payment as it was right after the event, however late the attempt, or the checkpoint
// (contract §8).
import { CHECKPOINTS_ID } from '../../domain/checkpoint.ts';
import type { TellableMessage } from '../../domain/payment/message.ts';
import type { KnownPayment } from '../../domain/payment/payment.ts';
import { isKnown } from '../../domain/payment/queries.ts';
import { CHECKPOINT_TYPE } from '../../domain/webhook-endpoint.ts';
import type { QueuedMessage } from '../../domain/webhook-queue/state.ts';
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

interface ToldMessage {
  /** `webhook-id`: the public id of the event. */
  readonly messageId: string;
  /** As it is sent, character by character. */
  readonly body: string;
}

type QueuedFor = Pick<QueuedMessage, 'eventId' | 'eventType' | 'sequence' | 'previousSequence'>;

/** The body of a queued message: the same at every attempt. Throws as `paymentTold` does. */
export async function toldMessage(
  needs: Pick<WebhookNeeds, 'payments' | 'messageAnswer' | 'checkpoints' | 'checkpointMessage'>,
  paymentId: string | undefined,
  { eventId, eventType, sequence, previousSequence }: QueuedFor,
): Promise<ToldMessage> {
  if (eventType === CHECKPOINT_TYPE) return toldCheckpoint(needs, { eventId, sequence });
  if (paymentId === undefined) throw new TypeError(`the message ${eventId} names no payment`);
  const told = { eventId, eventType, paymentId, sequence };
  const message = needs.messageAnswer(told, await paymentTold(needs, told));
  const body = JSON.stringify(previousSequence === undefined ? message : { ...message, previousSequence });
  return { messageId: message.eventId, body };
}

async function toldCheckpoint(
  { checkpoints, checkpointMessage }: Pick<WebhookNeeds, 'checkpoints' | 'checkpointMessage'>,
  { eventId, sequence }: { readonly eventId: string; readonly sequence: number },
): Promise<ToldMessage> {
  const { state, head } = await checkpoints.at(CHECKPOINTS_ID, sequence);
  if (state.status === 'absent' || head.revision !== sequence)
    throw new TypeError(`there is no checkpoint ${sequence} to report`);
  const message = checkpointMessage({ eventId, sequence, date: state.newestAt }, state.newest);
  return { messageId: message.eventId, body: JSON.stringify(message) };
}
