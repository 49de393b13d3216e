// Queues the messages of payments and agreements for the endpoints of their account, in the log's order, and keeps
// the place up to which that is done. If the place was lost with the read models, the read model of the queues tells
// what is queued, and a million streams need not be read.

import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { type Queueing, queueIdOf } from '../commands/webhooks/queue-messages.ts';
import type { Webhooks } from '../commands/webhooks/webhooks.ts';
import { subjectOf, type TellableMessage } from '../domain/message.ts';
import { type ExistingEndpoint, wantsMessage, webhookEndpointCategory } from '../domain/webhook-endpoint.ts';
import { type ListedMessage, type PaymentMessageKey, paymentMessages } from '../projections/models/payment-messages.ts';
import { webhookEndpoints } from '../projections/models/webhook-endpoints.ts';
import { webhookQueues } from '../projections/models/webhook-queues.ts';
import { allOf } from '../queries/pages.ts';
import { BrokenStream } from '../stores/broken-stream.ts';
import type { EventStore } from '../stores/event-store.ts';
import type { Collection, ReadModels, Stored } from '../stores/read-models.ts';
import { streamOf } from '../stores/stream-name.ts';
import type { WantedLanes } from './deliver-webhooks.ts';
import { type DueParts, inRounds, type PolicyNode } from './policy.ts';
import { type Pages, sweeps, type WalkParts, walkOn } from './walk.ts';

/** The actor in the events that it causes, and the name of its place. */
const NAME = 'queue-webhooks';
const PAGES: Pages = { page: 500, pauseMs: 0 };
const AT_ONCE = 32;
/** An alarm wakes it; on its own it looks for missed messages. */
const EVERY_MS = 1_000;
/**
 * The pause after a round, ms: longer with each message that it met, up to a bound. Where few come, they go out at
 * once; where many come, those of one subject are queued together, and their deliveries share a record: payments are
 * taken from the same CPU.
 */
const pauseAfter = (messages: number): number => Math.min(10 + 5 * messages, 250);
export interface QueueingNeeds extends PolicyNode, Pick<Webhooks, 'queueWebhooks'> {}

export interface QueueingParts extends DueParts, WalkParts {
  /**
   * Up to where this process knows a read model to hold everything; documents beyond may have gaps that are filled
   * later.
   */
  readonly followedTo: (name: string) => bigint;
  /** The streams that a read model is parked at, as of this process's last look. */
  readonly parkedIn: (name: string) => ParkedPositions;
  /**
   * The position of an endpoint's first event: it gets the messages after that, even if the kept place is lost
   * with the read models, and the walk begins at the first message.
   */
  readonly beginOf: (endpointId: string) => Promise<number>;
  /** Told of the endpoints for which something was queued. */
  readonly wanted: WantedLanes;
}

/** On the node that does due work, until the signal aborts. `parts.alarm`: rung when there may be messages. */
export const queueWebhooks = (needs: QueueingNeeds, parts: QueueingParts, signal: AbortSignal): Promise<void> => {
  const isBuilt = (): boolean =>
    [paymentMessages, webhookEndpoints, webhookQueues].every(({ name }) => parts.isBuilt(name));
  const queued = new QueuedBefore(parts.readModels);
  const round = async (): Promise<void> => {
    await goBackToLate(NAME, parts.parkedIn(paymentMessages.name), parts);
    const messages = await queueNew(needs, parts, signal, queued);
    await needs.world.sleep(pauseAfter(messages), signal).catch(() => undefined);
  };
  return inRounds({ of: paymentMessages, everyMs: EVERY_MS }, round, { ...parts, isBuilt }, needs, signal);
};

/**
 * Continues from the stored position to the newest message; resolves to the number of messages found. Two nodes at once
 * queue each message once, and no message before an earlier one of its subject. Throws StoreUnavailable, and starts the
 * same page again next time.
 */
