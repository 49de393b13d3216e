// Webhook endpoints of an account for the dashboard, each with how its deliveries go.
import pLimit from 'p-limit';
import { type Rejection, reject } from '../domain/decider.ts';
import type { ExistingEndpoint } from '../domain/webhook-endpoint.ts';
import { isSuccess } from '../domain/webhook-queue/decide.ts';
import {
  type DeliveryAttempt,
  type DeliveryStatus,
  deliveryStatus,
  type ExistingQueue,
  lastAttemptIn,
  type WebhookQueue,
} from '../domain/webhook-queue/state.ts';
import { type WebhookEndpointKey, webhookEndpoints } from '../projections/models/webhook-endpoints.ts';
import { type WebhookQueueKey, webhookQueues } from '../projections/models/webhook-queues.ts';
import type { Query, ReadModels } from '../stores/read-models.ts';
import { endpointsOf } from './list-deliveries.ts';
import { ofOneRequest } from './pages.ts';

/** The state of the deliveries to one endpoint. */
export interface EndpointHealth {
  /** The call that ended last. */
  readonly lastAttempt?: DeliveryAttempt;
  /** The message that is due next, or overdue, is due then; ms. */
  readonly dueAt?: number;
  /** When the newest message of a payment with a delivery that was given up was queued, ms. */
  readonly failedAt?: number;
}

/** A count of messages that ends at COUNTED queues. */
interface MessageCount {
  readonly count: number;
  /** True if there are more than were counted. */
  readonly isMore: boolean;
}

/** The messages of one endpoint in numbers. */
export interface EndpointCounts {
  /** Messages that were never tried; `since`: when the oldest of them was queued, ms. */
  readonly waiting: MessageCount & { readonly since?: number };
  readonly retrying: MessageCount;
  /** Messages whose last call was in the last 24 hours, and ended so. */
  readonly delivered: MessageCount;
  readonly failed: MessageCount;
}

interface EndpointWithHealth {
  readonly id: string;
  readonly doc: ExistingEndpoint;
  readonly revision: number;
  readonly health: EndpointHealth;
}

/** The calls of the last hour of each endpoint, by its id. `at`: now, in ms. */
export const recentDeliveriesOf =
  (readModels: Pick<ReadModels, 'find' | 'place' | 'ofOneRequest'>) =>
  async (endpointIds: readonly string[], at: number): Promise<ReadonlyMap<string, RecentDeliveries>> => {
    const finds = ofOneRequest(readModels);
    const limited = pLimit(AT_ONCE);
    const counted = endpointIds.map((id) => limited(async () => [id, await recentDeliveries(finds)(id, at)] as const));
    return new Map(await Promise.all(counted));
  };

/** The most endpoints with their health in one response; no account has so many that work. */
const MOST = 100;
/**
 * Endpoints whose health is asked for at a time: three finds each, and a store has ten places for the lists of a read
 * model.
 */
const AT_ONCE = 3;

/** Lists the endpoints: enabled ones first, then the newest first. */
export const listWebhookEndpoints =
  (readModels: ReadModels) =>
  async (
    accountId: string,
  ): Promise<{ readonly endpoints: readonly EndpointWithHealth[]; readonly isCut: boolean }> => {
    const all = (await endpointsOf(readModels, accountId)).toReversed();
    const sorted = [
      ...all.filter(({ doc }) => doc.status === 'enabled'),
      ...all.filter(({ doc }) => doc.status !== 'enabled'),
    ];
    const shown = sorted.slice(0, MOST);
    const finds = ofOneRequest(readModels);
    const limited = pLimit(AT_ONCE);
    const health = await Promise.all(shown.map(({ id }) => limited(() => healthOf(finds, id))));
    const endpoints = shown.map(({ id, doc, revision }, place) => ({ id, doc, revision, health: health[place] ?? {} }));
    return { endpoints, isCut: all.length > MOST };
  };

