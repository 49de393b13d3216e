// A delivery for the command line, with the fields of the dashboard's API and every attempt that is kept.

import type { EndpointState } from '../../domain/webhook-endpoint/state.ts';
import { type WebhookDeliveryAnswer, webhookDeliveryAnswer } from '../../http/answers/webhook-delivery.ts';
import { lastAttemptAnswer } from '../../http/answers/webhook-endpoint.ts';
import type { Delivery } from '../../queries/list-deliveries.ts';

export interface DeliveryView extends Omit<WebhookDeliveryAnswer, 'lastAttempt'> {
  /** Oldest first. */
  readonly attempts: readonly NonNullable<WebhookDeliveryAnswer['lastAttempt']>[];
}

/** `endpoint`: the state of the endpoint. */
export function deliveryView(delivery: Delivery, endpoint: EndpointState): DeliveryView {
  const { lastAttempt: _, ...told } = webhookDeliveryAnswer(delivery, endpoint);
  return { ...told, attempts: delivery.message.attempts.map(lastAttemptAnswer) };
}

/** How its last attempt ended, in a word or two. */
export function lastAnswer({ attempts }: DeliveryView): string {
  const last = attempts.at(-1);
  return last === undefined ? 'not tried' : last.status === null ? (last.fault ?? 'no response') : String(last.status);
}
