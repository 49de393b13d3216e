// The account's webhook endpoints: listed, added, changed, given a new secret, disabled and deleted; a secret is
// answered once. Users see the state of their deliveries as well.
import { z } from 'zod';
import type { Completed } from '../../../commands/caller.ts';
import { machineTime } from '../../../commands/users/machine-time.ts';
import type { EndpointWithSecret } from '../../../commands/webhooks/manage-endpoints.ts';
import type { Rejection } from '../../../domain/decider.ts';
import {
  ENDPOINT_STATES,
  type ExistingEndpoint,
  endpointState,
  WEBHOOK_TYPES,
} from '../../../domain/webhook-endpoint.ts';
import {
  ENDPOINT_HEALTHS,
  type EndpointCounts,
  type EndpointHealth,
  healthIn,
  type RecentDeliveries,
} from '../../../queries/webhook-endpoints.ts';
import { Instant, instantOf } from '../../answers/shapes.ts';
import { LastAttempt, lastAttemptAnswer } from '../../answers/webhooks.ts';
import { revisionMatches } from '../../checks/headers.ts';
import { found, notFound, type Route, route, shapedLater } from '../../route.ts';
import type { RouteParts } from '../parts.ts';
import type { Way } from './ways.ts';

const ManagedEndpoint = z
  .strictObject({
    id: z.string().meta({ description: 'The id of the endpoint.' }),
    url: z.string().meta({ description: 'The URL that is called.' }),
    events: z
      .array(z.string())
      .optional()
      .meta({ description: 'The types of the messages that it gets. Absent: all types, later ones too.' }),
    state: z
      .enum(ENDPOINT_STATES)
      .meta({ description: 'gone: the receiver responded 410. deleted: only in the response to the deletion.' }),
    addedAt: Instant.meta({ description: 'When it was added.' }),
    disabledAt: Instant.optional().meta({ description: 'When it was disabled.' }),
    deletedAt: Instant.optional().meta({ description: 'When it was deleted.' }),
    previousUntil: Instant.optional().meta({
      description: 'After a rotation: the previous secret signs too until then, by the clock of the machine.',
    }),
  })
  .meta({ id: 'ManagedEndpoint' });
type ManagedEndpoint = z.output<typeof ManagedEndpoint>;

const count = z.int().min(0);
/** `isMore`: there are more than were counted. */
const MessageCount = z.strictObject({ count, isMore: z.boolean() });
/** As users see it. */
const UsersEndpoint = ManagedEndpoint.extend({
  /** The revision of its stream: a change repeats it as If-Match. */
  version: z.int(),
  /** Whether it took all, some or none of the calls of the last hour; the last call where that hour has none. */
  health: z.enum(ENDPOINT_HEALTHS),
  /** The calls of the last hour, and how many of them were taken. */
  lastHour: z.strictObject({ taken: count, tried: count, isMore: z.boolean() }),
  lastAttempt: LastAttempt.optional(),
  /** A message waits: it is due then. */
  nextAttemptAt: Instant.optional(),
  /** Deliveries were given up after the last retry; the newest message of their payments is of then. */
  failedAt: Instant.optional(),
}).meta({ id: 'ManagedEndpoint' });
const CountedEndpoint = UsersEndpoint.extend({
  /** Never tried; `since`: the time of the oldest. */
  waiting: MessageCount.extend({ since: Instant.optional() }),
  retrying: MessageCount,
  /** Messages whose last call was in the last 24 hours, and ended so. */
  lastDay: z.strictObject({ delivered: MessageCount, failed: MessageCount }),
}).meta({ id: 'CountedEndpoint' });

const Url = z.string().trim().min(1).max(1_024);
const Types = z.array(z.enum(WEBHOOK_TYPES)).min(1);
const NewEndpoint = z
  .strictObject({
    url: Url.meta({ description: 'The URL to call.' }),
    events: Types.optional().meta({ description: 'The types of messages to send. Absent: all types, later ones too.' }),
  })
  .meta({ id: 'NewManagedEndpoint' });
const ChangedEndpoint = z
  .strictObject({
    url: Url.optional().meta({ description: 'The URL to call from now on.' }),
    events: Types.nullable().optional().meta({
      description: 'The types of messages about events from now on. null: all types, later ones too.',
    }),
  })
  .meta({ id: 'ChangedManagedEndpoint' });