/** Reads an endpoint, even a deleted one. NotFound, including for an endpoint of another account. */
export const readWebhookEndpoint =
  (readModels: ReadModels) =>
  async (endpointId: string, accountId: string): Promise<EndpointWithHealth | Rejection> => {
    const [row] = await readModels.get(webhookEndpoints, [endpointId]);
    if (row === undefined || row.doc.status === 'absent' || row.doc.accountId !== accountId)
      return reject('NotFound', 'There is no such webhook endpoint.');
    return { id: endpointId, doc: row.doc, revision: row.revision, health: await healthOf(readModels, endpointId) };
  };

/** The most queues that a count looks at. */
const COUNTED = 1_000;
const DAY_MS = 86_400_000;

/** Counts the messages of an endpoint: those that wait now, and the outcomes of the last 24 hours before `at`, ms. */
export const countMessages =
  (readModels: ReadModels) =>
  async (endpointId: string, at: number): Promise<EndpointCounts> => {
    const dayAgo = at - DAY_MS;
    const finds = ofOneRequest(readModels);
    const queuesBy = async (by: WebhookQueueKey, from?: number): Promise<readonly ExistingQueue[]> => {
      const range: Query<WebhookQueueKey>['where'] = from === undefined ? {} : { [by]: { from } };
      const where: Query<WebhookQueueKey>['where'] = { endpointId: [endpointId], ...range };
      const order = { by, descending: from !== undefined };
      const rows = await finds.find<WebhookQueue, WebhookQueueKey>(webhookQueues, { where, order, limit: COUNTED });
      return rows.flatMap(({ doc }) => (doc.status === 'absent' ? [] : [doc]));
    };
    const [waiting, retrying, called] = await Promise.all([
      queuesBy('waitingAt'),
      queuesBy('retryingAt'),
      queuesBy('attemptedAt', dayAgo),
    ]);
    const since = waiting[0] && webhookQueues.keys.waitingAt(waiting[0]);
    return {
      waiting: { ...countIn(waiting, 'waiting'), ...(typeof since === 'number' && { since }) },
      retrying: countIn(retrying, 'retrying'),
      delivered: countIn(called, 'delivered', dayAgo),
      failed: countIn(called, 'failed', dayAgo),
    };
  };

/** The calls of one endpoint in an hour. */
export interface RecentDeliveries {
  /** Calls that ended in it. */
  readonly tried: number;
  /** Calls of these that the receiver answered with a success. */
  readonly taken: number;
  /** True if there were more: those of RECENT queues are counted, the last called first. */
  readonly isMore: boolean;
}

/** The most queues whose calls are counted: a list counts those of each endpoint. */
const RECENT = 500;
const HOUR_MS = 3_600_000;

/** Counts the calls of an endpoint in the hour before `at`, ms, and those of them that it took. */
export const recentDeliveries =
  (readModels: Pick<ReadModels, 'find'>) =>
  async (endpointId: string, at: number): Promise<RecentDeliveries> => {
    const hourAgo = at - HOUR_MS;
    const rows = await readModels.find<WebhookQueue, WebhookQueueKey>(webhookQueues, {
      where: { endpointId: [endpointId], attemptedAt: { from: hourAgo } },
      order: { by: 'attemptedAt', descending: true },
      limit: RECENT,
    });
    const calls = rows
      .flatMap(({ doc }) => (doc.status === 'absent' ? [] : doc.messages))
      .flatMap(({ attempts }) => attempts)
      .filter((attempt) => attempt.at >= hourAgo);
    const taken = calls.filter(({ status }) => isSuccess(status));
    return { tried: calls.length, taken: taken.length, isMore: rows.length === RECENT };
  };

export const ENDPOINT_HEALTHS = ['unused', 'healthy', 'failing_in_part', 'failing'] as const;

/**
 * Whether the receiver took all calls of the last hour, some or none; the last call decides if there was none in that
 * hour. `unused`: it was never called.
 */
export function healthIn(
  { lastAttempt }: EndpointHealth,
  { tried, taken }: RecentDeliveries,
): (typeof ENDPOINT_HEALTHS)[number] {
  if (lastAttempt === undefined) return 'unused';
  if (tried === 0) return isSuccess(lastAttempt.status) ? 'healthy' : 'failing';
  if (taken === tried) return 'healthy';
  return taken === 0 ? 'failing' : 'failing_in_part';
}

