// Webhooks as a subject: endpoints managed by people, messages queued and delivered by policies.

import type { TellableMessage } from '../../domain/payment/message.ts';
import type { EndpointChange } from '../../domain/webhook-endpoint/decide.ts';
import type { Caller } from '../caller.ts';
import { type Delivering, deliverMessages } from './deliver-messages.ts';
import { readDelivery } from './delivery-log.ts';
import {
  addEndpoint,
  changeEndpoint,
  deleteEndpoint,
  disableEndpoint,
  type NewEndpoint,
  rotateEndpointSecret,
} from './manage-endpoints.ts';
import type { WebhookNeeds } from './needs.ts';
import { type Queueing, type QueueingCheckpoint, queueCheckpoint, queueMessages } from './queue-messages.ts';
import { resendMessage } from './resend-message.ts';
import { type ResendingUntaken, receivingEndpoint, resendUntaken } from './resend-untaken.ts';
import { paymentTold } from './told-payment.ts';

export type Webhooks = ReturnType<typeof makeWebhooks>;

export const makeWebhooks = (needs: WebhookNeeds) => ({
  addWebhookEndpoint: (endpoint: NewEndpoint, by?: Caller) => addEndpoint(needs, endpoint, by),
  changeWebhookEndpoint: (
    endpointId: string,
    change: EndpointChange,
    by?: Caller,
    ifMatch?: (revision: number) => boolean,
  ) => changeEndpoint(needs, endpointId, change, by, ifMatch),
  deleteWebhookEndpoint: (endpointId: string, by?: Caller) => deleteEndpoint(needs, endpointId, by),
  disableWebhookEndpoint: (endpointId: string, by?: Caller) => disableEndpoint(needs, endpointId, by),
  rotateWebhookSecret: (endpointId: string, overlapMs: number, by?: Caller) =>
    rotateEndpointSecret(needs, endpointId, overlapMs, by),
  resendWebhook: (deliveryId: string, by?: Caller) => resendMessage(needs, deliveryId, by),
  /** What `resendUntaken` would refuse. */
  receivingEndpoint: (endpointId: string) => receivingEndpoint(needs, endpointId),
  resendUntaken: (resending: ResendingUntaken, by?: Caller) => resendUntaken(needs, resending, by),
  queueWebhooks: (queueing: Queueing, policy: string) => queueMessages(needs, queueing, policy),
  queueCheckpoint: (queueing: QueueingCheckpoint, policy: string) => queueCheckpoint(needs, queueing, policy),
  deliverWebhooks: (delivering: Delivering, policy: string, signal: AbortSignal) =>
    deliverMessages(needs, delivering, policy, signal),
  /** Everything that was sent and answered for one message, for users of the account. */
  readDelivery: (deliveryId: string, accountId: string) => readDelivery(needs, deliveryId, accountId),
  /** The payment of a message, as it was right after its event. */
  paymentTold: (message: Pick<TellableMessage, 'paymentId' | 'sequence'>) => paymentTold(needs, message),
});
