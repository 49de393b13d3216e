// Events of an account: the messages of GET /events in the order of the log (contract §8), the newest events of all
// its streams, and the checkpoints of the whole store, which every account sees.

import type { ClientSessionEvent } from '../domain/client-session/events.ts';
import { type Rejection, reject } from '../domain/decider.ts';
import { idempotencyCategory } from '../domain/idempotency.ts';
import type { PaymentInstrumentEvent } from '../domain/payment-instrument/events.ts';
import { webhookQueueCategory } from '../domain/webhook-queue/events.ts';
import { metadataOf } from '../journal/envelope.ts';
import { recordedAtOf } from '../projections/engine/health/lag.ts';
import { type CheckpointKey, checkpoints, type ListedCheckpoint } from '../projections/models/checkpoints.ts';
import { type ListedMessage, type PaymentMessageKey, paymentMessages } from '../projections/models/payment-messages.ts';
import { BrokenStream } from '../stores/broken-stream.ts';
import type { EventStore, StoredEvent } from '../stores/event-store.ts';
import type { Query, ReadModels, Stored } from '../stores/read-models.ts';
import { categoryOf } from '../stores/stream-name.ts';
import { type EventView, eventView, withoutSecrets } from './replay-stream.ts';

interface MessagesPage {
  readonly rows: readonly Stored<ListedMessage>[];
  /** Position of the last message on this page, when there are more. */
  readonly next?: number;
}

/** Where a page begins: after a position, or after the message of an event (`evt_…` without its prefix). */
type MessagesAfter = { readonly position: number } | { readonly eventId: string };

const OLDEST_FIRST: NonNullable<Query<PaymentMessageKey>['order']> = { by: 'position', descending: false };

/**
 * Lists messages, oldest first; `limit` 1 to 100. InvalidCursor after an event that is not a message of the account.
 */
export const listMessages =
  (readModels: ReadModels) =>
  async (accountId: string, after: MessagesAfter | undefined, limit: number): Promise<MessagesPage | Rejection> => {
    const from =
      after === undefined
        ? -1
        : 'position' in after
          ? after.position
          : await positionOf(readModels, accountId, after.eventId);
    if (from === undefined) return reject('InvalidCursor', '`after` does not match any event of this account.');
    const where: Query<PaymentMessageKey>['where'] = { accountId: [accountId], position: { from: from + 1 } };
    const found = await readModels.find(paymentMessages, { where, order: OLDEST_FIRST, limit: limit + 1 });
    const rows = found.slice(0, limit);
    const last = rows.at(-1);
    return { rows, ...(found.length > limit && last !== undefined && { next: last.doc.position }) };
  };

const NEWEST_FIRST: NonNullable<Query<PaymentMessageKey>['order']> = { by: 'position', descending: true };

/** The event of the account's newest message, as a document's id has it; undefined: there is none. */
export async function newestMessage(readModels: ReadModels, accountId: string): Promise<string | undefined> {
  const where: Query<PaymentMessageKey>['where'] = { accountId: [accountId] };
  const [newest] = await readModels.find(paymentMessages, { where, order: NEWEST_FIRST, limit: 1 });
  return newest?.id;
}

async function positionOf(readModels: ReadModels, accountId: string, eventId: string): Promise<number | undefined> {
  const [row] = await readModels.get(paymentMessages, [eventId]);
  return row?.doc.accountId === accountId ? row.doc.position : undefined;
}

interface NewestEventsAsked {
  readonly accountId: string;
  /** Undefined: all. */
  readonly category: string | undefined;
  readonly type: string | undefined;
  /** True: with the service's own events, which otherwise only a filter that names them shows. */
  readonly withOwn: boolean;
  /** Of `recordedAt`, ms, both ends included. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** The `next` of the previous page. */
  readonly before: bigint | undefined;
  readonly limit: number;
}

interface NewestEvents {
  /** Newest first; without members that hold a secret. */
  readonly events: readonly EventView[];
  /** Older events are looked for before this position; undefined if the log begins. */
  readonly next: bigint | undefined;
}

/** Events of the whole log that one call looks at: the account's may be few among them. */
const MOST_LOOKED_AT = 5_000;
const PAGE = 500;

