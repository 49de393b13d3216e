// Webhook endpoints of an account for the dashboard, each with how its deliveries go.
import pLimit from 'p-limit';
import { type Rejection, reject } from '../domain/decider.ts';
import type { ExistingEndpoint } from '../domain/webhook-endpoint/state.ts';
import { type DeliveryAttempt, type ExistingQueue, lastAttemptIn } from '../domain/webhook-queue/state.ts';
import { webhookEndpoints } from '../projections/models/webhook-endpoints.ts';
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

export interface EndpointWithHealth {
  readonly id: string;
  readonly doc: ExistingEndpoint;
  readonly health: EndpointHealth;
}

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
    const endpoints = shown.map(({ id, doc }, place) => ({ id, doc, health: health[place] ?? {} }));
    return { endpoints, isCut: all.length > MOST };
  };

/** Reads an endpoint. NotFound, including for an endpoint of another account. */
export const readWebhookEndpoint =
  (readModels: ReadModels) =>
  async (endpointId: string, accountId: string): Promise<EndpointWithHealth | Rejection> => {
    const [row] = await readModels.get(webhookEndpoints, [endpointId]);
    if (row === undefined || row.doc.status === 'absent' || row.doc.accountId !== accountId)
      return reject('NotFound', 'There is no such webhook endpoint.');
    return { id: endpointId, doc: row.doc, health: await healthOf(readModels, endpointId) };
  };

async function healthOf(readModels: Pick<ReadModels, 'find'>, endpointId: string): Promise<EndpointHealth> {
  const first = async (by: WebhookQueueKey, descending: boolean): Promise<ExistingQueue | undefined> => {
    const where: Query<WebhookQueueKey>['where'] = { endpointId: [endpointId] };
    const [row] = await readModels.find(webhookQueues, { where, order: { by, descending }, limit: 1 });
    return row === undefined || row.doc.status === 'absent' ? undefined : row.doc;
  };
  const [attempted, due, failed] = await Promise.all([
    first('attemptedAt', true),
    first('dueAt', false),
    first('failedAt', true),
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

/** How many enabled endpoints an account has. */
export async function countEndpoints(readModels: ReadModels, accountId: string): Promise<number> {
  return (await endpointsOf(readModels, accountId)).filter(({ doc }) => doc.status === 'enabled').length;
}
