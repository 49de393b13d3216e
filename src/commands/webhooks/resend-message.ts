// Delivers a message again at the request of a person (contract §8, "resend").
import { type Rejection, reject } from '../../domain/decider.ts';
import { resendMessage as decideResending } from '../../domain/webhook-queue/decide.ts';
import type { WebhookQueue } from '../../domain/webhook-queue/state.ts';
import type { Answer, Caller } from '../caller.ts';
import { answerOf, changeFor } from '../idempotency.ts';
import type { WebhookNeeds } from './needs.ts';

/** The name of one message of a queue: `<endpoint>.<payment or checkpoint>.<sequence>`. */
export const deliveryIdOf = (queueId: string, sequence: number): string => `${queueId}.${sequence}`;

const DELIVERY_ID = /^(we_[0-9a-f]+\.(?:pay_[0-9A-Za-z]+|checkpoint_\d{1,9}))\.(\d{1,9})$/;

/** The queue and the message that a delivery's name names; undefined for a text that is no such name. */
export function namedDelivery(deliveryId: string): { readonly queueId: string; readonly sequence: number } | undefined {
  const [, queueId, sequence] = DELIVERY_ID.exec(deliveryId) ?? [];
  return queueId === undefined || sequence === undefined ? undefined : { queueId, sequence: Number(sequence) };
}

/** `by`: a user of the dashboard. NotFound for an unknown delivery; Conflict where its endpoint is disabled. */
export async function resendMessage(
  needs: WebhookNeeds,
  deliveryId: string,
  by?: Caller,
): Promise<Answer<WebhookQueue>> {
  const missing = reject('NotFound', `There is no delivery ${deliveryId}.`);
  const named = namedDelivery(deliveryId);
  if (named === undefined) return missing;
  const { queueId, sequence } = named;
  const { webhookQueues } = needs;
  const { state } = await webhookQueues.current(queueId);
  if (state.status === 'absent' || (by !== undefined && by.accountId !== state.accountId)) return missing;
  const { endpointId, accountId } = state;
  const changed = await changeFor(
    needs,
    { name: 'resend-webhook', accountId, by },
    { streams: webhookQueues, resource: { id: queueId } },
    ({ context }) => decideResending(sequence, context.at),
    () => unlessEnabled(needs, endpointId),
  );
  return answerOf(changed);
}

/** Conflict if the endpoint is disabled or deleted. */
export async function unlessEnabled(
  { webhookEndpoints }: Pick<WebhookNeeds, 'webhookEndpoints'>,
  endpointId: string,
): Promise<Rejection | undefined> {
  const { state } = await webhookEndpoints.current(endpointId);
  return state.status === 'enabled'
    ? undefined
    : reject(
        'Conflict',
        `The webhook endpoint is ${state.status === 'deleted' ? 'deleted' : 'disabled'}: nothing more is sent to it.`,
      );
}
