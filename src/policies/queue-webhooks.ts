// Queues the messages of payments for the endpoints of their account, in the log's order, and keeps the place up to which that is done.
import pLimit from 'p-limit';
import type { Webhooks } from '../commands/webhooks/webhooks.ts';
import type { ExistingEndpoint } from '../domain/webhook-endpoint/state.ts';
import { BrokenStream } from '../journal/broken-stream.ts';
import { type PaymentMessage, type PaymentMessageKey, paymentMessages } from '../projections/models/payment-messages.ts';
import { webhookEndpoints } from '../projections/models/webhook-endpoints.ts';
import { allOf } from '../queries/pages.ts';
import type { Collection, Query, ReadModels, Stored } from '../stores/read-models.ts';
import type { Alarm } from '../world.ts';
import { type DueParts, inRounds, type PolicyNode } from './policy.ts';

/** The actor in the events that it causes. */
const NAME = 'queue-webhooks';
const PAGE = 500;
const AT_ONCE = 32;
/** An alarm wakes it; by itself it looks for what it has missed. */
const EVERY_MS = 1_000;
/**
 * How much older than its endpoint a message may be. Nodes' clocks differ by less; and where the kept place is lost, an endpoint does not
 * get the messages of years before it.
 */
const OLDER_MS = 10 * 60_000;

const OLDEST_FIRST: NonNullable<Query<PaymentMessageKey>['order']> = { by: 'position', descending: false };
const NEWEST_FIRST: NonNullable<Query<PaymentMessageKey>['order']> = { by: 'position', descending: true };

/** The position of the last message that every endpoint has in its queue. */
interface QueuedTo {
  readonly position: number;
  /** The log that it is of: read models may be built again from another one. */
  readonly log: string;
}
export const webhookPlaces: Collection<QueuedTo, never> = { name: 'webhook-places', version: 1, keys: {}, indexes: [] };

export interface QueueingNeeds extends PolicyNode, Pick<Webhooks, 'queueWebhooks'> {}

export interface QueueingParts extends DueParts {
  /** Tells the log from any other one. */
  readonly nameOfLog: () => Promise<string | undefined>;
  /** Rung when something was queued. */
  readonly queued: Alarm;
}

/** On the node that does due work, until the signal aborts. `parts.alarm`: rung when there may be messages. */
export const queueWebhooks = (needs: QueueingNeeds, parts: QueueingParts, signal: AbortSignal): Promise<void> => {
  const isBuilt = (): boolean => [paymentMessages, webhookEndpoints].every(({ name }) => parts.isBuilt(name));
  return inRounds(
    { of: paymentMessages, everyMs: EVERY_MS, elsewhereMs: 30_000 },
    () => queueNew(needs, parts, signal),
    { ...parts, isBuilt },
    needs,
    signal,
  );
};

/**
 * Goes on from the kept place to the newest message. Two nodes at once queue each message once, and no message before an earlier one of its
 * payment. Throws StoreUnavailable, and begins the same page anew next time.
 */
export async function queueNew(
  needs: QueueingNeeds,
  parts: Pick<QueueingParts, 'readModels' | 'nameOfLog' | 'queued'>,
  signal: AbortSignal,
): Promise<void> {
  const { readModels, nameOfLog, queued } = parts;
  const log = (await nameOfLog()) ?? '';
  const [kept] = await readModels.get(webhookPlaces, [NAME]);
  let position = kept?.doc.log === log ? kept.doc.position : -1;
  let revision = kept?.revision ?? -1;
  while (!signal.aborted) {
    const where: Query<PaymentMessageKey>['where'] = { position: { from: position + 1 } };
    const rows = await readModels.find(paymentMessages, { where, order: OLDEST_FIRST, limit: PAGE });
    const last = rows.at(-1);
    if (last === undefined) return;
    const endpoints = await enabledEndpoints(readModels);
    // Where nobody listens, the messages until now are for nobody: an endpoint that is added later gets later ones.
    const reached = endpoints.size === 0 ? await newestPosition(readModels) : last.doc.position;
    if (await queuePage(needs, rows, endpoints)) queued.ring();
    position = reached;
    revision += 1;
    await readModels.write(webhookPlaces, [{ id: NAME, revision, doc: { position, log } }]);
    if (rows.length < PAGE) return;
  }
}

type EndpointsOfAccounts = ReadonlyMap<string, readonly { readonly id: string; readonly doc: ExistingEndpoint }[]>;

async function enabledEndpoints(readModels: ReadModels): Promise<EndpointsOfAccounts> {
  const found = new Map<string, { readonly id: string; readonly doc: ExistingEndpoint }[]>();
  for await (const { id, doc } of allOf(readModels, webhookEndpoints, { where: { enabled: [true] } })) {
    if (doc.status === 'absent') continue;
    const ofAccount = found.get(doc.accountId);
    if (ofAccount === undefined) found.set(doc.accountId, [{ id, doc }]);
    else ofAccount.push({ id, doc });
  }
  return found;
}

async function newestPosition(readModels: ReadModels): Promise<number> {
  const where: Query<PaymentMessageKey>['where'] = {};
  const [newest] = await readModels.find(paymentMessages, { where, order: NEWEST_FIRST, limit: 1 });
  return newest?.doc.position ?? -1;
}

/** Whether anything was queued. A payment whose stream is broken has nothing that could be told. */
async function queuePage(needs: QueueingNeeds, rows: readonly Stored<PaymentMessage>[], endpoints: EndpointsOfAccounts): Promise<boolean> {
  const limited = pLimit(AT_ONCE);
  const queueings = [...byPayment(rows)].flatMap(([paymentId, messages]) => {
    const accountId = messages[0]?.doc.accountId ?? '';
    return (endpoints.get(accountId) ?? []).flatMap(({ id: endpointId, doc: { events, addedAt } }) => {
      const wanted = messages.filter(({ doc }) => (events?.includes(doc.eventType) ?? true) && doc.date >= addedAt - OLDER_MS);
      const told = wanted.map(({ id: eventId, doc: { eventType, sequence } }) => ({ eventId, eventType, sequence }));
      return told.length === 0 ? [] : [{ accountId, endpointId, paymentId, messages: told }];
    });
  });
  await Promise.all(
    queueings.map((queueing) =>
      limited(() => needs.queueWebhooks(queueing, NAME)).catch((fault: unknown) => {
        if (!(fault instanceof BrokenStream)) throw fault;
        needs.report(fault);
      }),
    ),
  );
  return queueings.length > 0;
}

function byPayment(rows: readonly Stored<PaymentMessage>[]): ReadonlyMap<string, readonly Stored<PaymentMessage>[]> {
  const found = new Map<string, Stored<PaymentMessage>[]>();
  for (const row of rows) {
    const ofPayment = found.get(row.doc.paymentId);
    if (ofPayment === undefined) found.set(row.doc.paymentId, [row]);
    else ofPayment.push(row);
  }
  return found;
}