async function queueNew(
  needs: QueueingNeeds,
  parts: WalkParts & Pick<QueueingParts, 'followedTo' | 'beginOf' | 'wanted'>,
  signal: AbortSignal,
  queued = new QueuedBefore(parts.readModels),
): Promise<number> {
  let messages = 0;
  const look = async (rows: readonly Stored<ListedMessage>[]): Promise<void> => {
    await queuePage(needs, parts, queued, rows);
    messages += rows.length;
  };
  const walk = { name: NAME, of: paymentMessages, by: 'position', look } as const;
  const to = Number(parts.followedTo(paymentMessages.name));
  await walkOn<ListedMessage, PaymentMessageKey>(walk, PAGES, to, parts, needs.world, signal);
  return messages;
}

/** What has a broken stream has nothing that could be sent. */
async function queuePage(
  needs: QueueingNeeds,
  { readModels, beginOf, wanted }: Pick<QueueingParts, 'readModels' | 'beginOf' | 'wanted'>,
  queued: QueuedBefore,
  rows: readonly Stored<ListedMessage>[],
): Promise<void> {
  // After the messages were read: an endpoint that is added before a message is met by it.
  const endpoints = await enabledEndpoints(readModels, beginOf, [...new Set(rows.map(({ doc }) => doc.accountId))]);
  if (endpoints.size === 0) return;
  const wishes = [...bySubject(rows)].flatMap(([subjectId, messages]) => {
    const accountId = messages[0]?.doc.accountId ?? '';
    return (endpoints.get(accountId) ?? []).flatMap(({ id: endpointId, doc: endpoint, begin }) => {
      const wants = messages.filter(
        ({ doc }) => wantsMessage(endpoint, doc.eventType, doc.date) && doc.position > begin,
      );
      const told = wants.map(({ id, doc }) => ({ ...toldIn(id, doc), correlationId: doc.correlationId }));
      return told.length === 0 ? [] : [{ accountId, endpointId, subjectId, messages: told }];
    });
  });
  const queueings = await queued.without(wishes);
  const limited = pLimit(AT_ONCE);
  await Promise.all(
    queueings.map((queueing) =>
      limited(() => needs.queueWebhooks(queueing, NAME)).catch((fault: unknown) => {
        if (!(fault instanceof BrokenStream)) throw fault;
        needs.report(fault);
      }),
    ),
  );
  wanted.add(queueings.map(({ endpointId }) => endpointId));
}

interface BegunEndpoint {
  readonly id: string;
  readonly doc: ExistingEndpoint;
  readonly begin: number;
}

