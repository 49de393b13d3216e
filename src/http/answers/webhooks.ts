// Webhooks as the dashboard and the command line show them: deliveries, in a list, and one with everything that was
// sent and answered; the paths of POST /webhooks, never with a token.
import { z } from 'zod';
import type { DeliveryLog } from '../../commands/webhooks/delivery-log.ts';
import { type ExistingApiKey, type IncomingWebhook, isUsable } from '../../domain/api-key.ts';
import { publicEventId } from '../../domain/category.ts';
import { ENDPOINT_STATES, type EndpointState, endpointState } from '../../domain/webhook-endpoint.ts';
import { faultSentence } from '../../domain/webhook-queue/fault-words.ts';
import { DELIVERY_STATUSES, type DeliveryAttempt, deliveryStatus } from '../../domain/webhook-queue/state.ts';
import type { Delivery } from '../../queries/list-deliveries.ts';
import { formatTime } from '../../world.ts';
import { bytesOf, cutText, fitting, MOST_ANSWER_BYTES } from '../answer-size.ts';
import { answer } from './answer.ts';
import { Instant } from './shapes.ts';

/** How a call of a receiver ended: its status, or why there was no answer. */
export const LastAttempt = z.strictObject({
  at: Instant,
  tookMs: z.int(),
  status: z.int().nullable(),
  /** In the words of the network. */
  fault: z.string().nullable(),
  /** The fault as a sentence. */
  why: z.string().nullable(),
});
type LastAttempt = z.infer<typeof LastAttempt>;

const whyOf = ({ fault }: Pick<DeliveryAttempt, 'fault'>): string | undefined => fault && faultSentence(fault);

export const lastAttemptAnswer = (attempt: DeliveryAttempt): LastAttempt =>
  answer(LastAttempt, attempt, { why: whyOf(attempt) });

/** `gone`: the receiver answered 410. */
const EndpointStateAnswer = z.enum(ENDPOINT_STATES);

export const WebhookDeliveryAnswer = z
  .strictObject({
    id: z.string(),
    endpointId: z.string(),
    /** Both are null of a message about a checkpoint. */
    paymentId: z.string().nullable(),
    agreementId: z.string().nullable(),
    eventId: z.string(),
    eventType: z.string(),
    sequence: z.int(),
    previousSequence: z.int().nullable(),
    /** `retrying`: not taken, and tried again at `nextAttemptAt`. `failed`: after the last retry. */
    status: z.enum(DELIVERY_STATUSES),
    /** Why a message that waits is never sent: the state of its endpoint. Null if it is sent, or was. */
    discarded: EndpointStateAnswer.exclude(['enabled']).nullable(),
    queuedAt: Instant,
    nextAttemptAt: Instant.nullable(),
    lastAttempt: LastAttempt.nullable(),
  })
  .meta({ id: 'DashboardWebhookDelivery' });
export type WebhookDeliveryAnswer = z.infer<typeof WebhookDeliveryAnswer>;

/** `endpoint`: the state of the endpoint. */
export function webhookDeliveryAnswer(
  { id, queue, message }: Delivery,
  endpoint: EndpointState,
): WebhookDeliveryAnswer {
  const last = message.attempts.at(-1);
  const discarded = message.dueAt === undefined || endpoint === 'enabled' ? null : endpoint;
  return answer(WebhookDeliveryAnswer, message, {
    id,
    endpointId: queue.endpointId,
    paymentId: queue.paymentId,
    agreementId: queue.agreementId,
    eventId: publicEventId(message.eventId),
    status: deliveryStatus(message),
    discarded,
    nextAttemptAt: discarded === null ? message.dueAt : null,
    lastAttempt: last && lastAttemptAnswer(last),
  });
}

/** A delivery about one payment, with the URL of its endpoint. */
export const PaymentDeliveryAnswer = WebhookDeliveryAnswer.extend({ url: z.string() }).meta({
  id: 'DashboardPaymentDelivery',
});

const Call = LastAttempt.extend({
  kind: z.literal('call'),
  /** The beginning of the receiver's body; null where there was none. */
  body: z.string().nullable(),
  /** As they were sent; null of calls from before they were recorded. */
  headers: z.array(z.strictObject({ name: z.string(), value: z.string() })).nullable(),
  /** The signature proves that the body of the answer is what was sent. */
  isAsSent: z.boolean(),
});
const Resend = z.strictObject({
  kind: z.literal('resend'),
  at: Instant,
  actor: z.strictObject({ kind: z.string(), id: z.string() }),
});

export const WebhookDeliveryLogAnswer = z
  .strictObject({
    delivery: WebhookDeliveryAnswer,
    url: z.string(),
    /** A message can be sent again only to an enabled endpoint. */
    endpointState: EndpointStateAnswer,
    /** The body that each call sends, character by character; of a very large one the beginning. */
    body: z.string(),
    /** Oldest first; the newest that have room. */
    entries: z.array(z.discriminatedUnion('kind', [Call, Resend])),
  })
  .meta({ id: 'DashboardWebhookDeliveryLog' });
export type WebhookDeliveryLogAnswer = z.infer<typeof WebhookDeliveryLogAnswer>;

/** As JSON in JSON: its quotes and backslashes take twice the room. */
const MOST_BODY_BYTES = 0.75 * MOST_ANSWER_BYTES;
/** The length to which a larger body is cut. */
const CUT_BODY_CHARACTERS = 131_072;

export function webhookDeliveryLogAnswer({
  endpoint,
  body,
  entries,
  ...delivery
}: DeliveryLog): WebhookDeliveryLogAnswer {
  const bytes = bytesOf(body);
  const shown = bytes <= MOST_BODY_BYTES ? body : cutText(body, CUT_BODY_CHARACTERS);
  return {
    delivery: webhookDeliveryAnswer(delivery, endpointState(endpoint)),
    url: endpoint.url,
    endpointState: endpointState(endpoint),
    body: shown,
    entries: fitting(entries.toReversed(), entryAnswer, Math.min(bytes, MOST_BODY_BYTES)).items.toReversed(),
  };
}

const entryAnswer = (entry: DeliveryLog['entries'][number]): WebhookDeliveryLogAnswer['entries'][number] =>
  entry.kind === 'resend'
    ? { kind: entry.kind, at: formatTime(entry.at), actor: { kind: entry.by.kind, id: entry.by.id } }
    : answer(Call, entry, {
        why: whyOf(entry),
        headers: entry.headers && Object.entries(entry.headers).map(([name, value]) => ({ name, value })),
      });

/** A path of POST /webhooks that an API key answers for. */
export const IncomingWebhookAnswer = z
  .strictObject({
    id: z.string(),
    processor: z.string(),
    /** The API key that it stands for. */
    keyId: z.string(),
    /** `dead`: its key is revoked, has expired, or may no longer send notifications. */
    state: z.enum(['active', 'revoked', 'dead']),
    addedAt: Instant,
    revokedAt: Instant.nullable(),
  })
  .meta({ id: 'DashboardIncomingWebhook' });
export type IncomingWebhookAnswer = z.infer<typeof IncomingWebhookAnswer>;

/** `at`: now, ms. */
export function incomingWebhookAnswer(
  keyId: string,
  key: ExistingApiKey,
  webhook: IncomingWebhook,
  at: number,
): IncomingWebhookAnswer {
  const isOpen = isUsable(key, at) && key.scopes.includes('third_party:webhook_trigger');
  return answer(IncomingWebhookAnswer, webhook, {
    id: webhook.webhookId,
    keyId,
    state: webhook.revokedAt !== undefined ? 'revoked' : isOpen ? 'active' : 'dead',
  });
}
