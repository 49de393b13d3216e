// The log of one delivery: each call of the endpoint as it was sent and answered, and each time that a person asked for
// one more (contract §8).
import { type Rejection, reject } from '../../domain/decider.ts';
import type { ExistingEndpoint } from '../../domain/webhook-endpoint.ts';
import type { WebhookQueueEvent } from '../../domain/webhook-queue/events.ts';
import type { DeliveryAttempt, ExistingQueue, QueuedMessage } from '../../domain/webhook-queue/state.ts';
import type { Context } from '../../journal/context.ts';
import type { WebhookNeeds } from './needs.ts';
import { namedDelivery } from './resend-message.ts';
import { messageHeaders, signatureOf } from './signature.ts';
import { toldMessage } from './told-payment.ts';

interface DeliveryCall extends DeliveryAttempt {
  readonly kind: 'call';
  /** As they were sent; undefined of calls from before they were recorded. */
  readonly headers?: { readonly [name: string]: string };
  /** The signature proves that `body` is what was sent. */
  readonly isAsSent: boolean;
}

interface DeliveryResend {
  readonly kind: 'resend';
  /** When it was asked for, ms. */
  readonly at: number;
  readonly by: Context['actor'];
}

export interface DeliveryLog {
  readonly id: string;
  readonly queue: ExistingQueue;
  readonly message: QueuedMessage;
  readonly endpoint: ExistingEndpoint;
  /** The body of each call. */
  readonly body: string;
  /** Oldest first. */
  readonly entries: readonly (DeliveryCall | DeliveryResend)[];
}

/**
 * Reads a delivery. NotFound, including for a delivery of another account. Reads the whole queue. Throws
 * StoreUnavailable and BrokenStream.
 */
export async function readDelivery(
  needs: WebhookNeeds,
  deliveryId: string,
  accountId: string,
): Promise<DeliveryLog | Rejection> {
  const missing = reject('NotFound', 'There is no such delivery.');
  const named = namedDelivery(deliveryId);
  if (named === undefined) return missing;
  const { state: queue } = await needs.webhookQueues.current(named.queueId);
  if (queue.status === 'absent' || queue.accountId !== accountId) return missing;
  const message = queue.messages.find(({ sequence }) => sequence === named.sequence);
  const { state: endpoint } = await needs.webhookEndpoints.current(queue.endpointId);
  if (message === undefined || endpoint.status === 'absent') return missing;
  const { messageId, body } = await toldMessage(needs, queue, message);
  /** By any secret that the endpoint has had, the newest first: few are rotated often. */
  const isSigned = ({ timestamp, signature }: Signed): boolean => {
    const signedBy = (secret: number): string =>
      signatureOf(needs.storeKey, { endpointId: queue.endpointId, secrets: [secret], messageId, timestamp, body });
    const signatures = new Set(signature.split(' '));
    const secrets = Array.from(
      { length: Math.min(endpoint.rotations + 1, SECRETS_TRIED) },
      (_, back) => endpoint.rotations - back,
    );
    return secrets.some((secret) => signatures.has(signedBy(secret)));
  };
  const entries: (DeliveryCall | DeliveryResend)[] = [];
  for await (const { event, recorded, metadata } of needs.webhookQueues.history(named.queueId, -1)) {
    if (event.data.sequence !== named.sequence || isQueueing(event)) continue;
    if (event.type === 'MessageResent') entries.push({ kind: 'resend', at: recorded.at, by: metadata.actor });
    else entries.push(callOf(event, messageId, isSigned));
  }
  return { id: deliveryId, queue, message, endpoint, body, entries };
}

const SECRETS_TRIED = 100;

const isQueueing = (event: WebhookQueueEvent): event is Extract<WebhookQueueEvent, { type: `${string}Queued` }> =>
  event.type === 'MessageQueued' || event.type === 'AgreementMessageQueued' || event.type === 'CheckpointQueued';

type CallEvent = Extract<WebhookQueueEvent, { type: 'MessageDelivered' | 'DeliveryFailed' }>;
type Signed = NonNullable<CallEvent['data']['signed']>;

function callOf({ data }: CallEvent, messageId: string, isSigned: (signed: Signed) => boolean): DeliveryCall {
  const { at, tookMs, signed, status, body } = data;
  const fault = 'fault' in data ? data.fault : undefined;
  return {
    kind: 'call',
    at,
    tookMs,
    ...(status !== undefined && { status }),
    ...(body !== undefined && { body }),
    ...(fault !== undefined && { fault }),
    ...(signed !== undefined && { headers: messageHeaders({ messageId, ...signed }) }),
    isAsSent: signed !== undefined && isSigned(signed),
  };
}
