// A delivery for the command line, with the fields of the dashboard's API and every attempt that is kept.
import { type WebhookDeliveryAnswer, webhookDeliveryAnswer } from '../../http/answers/webhook-delivery.ts';
import { lastAttemptAnswer } from '../../http/answers/webhook-endpoint.ts';
import type { Delivery } from '../../queries/list-deliveries.ts';

export interface DeliveryView extends Omit<WebhookDeliveryAnswer, 'lastAttempt'> {
  /** Oldest first. */
  readonly attempts: readonly NonNullable<WebhookDeliveryAnswer['lastAttempt']>[];
}

export function deliveryView(delivery: Delivery): DeliveryView {
  const { lastAttempt: _, ...told } = webhookDeliveryAnswer(delivery);
  return { ...told, attempts: delivery.message.attempts.map(lastAttemptAnswer) };
}

/** How its last attempt ended, in a word or two. */
export function lastAnswer({ attempts }: DeliveryView): string {
  const last = attempts.at(-1);
  return last === undefined ? 'not tried' : last.status === null ? (last.fault ?? 'no response') : String(last.status);
}
