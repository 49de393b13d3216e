// The newest events of an account, read backwards from the log's end; each call looks at a bounded part of the log.
import type { ClientSessionEvent } from '../domain/client-session/events.ts';
import { idempotencyCategory } from '../domain/idempotency/events.ts';
import type { PaymentInstrumentEvent } from '../domain/payment-instrument/events.ts';
import { webhookQueueCategory } from '../domain/webhook-queue/events.ts';
import { metadataOf } from '../journal/envelope.ts';
import { BrokenStream } from '../stores/broken-stream.ts';
import type { EventStore, StoredEvent } from '../stores/event-store.ts';
import { categoryOf } from '../stores/stream-name.ts';
import { type EventView, eventView } from './streams/event-view.ts';
import { withoutSecrets } from './streams/hidden-members.ts';

interface NewestEventsAsked {
  readonly accountId: string;
  /** Undefined: all. */
  readonly category: string | undefined;
  readonly type: string | undefined;
  /** True: with the service's own events, which otherwise only a filter that names them shows. */
  readonly withOwn: boolean;
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
    if (page.length < PAGE) return { events: found, next: undefined };
  }
  return { events: found, next };
}

/** How the service works, not what happened to the merchant's business: keys of repeated requests, and deliveries. */
const OWN_CATEGORIES: readonly string[] = [idempotencyCategory.name, webhookQueueCategory.name];
/** A session or a card is reserved for a payment, and released. */
const OWN_TYPES: readonly string[] = [
  'ClientSessionClaimed',
  'ClientSessionReleased',
  'InstrumentClaimed',
  'InstrumentReleased',
] satisfies readonly (ClientSessionEvent | PaymentInstrumentEvent)['type'][];

function isWanted(stored: StoredEvent, { accountId, category, type, withOwn }: NewestEventsAsked): boolean {
  const its = categoryOf(stored.stream);
  if (category !== undefined && its !== category) return false;
  if (type !== undefined && stored.type !== type) return false;
  const isNamed = type !== undefined || (category !== undefined && OWN_CATEGORIES.includes(category));
  if (!withOwn && !isNamed && (OWN_CATEGORIES.includes(its) || OWN_TYPES.includes(stored.type))) return false;
  return isOf(stored, accountId);
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