const WEEK_MS = 7 * 86_400_000;
const Rotation = z
  .strictObject({
    overlapMs: z.int().min(0).max(WEEK_MS).meta({ description: 'The time in which both secrets sign.' }),
  })
  .meta({ id: 'RotationOfManagedEndpoint' });

export const params = z.object({
  id: z
    .string()
    .regex(/^we_[0-9a-f]{1,64}$/)
    .meta({ description: 'The id of the endpoint.' }),
});

/** `realTime`: of the machine's clock, ms. */
function endpointAnswer(id: string, doc: ExistingEndpoint, realTime: number): ManagedEndpoint {
  const { url, events, addedAt, disabled, deletedAt, previousExpiresAt = 0 } = doc;
  const overlaps = doc.status === 'enabled' && realTime < previousExpiresAt;
  return {
    id,
    url,
    events: events && [...events],
    state: endpointState(doc),
    addedAt: instantOf(addedAt),
    disabledAt: instantOf(disabled?.at),
    deletedAt: instantOf(deletedAt),
    previousUntil: overlaps ? instantOf(previousExpiresAt) : undefined,
  };
}

function healthAnswer({ status }: ExistingEndpoint, health: EndpointHealth, recent: RecentDeliveries) {
  const { lastAttempt, dueAt, failedAt } = health;
  return {
    health: healthIn(health, recent),
    lastHour: recent,
    lastAttempt: lastAttempt && lastAttemptAnswer(lastAttempt),
    nextAttemptAt: status === 'enabled' ? instantOf(dueAt) : undefined,
    failedAt: instantOf(failedAt),
  };
}

const NOT_TRIED: RecentDeliveries = { tried: 0, taken: 0, isMore: false };

const countsAnswer = ({ waiting: { since, ...waiting }, retrying, delivered, failed }: EndpointCounts) => ({
  waiting: { ...waiting, since: instantOf(since) },
  retrying,
  lastDay: { delivered, failed },
});

interface ShownEndpoint {
  readonly id: string;
  readonly doc: ExistingEndpoint;
  readonly revision: number;
}

/** The schemas of one way. */
function schemasOf({ isForUsers }: Way) {
  const Endpoint: z.ZodType<ManagedEndpoint> = isForUsers ? UsersEndpoint : ManagedEndpoint;
  const EndpointRead: z.ZodType<ManagedEndpoint> = isForUsers ? CountedEndpoint : ManagedEndpoint;
  const List = z.strictObject({
    data: z.array(Endpoint).meta({ description: 'Enabled ones first, then the newest first.' }),
    isCut: z.boolean().meta({ description: 'True if the account has more endpoints than the response.' }),
  });
  /** With every type of message. */
  const UsersList = List.extend({ types: z.array(z.enum(WEBHOOK_TYPES)) });
  const Endpoints: z.ZodType<z.output<typeof List>> = isForUsers ? UsersList : List;
  const EndpointMade = z
    .strictObject({
      endpoint: Endpoint.meta({ description: 'The endpoint, without its secret.' }),
      secret: z.string().meta({ description: '`whsec_…`, which verifies its messages. It cannot be shown again.' }),
    })
    .meta({ id: 'ManagedEndpointMade' });
  return { Endpoint, EndpointRead, Endpoints: Endpoints.meta({ id: 'ManagedEndpoints' }), EndpointMade };
}

