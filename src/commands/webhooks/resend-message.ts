// Delivers a message once more, because a person asks for it (contract §8, "resend").
import { reject } from '../../domain/decider.ts';
import { resendMessage as decideResending } from '../../domain/webhook-queue/decide.ts';
import type { WebhookQueue } from '../../domain/webhook-queue/state.ts';
import { operatorContext } from '../../journal/contexts.ts';
import { transact } from '../../journal/transact.ts';
import { type Answer, completed } from '../caller.ts';
import type { EndpointUser } from './manage-endpoints.ts';
import type { WebhookNeeds } from './needs.ts';

/** The name of one message of a queue: `<endpoint>.<payment>.<sequence>`. */
export const deliveryIdOf = (queueId: string, sequence: number): string => `${queueId}.${sequence}`;

const DELIVERY_ID = /^(we_[0-9a-f]+\.pay_[0-9A-Za-z]+)\.(\d{1,9})$/;

/** The queue and the message that a delivery's name names; undefined for a text that is no such name. */
export function namedDelivery(deliveryId: string): { readonly queueId: string; readonly sequence: number } | undefined {
  const [, queueId, sequence] = DELIVERY_ID.exec(deliveryId) ?? [];
  return queueId === undefined || sequence === undefined ? undefined : { queueId, sequence: Number(sequence) };
}

/** NotFound for an unknown delivery; Conflict where its endpoint is disabled. */
export async function resendMessage(needs: WebhookNeeds, deliveryId: string, by?: EndpointUser): Promise<Answer<WebhookQueue>> {
  const missing = reject('NotFound', `There is no delivery ${deliveryId}.`);
  const named = namedDelivery(deliveryId);
  if (named === undefined) return missing;
  const { queueId, sequence } = named;
  const { state } = await needs.webhookQueues.current(queueId);
  if (state.status === 'absent' || (by !== undefined && by.accountId !== state.accountId)) return missing;
  const { state: endpoint } = await needs.webhookEndpoints.current(state.endpointId);
  if (endpoint.status !== 'enabled') return reject('Conflict', 'The webhook endpoint is disabled: nothing is sent to it any more.');
  const context = operatorContext(needs.world, state.accountId, by);
  await needs.mayWrite();
  const resent = await transact(needs.webhookQueues, queueId, context, decideResending(sequence, context.at));
  return resent.kind === 'rejected' ? resent : completed(queueId, resent.folded);
}
