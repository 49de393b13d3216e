// The types of messages that an endpoint can get: those about payments, and the checkpoints of the log.
import { MESSAGE_TYPES, MESSAGE_WORDS } from '../payment/message.ts';

/** Reports a checkpoint of the log. An endpoint gets it only if it names the type: it is of the whole store. */
export const CHECKPOINT_TYPE = 'AUDIT.CHECKPOINT';

export const WEBHOOK_TYPES = [...MESSAGE_TYPES, CHECKPOINT_TYPE] as const;
export type WebhookType = (typeof WEBHOOK_TYPES)[number];

export const WEBHOOK_WORDS: { readonly [T in WebhookType]: string } = {
  ...MESSAGE_WORDS,
  [CHECKPOINT_TYPE]: 'The service recorded a checkpoint of the log. Only an endpoint that names this type gets it.',
};