async function enabledEndpoints(
  readModels: ReadModels,
  beginOf: QueueingParts['beginOf'],
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, readonly BegunEndpoint[]>> {
  const found = new Map<string, BegunEndpoint[]>();
  for await (const { id, doc } of allOf(readModels, webhookEndpoints, {
    where: { accountId: accountIds, enabled: [true] },
    isDueWork: true,
  })) {
    if (doc.status === 'absent') continue;
    const ofAccount = found.get(doc.accountId);
    const begun = { id, doc, begin: await beginOf(id) };
    if (ofAccount === undefined) found.set(doc.accountId, [begun]);
    else ofAccount.push(begun);
  }
  return found;
}

function bySubject(rows: readonly Stored<ListedMessage>[]): ReadonlyMap<string, readonly Stored<ListedMessage>[]> {
  const found = new Map<string, Stored<ListedMessage>[]>();
  for (const row of rows) {
    const subjectId = subjectOf(row.doc);
    const ofSubject = found.get(subjectId);
    if (ofSubject === undefined) found.set(subjectId, [row]);
    else ofSubject.push(row);
  }
  return found;
}

function toldIn(eventId: string, doc: ListedMessage): TellableMessage {
  const { sequence } = doc;
  return 'paymentId' in doc
    ? { paymentId: doc.paymentId, eventId, eventType: doc.eventType, sequence }
    : { agreementId: doc.agreementId, eventId, eventType: doc.eventType, sequence };
}

/** The positions of the events at which streams are parked, by stream. */
type ParkedPositions = ReadonlyMap<string, number>;

/**
 * The parked streams that were seen last: kept, because the node that does the work may die before it sees one taken
 * in.
 */
const lateMessages: Collection<{ readonly parked: Readonly<Record<string, number>> }, never> = {
  name: 'late-messages',
  version: 1,
  keys: {},
  indexes: [],
};
const PARKED_ID = 'all';

/**
 * Where streams that were parked are so no longer, the walk of this name goes on from the first of their events:
 * messages that are queued already are not queued again. Throws StoreUnavailable, and does no harm when it is repeated.
 */
export async function goBackToLate(
  walk: string,
  parked: ParkedPositions,
  { readModels, nameOfLog }: WalkParts,
): Promise<void> {
  const [kept] = await readModels.get(lateMessages, [PARKED_ID]);
  const before = kept?.doc.parked ?? {};
  const takenIn = Object.entries(before).filter(([stream]) => !parked.has(stream));
  if (takenIn.length > 0)
    await goBack(walk, Math.min(...takenIn.map(([, position]) => position)), { readModels, nameOfLog });
  if (takenIn.length === 0 && [...parked.keys()].every((stream) => stream in before)) return;
  const doc = { parked: Object.fromEntries(parked) };
  await readModels.write(lateMessages, [{ id: PARKED_ID, revision: (kept?.revision ?? -1) + 1, doc }]);
}

async function goBack(walk: string, position: number, { readModels, nameOfLog }: WalkParts): Promise<void> {
  const log = (await nameOfLog()) ?? '';
  const [place] = await readModels.get(sweeps, [walk]);
  if (place === undefined || place.doc.log !== log || Number(place.doc.key) < position) return;
  await readModels.write(sweeps, [{ id: walk, revision: place.revision + 1, doc: { key: position - 1, id: '', log } }]);
}

/** Documents a question. */
const READ_AT_ONCE = 500;

/**
 * A document that is older than its stream names too few of them: those are offered to their queue, which knows
 * (`queueMessages`). It never names too many, because what is queued stays queued.
 */
class QueuedBefore {
  readonly #readModels: Pick<ReadModels, 'get'>;
  /**
   * The last page, or that of a process before this one, was offered before: so may the next be. New messages cost no
   * question.
   */
  #isLikely = true;

  constructor(readModels: Pick<ReadModels, 'get'>) {
    this.#readModels = readModels;
  }

  /** The queueings without what is queued, as far as that is known. Throws StoreUnavailable. */
  async without(queueings: readonly Queueing[]): Promise<readonly Queueing[]> {
    if (!this.#isLikely || queueings.length === 0) return queueings;
    const last = await this.#lastSequences(queueings.map(queueOf));
    const left = queueings.flatMap((queueing) => {
      const queued = last.get(queueOf(queueing));
      if (queued === undefined) return [queueing];
      const messages = queueing.messages.filter(({ sequence }) => sequence > queued);
      return messages.length === 0 ? [] : [{ ...queueing, messages }];
    });
    this.#isLikely = countOf(left) < countOf(queueings);
    return left;
  }

  /** The sequence of the newest message in each queue that has messages. */
  async #lastSequences(queueIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>();
    for (let at = 0; at < queueIds.length; at += READ_AT_ONCE) {
      for (const { id, doc } of await this.#readModels.get(webhookQueues, queueIds.slice(at, at + READ_AT_ONCE))) {
        const newest = doc.status === 'absent' ? undefined : doc.messages.at(-1);
        if (newest !== undefined) found.set(id, newest.sequence);
      }
    }
    return found;
  }
}

const queueOf = ({ endpointId, subjectId }: Queueing): string => queueIdOf(endpointId, subjectId);
const countOf = (queueings: readonly Queueing[]): number =>
  queueings.reduce((count, { messages }) => count + messages.length, 0);

const REMEMBERED = 10_000;

/**
 * The position of an endpoint's first event; -1 if its stream cannot be read, and Infinity for an endpoint that the log
 * does not have. Throws StoreUnavailable.
 */
export function endpointBegins(events: Pick<EventStore, 'read'>): (endpointId: string) => Promise<number> {
  const known = new LRUCache<string, number>({ max: REMEMBERED });
  return async (endpointId) => {
    const found = known.get(endpointId);
    if (found !== undefined) return found;
    try {
      for await (const { position } of events.read(streamOf(webhookEndpointCategory.name, endpointId), -1, 1)) {
        known.set(endpointId, Number(position));
        return Number(position);
      }
    } catch (fault) {
      if (!(fault instanceof BrokenStream)) throw fault;
      return -1;
    }
    return Number.POSITIVE_INFINITY;
  };
}