/** The account's events; none from a store that cannot be read backwards. Throws StoreUnavailable. */
export async function newestEvents(
  events: Pick<EventStore, 'newest'>,
  asked: NewestEventsAsked,
): Promise<NewestEvents> {
  const found: EventView[] = [];
  let next = asked.before;
  if (events.newest === undefined) return { events: found, next: undefined };
  for (let looked = 0; looked < MOST_LOOKED_AT; looked += PAGE) {
    const page = await events.newest(next, PAGE);
    for (const stored of page) {
      next = stored.position;
      const view = isWanted(stored, asked) ? viewOf(stored) : undefined;
      if (view !== undefined) found.push(view);
      if (found.length === asked.limit) return { events: found, next };
    }
    if (page.length < PAGE || isBefore(page, asked.from)) return { events: found, next: undefined };
  }
  return { events: found, next };
}

/**
 * True if the whole page was recorded before `from`. The log is in the order of commits, and the clocks of nodes
 * differ, so that one older event among newer ones says nothing.
 */
const isBefore = (page: readonly StoredEvent[], from: number | undefined): boolean =>
  from !== undefined && page.every((stored) => (recordedAtOf(stored) ?? 0) < from);

/** How the service works, not what happened to the merchant's business: keys of repeated requests, and deliveries. */
const OWN_CATEGORIES: readonly string[] = [idempotencyCategory.name, webhookQueueCategory.name];
/** A session or a card is reserved for a payment, and released. */
const OWN_TYPES: readonly string[] = [
  'ClientSessionClaimed',
  'ClientSessionReleased',
  'InstrumentClaimed',
  'InstrumentReleased',
] satisfies readonly (ClientSessionEvent | PaymentInstrumentEvent)['type'][];

function isWanted(stored: StoredEvent, asked: NewestEventsAsked): boolean {
  const { accountId, category, type, withOwn } = asked;
  const its = categoryOf(stored.stream);
  if (category !== undefined && its !== category) return false;
  if (type !== undefined && stored.type !== type) return false;
  const isNamed = type !== undefined || (category !== undefined && OWN_CATEGORIES.includes(category));
  if (!withOwn && !isNamed && (OWN_CATEGORIES.includes(its) || OWN_TYPES.includes(stored.type))) return false;
  return isOf(stored, accountId) && isWithin(stored, asked);
}

function isWithin(stored: StoredEvent, { from, to }: Pick<NewestEventsAsked, 'from' | 'to'>): boolean {
  if (from === undefined && to === undefined) return true;
  const at = recordedAtOf(stored);
  return at !== undefined && (from === undefined || at >= from) && (to === undefined || at <= to);
}

/** False for an event that cannot be read: its stream shows the reason. */
const isOf = (stored: StoredEvent, accountId: string): boolean =>
  unlessBroken(() => metadataOf(stored).accountId === accountId) ?? false;

const viewOf = (stored: StoredEvent): EventView | undefined =>
  unlessBroken(() => {
    const view = eventView(stored);
    return { ...view, data: withoutSecrets(view.data) };
  });

function unlessBroken<Read>(read: () => Read): Read | undefined {
  try {
    return read();
  } catch (fault) {
    if (fault instanceof BrokenStream) return undefined;
    throw fault;
  }
}

const NEWEST_CHECKPOINT: NonNullable<Query<CheckpointKey>['order']> = { by: 'position', descending: true };

interface CheckpointsPage {
  readonly rows: readonly Stored<ListedCheckpoint>[];
  /** The position after which the next page begins. */
  readonly next?: number;
}

/** `limit`: 1 to 100. `before`: the position of the last row of the previous page. As old as the follower. */
export const listCheckpoints =
  (readModels: Pick<ReadModels, 'find'>) =>
  async (limit: number, before?: number): Promise<CheckpointsPage> => {
    const where: Query<CheckpointKey>['where'] = { position: before === undefined ? {} : { to: before - 1 } };
    const found = await readModels.find(checkpoints, { where, order: NEWEST_CHECKPOINT, limit: limit + 1 });
    const rows = found.slice(0, limit);
    const last = rows.at(-1);
    return { rows, ...(found.length > limit && last !== undefined && { next: last.doc.position }) };
  };
