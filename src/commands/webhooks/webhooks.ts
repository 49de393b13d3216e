// Webhooks as a subject: endpoints managed by people, messages queued and delivered by policies.

import { bind } from '../bind.ts';
import { deliverMessages } from './deliver-messages.ts';
import { readDelivery } from './delivery-log.ts';
import {
  addEndpoint,
  changeEndpoint,
  deleteEndpoint,
  disableEndpoint,
  rotateEndpointSecret,
} from './manage-endpoints.ts';
import type { WebhookNeeds } from './needs.ts';
import { queueCheckpoint, queueMessages } from './queue-messages.ts';
import { receivingEndpoint, resendMessage, resendUntaken } from './resend-message.ts';
import { agreementTold, paymentTold } from './told-payment.ts';

export type Webhooks = ReturnType<typeof makeWebhooks>;

export const makeWebhooks = (needs: WebhookNeeds) =>
  bind(needs, {
    addWebhookEndpoint: addEndpoint,
    changeWebhookEndpoint: changeEndpoint,
    deleteWebhookEndpoint: deleteEndpoint,
    disableWebhookEndpoint: disableEndpoint,
    rotateWebhookSecret: rotateEndpointSecret,
    resendWebhook: resendMessage,
    receivingEndpoint,
    resendUntaken,
    queueWebhooks: queueMessages,
    queueCheckpoint,
    deliverWebhooks: deliverMessages,
    readDelivery,
    paymentTold,
    agreementTold,
  });