export function webhookEndpointRoutes(way: Way, { webhooks, queries, world }: RouteParts): readonly Route[] {
  const { Endpoint, EndpointRead, Endpoints, EndpointMade } = schemasOf(way);
  const path = `${way.prefix}/webhook-endpoints`;
  const reads = { tag: 'Webhook endpoints', method: 'GET', scope: way.may.webhookEndpoints.read } as const;
  const changes = { tag: 'Webhook endpoints', method: 'POST', scope: way.may.webhookEndpoints.change } as const;
  const shown = ({ id, doc, revision }: ShownEndpoint, health: EndpointHealth, recent = NOT_TRIED): ManagedEndpoint => {
    const answer = endpointAnswer(id, doc, machineTime(world));
    return way.isForUsers ? Object.assign(answer, { version: revision, ...healthAnswer(doc, health, recent) }) : answer;
  };
  /** As the change left it: a repeated request gets the first answer. */
  const after = async (done: Completed<ExistingEndpoint>): Promise<ManagedEndpoint> => {
    const read = way.isForUsers ? await queries.readWebhookEndpoint(done.id, done.doc.accountId) : undefined;
    if (read === undefined || 'kind' in read) return shown(done, {});
    return shown(done, read.health, await queries.recentDeliveries(done.id, world.now()));
  };
  const changed = (done: Completed<ExistingEndpoint> | Rejection) => shapedLater(done, after);
  const made = (done: EndpointWithSecret | Rejection) =>
    shapedLater(done, async (added) => ({ endpoint: await after(added), secret: added.secret }));
  return [
    route({
      ...reads,
      path,
      id: 'listManagedEndpoints',
      summary: 'List the webhook endpoints of the account, without their secrets',
      request: z.object({}),
      answer: Endpoints,
      async handle(_request, { caller: { accountId, at } }) {
        const { endpoints, isCut } = await queries.listWebhookEndpoints(accountId);
        const ids = way.isForUsers ? endpoints.map(({ id }) => id) : [];
        const recent = await queries.recentDeliveriesOf(ids, at);
        const data = endpoints.map((one) => shown(one, one.health, recent.get(one.id)));
        return found(way.isForUsers ? { data, isCut, types: WEBHOOK_TYPES } : { data, isCut });
      },
    }),
    route({
      ...changes,
      path,
      id: 'addManagedEndpoint',
      example: { body: { url: 'http://127.0.0.1:9/webhooks', events: ['PAYMENT.STATUS'] } },
      summary: 'Add a webhook endpoint; only this response contains its secret',
      request: z.object({ body: NewEndpoint }),
      answer: EndpointMade,
      errors: ['Conflict'],
      handle: async ({ body }, { caller }) =>
        made(await webhooks.addWebhookEndpoint({ accountId: caller.accountId, ...body }, caller)),
    }),
    route({
      ...reads,
      path: `${path}/:id`,
      id: 'getManagedEndpoint',
      summary: 'Read a webhook endpoint',
      request: z.object({ params }),
      answer: EndpointRead,
      async handle({ params: { id } }, { caller: { accountId, at } }) {
        const read = await queries.readWebhookEndpoint(id, accountId);
        if ('kind' in read) return read;
        const recent = way.isForUsers ? await queries.recentDeliveries(id, at) : NOT_TRIED;
        const answer = shown(read, read.health, recent);
        if (way.isForUsers) return found({ ...answer, ...countsAnswer(await queries.countMessages(id, at)) });
        return read.doc.status === 'deleted' ? notFound() : found(answer, read.revision);
      },
    }),
    route({
      ...changes,
      method: 'PATCH',
      path: `${path}/:id`,
      id: 'changeManagedEndpoint',
      example: { body: { events: ['PAYMENT.STATUS', 'PAYMENT.REFUND'] } },
      summary: 'Change the URL or the types of a webhook endpoint; messages that wait go to the new URL',
      request: z.object({ params, body: ChangedEndpoint }),
      answer: Endpoint,
      errors: ['Conflict', 'PreconditionFailed'],
      handle: async ({ params: { id }, body }, { caller, ifMatch }) =>
        changed(await webhooks.changeWebhookEndpoint(id, body, caller, revisionMatches(ifMatch))),
    }),
    route({
      ...changes,
      method: 'DELETE',
      path: `${path}/:id`,
      id: 'deleteManagedEndpoint',
      summary: 'Delete a webhook endpoint permanently; messages that wait for it are never sent',
      request: z.object({ params }),
      answer: Endpoint,
      handle: async ({ params: { id } }, { caller }) => changed(await webhooks.deleteWebhookEndpoint(id, caller)),
    }),
    route({
      ...changes,
      path: `${path}/:id/disable`,
      id: 'disableManagedEndpoint',
      summary: 'Disable a webhook endpoint permanently; nothing more is sent to it',
      request: z.object({ params }),
      answer: Endpoint,
      handle: async ({ params: { id } }, { caller }) => changed(await webhooks.disableWebhookEndpoint(id, caller)),
    }),
    route({
      ...changes,
      path: `${path}/:id/rotate-secret`,
      id: 'rotateSecretOfManagedEndpoint',
      example: { body: { overlapMs: 3_600_000 } },
      summary:
        'Give a webhook endpoint a new secret, which only this response contains; the previous one signs too for a while',
      request: z.object({ params, body: Rotation }),
      answer: EndpointMade,
      errors: ['Conflict'],
      handle: async ({ params: { id }, body: { overlapMs } }, { caller }) =>
        made(await webhooks.rotateWebhookSecret(id, overlapMs, caller)),
    }),
  ];
}
