// The message of the dashboard's live stream about an event: its subject, its type and an id, and nothing personal.
import { accountCategory } from '../../domain/account/events.ts';
import { actCategory } from '../../domain/act/events.ts';
import { apiKeyCategory } from '../../domain/api-key/events.ts';
import { clientSessionCategory } from '../../domain/client-session/events.ts';
import { connectionCategory } from '../../domain/connection/events.ts';
import { notificationCategory } from '../../domain/notification/events.ts';
import { paymentCategory } from '../../domain/payment/events.ts';
import { paymentInstrumentCategory } from '../../domain/payment-instrument/events.ts';
import { paymentNoteCategory } from '../../domain/payment-note/events.ts';
import { savedViewCategory } from '../../domain/saved-view/events.ts';
import { userCategory } from '../../domain/user/events.ts';
import { webhookEndpointCategory } from '../../domain/webhook-endpoint/events.ts';
import { webhookQueueCategory } from '../../domain/webhook-queue/events.ts';
import { metadataOf } from '../../journal/envelope.ts';
import type { StoredEvent } from '../../stores/event-store.ts';
import { categoryOf, idOf } from '../../stores/stream-name.ts';

export interface LiveMessage {
  readonly position: bigint;
  readonly accountId: string;
  /** The category of the event's stream. */
  readonly topic: string;
  /** Left out where one message stands for many. */
  readonly type?: string;
  /**
   * The id of the payment, session, API key, user, act, webhook endpoint, queue of messages or connection. A token must
   * not be shown, and the name of an HMAC says nothing.
   */
  readonly id?: string;
}

/** Topics whose streams are named by ids that a page shows. */
const NAMED: readonly string[] = [
  paymentCategory,
  paymentNoteCategory,
  clientSessionCategory,
  apiKeyCategory,
  userCategory,
  actCategory,
  webhookEndpointCategory,
  webhookQueueCategory,
  connectionCategory,
].map(({ name }) => name);

/** The categories that pages show; wallets and idempotency keys are not among them. */
export const LIVE_CATEGORIES: readonly string[] = [
  ...NAMED,
  ...[accountCategory, paymentInstrumentCategory, notificationCategory, savedViewCategory].map(({ name }) => name),
];

/** True if an event may have ended a session of a user. */
export const endsSessions = ({ topic }: LiveMessage): boolean => topic === userCategory.name;

/** Undefined of an event whose envelope cannot be read: projections park it. */
export function liveMessageOf(stored: StoredEvent): LiveMessage | undefined {
  const topic = categoryOf(stored.stream);
  try {
    const { accountId } = metadataOf(stored);
    const { position, type } = stored;
    return { position, accountId, topic, type, ...(NAMED.includes(topic) && { id: idOf(stored.stream) }) };
  } catch {
    return undefined;
  }
}

/** More than so many of one account at once are told as their topics alone: a page asks again, whatever the number. */
const TOLD_ONE_BY_ONE = 50;

/** The messages condensed into few, with the last position on the last of them. */
export function condensed(messages: readonly LiveMessage[]): readonly LiveMessage[] {
  const last = messages.at(-1);
  if (last === undefined || messages.length <= TOLD_ONE_BY_ONE) return messages;
  const { accountId, position } = last;
  return [...new Set(messages.map(({ topic }) => topic))].map((topic) => ({ accountId, position, topic }));
}