/** The messages of a status; `calledSince`: only those whose last call was then or later, ms. */
const countIn = (queues: readonly ExistingQueue[], status: DeliveryStatus, calledSince?: number): MessageCount => ({
  count: queues
    .flatMap(({ messages }) => messages)
    .filter(
      (message) =>
        deliveryStatus(message) === status &&
        (calledSince === undefined || (message.attempts.at(-1)?.at ?? 0) >= calledSince),
    ).length,
  isMore: queues.length === COUNTED,
});

async function healthOf(readModels: Pick<ReadModels, 'find'>, endpointId: string): Promise<EndpointHealth> {
  const [attempted, due, failed] = await Promise.all([
    firstQueue(readModels, endpointId, 'attemptedAt', true),
    firstQueue(readModels, endpointId, 'dueAt', false),
    firstQueue(readModels, endpointId, 'failedAt', true),
  ]);
  const lastAttempt = attempted && lastAttemptIn(attempted);
  const dueAt = due && webhookQueues.keys.dueAt(due);
  const failedAt = failed && webhookQueues.keys.failedAt(failed);
  return {
    ...(lastAttempt !== undefined && { lastAttempt }),
    ...(typeof dueAt === 'number' && { dueAt }),
    ...(typeof failedAt === 'number' && { failedAt }),
  };
}

/** The first queue of an endpoint in an order, or undefined if it has none with that key. */
async function firstQueue(
  readModels: Pick<ReadModels, 'find'>,
  endpointId: string,
  by: WebhookQueueKey,
  descending: boolean,
): Promise<ExistingQueue | undefined> {
  const where: Query<WebhookQueueKey>['where'] = { endpointId: [endpointId] };
  const [row] = await readModels.find(webhookQueues, { where, order: { by, descending }, limit: 1 });
  return row === undefined || row.doc.status === 'absent' ? undefined : row.doc;
}

/**
 * Ids of the account's other enabled endpoints with the URL and the types of this one: each message would be sent
 * twice.
 */
export async function sameEndpoints(
  readModels: ReadModels,
  id: string,
  { accountId, url, events }: ExistingEndpoint,
): Promise<readonly string[]> {
  const isSame = (doc: ExistingEndpoint): boolean =>
    doc.status === 'enabled' && doc.url === url && String(doc.events) === String(events);
  return (await endpointsOf(readModels, accountId))
    .filter((other) => other.id !== id && isSame(other.doc))
    .map((other) => other.id);
}

/**
 * The number of enabled endpoints of an account that fail, wholly or in part, and whose last call was refused or for
 * which a message waits; of more than MOST, those of the first. `at`: now, in ms.
 */
export const countFailingEndpoints =
  (readModels: ReadModels) =>
  async (accountId: string, at: number): Promise<MessageCount> => {
    const finds = ofOneRequest(readModels);
    const where: Query<WebhookEndpointKey>['where'] = { accountId: [accountId], enabled: [true] };
    const enabled = await finds.find(webhookEndpoints, { where, limit: MOST + 1 });
    const limited = pLimit(AT_ONCE);
    const failing = await Promise.all(enabled.slice(0, MOST).map(({ id }) => limited(() => isFailing(finds, id, at))));
    return { count: failing.filter(Boolean).length, isMore: enabled.length > MOST };
  };

/**
 * Every page asks, so the calls of the last hour are counted only for an endpoint that took the last one, and for which
 * a message waits.
 */
async function isFailing(finds: Pick<ReadModels, 'find'>, endpointId: string, at: number): Promise<boolean> {
  const { lastAttempt, dueAt } = await healthOf(finds, endpointId);
  if (lastAttempt === undefined) return false;
  if (!isSuccess(lastAttempt.status)) return true;
  if (dueAt === undefined) return false;
  const { tried, taken } = await recentDeliveries(finds)(endpointId, at);
  return taken < tried;
}

/** How many enabled endpoints an account has. */
export async function countEndpoints(readModels: ReadModels, accountId: string): Promise<number> {
  return (await endpointsOf(readModels, accountId)).filter(({ doc }) => doc.status === 'enabled').length;
}
