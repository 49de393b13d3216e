// The account's webhook endpoints for the dashboard: added, changed, given a new secret, disabled and deleted by its
// users; a secret is answered once. And the log of their deliveries, with resend.
import { z } from 'zod';
import type { Completed } from '../../../commands/caller.ts';
import { machineTime } from '../../../commands/users/machine-time.ts';
import type { EndpointWithSecret } from '../../../commands/webhooks/manage-endpoints.ts';
import type { Webhooks } from '../../../commands/webhooks/webhooks.ts';
import type { Rejection } from '../../../domain/decider.ts';
import type { ExistingEndpoint } from '../../../domain/webhook-endpoint/state.ts';
import { WEBHOOK_TYPES } from '../../../domain/webhook-endpoint/types.ts';
import { DELIVERY_STATUSES } from '../../../domain/webhook-queue/state.ts';
import { deliveriesIn } from '../../../queries/list-deliveries.ts';
import type { Queries } from '../../../queries/queries.ts';
import { formatTime, parseTime, type World } from '../../../world.ts';
import {
  CountedEndpointAnswer,
  countedEndpointAnswer,
  PaymentDeliveryAnswer,
  WebhookDeliveryAnswer,
  WebhookDeliveryLogAnswer,
  WebhookEndpointAnswer,
  webhookDeliveryAnswer,
  webhookDeliveryLogAnswer,
  webhookEndpointAnswer,
} from '../../answers/webhooks.ts';
import { revisionMatches } from '../../checks/if-match.ts';
import { bindingOf, CursorText, readCursor, writeCursor } from '../../cursor.ts';
import { forConfirmed, forRoles, found, notFound, type Reply, type Route, route } from '../../route.ts';
import { PageSize, pageSize, Time } from '../payment-filter.ts';
import { params as paymentParams } from '../payment-params.ts';

const EndpointList = z
  .strictObject({
    data: z.array(WebhookEndpointAnswer),
    /** Every type of message. */
    types: z.array(z.enum(WEBHOOK_TYPES)),
    /** True if the account has more than are listed. */
    isCut: z.boolean(),
  })
  .meta({ id: 'DashboardWebhookEndpoints' });
const EndpointMade = z
  .strictObject({
    endpoint: WebhookEndpointAnswer,
    /** `whsec_…`: it cannot be shown again. */
    secret: z.string(),
  })
  .meta({ id: 'DashboardWebhookEndpointMade' });
const NewEndpoint = z
  .strictObject({
    url: z.string().trim().min(1).max(1_024),
    /** The wanted types of messages; left out: all, later ones too. */
    events: z.array(z.enum(WEBHOOK_TYPES)).min(1).optional(),
  })
  .meta({ id: 'DashboardNewWebhookEndpoint' });
const ChangedEndpoint = z
  .strictObject({
    url: z.string().trim().min(1).max(1_024).optional(),
    /** The wanted types of messages; null: all, later ones too. */
    events: z.array(z.enum(WEBHOOK_TYPES)).min(1).nullable().optional(),
  })
  .meta({ id: 'DashboardChangedWebhookEndpoint' });

const WEEK_MS = 7 * 86_400_000;
const SecretRotation = z
  .strictObject({
    /** For so long the secret before signs as well. */
    overlapMs: z.int().min(0).max(WEEK_MS),
  })
  .meta({ id: 'DashboardSecretRotation' });

const DeliveryList = z
  .strictObject({ data: z.array(WebhookDeliveryAnswer), nextCursor: z.string().optional() })
  .meta({ id: 'DashboardWebhookDeliveries' });
const DeliveryFilter = z.strictObject({
  status: z.enum(DELIVERY_STATUSES).optional(),
  type: z.enum(WEBHOOK_TYPES).optional(),
  payment_id: paymentParams.shape.id.optional(),
  from_date: Time.optional(),
  to_date: Time.optional(),
  limit: PageSize,
  cursor: CursorText.optional(),
});

const Resend = z
  .strictObject({
    since: z.iso.datetime({ offset: true }),
    /** The moment of the count that the user saw. */
    asOf: z.iso.datetime({ offset: true }),
    cursor: CursorText.optional(),
  })
  .meta({ id: 'DashboardUntakenResend' });
const UntakenCount = z
  .strictObject({
    count: z.int().min(0),
    /** True if there are more than were counted. */
    isMore: z.boolean(),
    /** The moment of the count: a request to resend repeats it. */
    asOf: z.iso.datetime({ precision: 3 }),
  })
  .meta({ id: 'DashboardUntakenMessages' });
const UntakenResent = z
  .strictObject({
    resent: z.int().min(0),
    /** The next batch begins there; absent after the last one. */
    nextCursor: z.string().optional(),
  })
  .meta({ id: 'DashboardMessagesResent' });
/** Queues in one batch of a resend. */
const BATCH = 100;

export interface WebhookRouteNeeds {
  readonly webhooks: Pick<
    Webhooks,
    | 'addWebhookEndpoint'
    | 'changeWebhookEndpoint'
    | 'deleteWebhookEndpoint'
    | 'disableWebhookEndpoint'
    | 'rotateWebhookSecret'
    | 'resendWebhook'
    | 'resendUntaken'
    | 'readDelivery'
  >;
  readonly queries: Pick<
    Queries,
    | 'listWebhookEndpoints'
    | 'readWebhookEndpoint'
    | 'listDeliveries'
    | 'countMessages'
    | 'endpointsOfDeliveries'
    | 'countUntaken'
    | 'untakenQueues'
  >;
  readonly world: Pick<World, 'now' | 'steady' | 'monotonic'>;
}

const PATH = '/dashboard/api/webhooks';
const common = { tag: 'Webhook endpoints' } as const;
const reads = { ...common, method: 'GET', scope: forRoles('owner', 'developer') } as const;
const changes = { ...common, method: 'POST', scope: forConfirmed('owner', 'developer') } as const;
const params = z.object({ id: z.string().regex(/^we_[0-9a-f]{1,64}$/) });
const deliveryParams = z.object({ id: z.string().regex(/^we_[0-9a-f]+\.pay_[0-9A-Za-z]+\.\d{1,9}$/) });
const Place = z.strictObject({ key: z.number(), id: z.string() });
const UntakenPlace = z.strictObject({ by: z.enum(['failedAt', 'retryingAt']), after: Place.optional() });

export const webhookRoutes = (needs: WebhookRouteNeeds): readonly Route[] => [
  ...endpoints(needs),
  ...deliveries(needs),
  ...untaken(needs),
];

function endpoints({ webhooks, queries, world }: WebhookRouteNeeds): readonly Route[] {
  const one = async (id: string, accountId: string) => {
    const read = await queries.readWebhookEndpoint(id, accountId);
    return 'kind' in read ? read : webhookEndpointAnswer(read, read.health, machineTime(world));
  };
  /** As the change left it: a repeated request gets the first answer. */
  async function changed<Done extends Completed<ExistingEndpoint>, Shown extends object>(
    done: Done | Rejection,
    shown: (endpoint: WebhookEndpointAnswer, done: Done) => Shown,
  ): Promise<Reply<Shown> | Rejection> {
    if (done.kind === 'rejected') return done;
    const read = await queries.readWebhookEndpoint(done.id, done.doc.accountId);
    if ('kind' in read) return read;
    const endpoint = webhookEndpointAnswer(done, read.health, machineTime(world));
    return { ...found(shown(endpoint, done)), ...(done.replayed === true && { replayed: true }) };
  }
  const made = (endpoint: WebhookEndpointAnswer, { secret }: EndpointWithSecret) => ({ endpoint, secret });
  const itself = (endpoint: WebhookEndpointAnswer) => endpoint;
  return [
    route({
      ...reads,
      path: `${PATH}/endpoints`,
      summary: 'List the webhook endpoints of the account, without their secrets, with the state of their deliveries',
      request: z.object({}),
      answer: EndpointList,
      async handle(_request, { caller: { accountId } }) {
        const { endpoints: listed, isCut } = await queries.listWebhookEndpoints(accountId);
        const at = machineTime(world);
        const data = listed.map((listedOne) => webhookEndpointAnswer(listedOne, listedOne.health, at));
        return found({ data, types: [...WEBHOOK_TYPES], isCut });
      },
    }),
    route({
      ...changes,
      path: `${PATH}/endpoints`,
      summary: 'Add a webhook endpoint; only this response contains its secret',
      request: z.object({ body: NewEndpoint }),
      answer: EndpointMade,
      errors: ['Conflict'],
      async handle({ body: { url, events } }, { caller }) {
        const { accountId } = caller;
        const added = { accountId, url, ...(events !== undefined && { events }) };
        return changed(await webhooks.addWebhookEndpoint(added, caller), made);
      },
    }),
    route({
      ...reads,
      path: `${PATH}/endpoints/:id`,
      summary: 'Read a webhook endpoint and the state of its deliveries',
      request: z.object({ params }),
      answer: CountedEndpointAnswer,
      async handle({ params: { id } }, { caller: { accountId, at } }) {
        const endpoint = await one(id, accountId);
        return 'kind' in endpoint
          ? endpoint
          : found(countedEndpointAnswer(endpoint, await queries.countMessages(id, at)));
      },
    }),
    route({
      ...changes,
      method: 'PATCH',
      path: `${PATH}/endpoints/:id`,
      summary: 'Change the URL or the types of messages of a webhook endpoint',
      request: z.object({ params, body: ChangedEndpoint }),
      answer: WebhookEndpointAnswer,
      errors: ['Conflict', 'PreconditionFailed'],
      async handle({ params: { id }, body: { url, events } }, { caller, ifMatch }) {
        const change = { ...(url !== undefined && { url }), ...(events !== undefined && { events }) };
        return changed(await webhooks.changeWebhookEndpoint(id, change, caller, revisionMatches(ifMatch)), itself);
      },
    }),
    route({
      ...changes,
      method: 'DELETE',
      path: `${PATH}/endpoints/:id`,
      summary: 'Delete a webhook endpoint permanently; its deliveries can still be read',
      request: z.object({ params }),
      answer: WebhookEndpointAnswer,
      handle: async ({ params: { id } }, { caller }) =>
        changed(await webhooks.deleteWebhookEndpoint(id, caller), itself),
    }),
    route({
      ...changes,
      path: `${PATH}/endpoints/:id/disable`,
      summary: 'Disable a webhook endpoint permanently; nothing more is sent to it',
      request: z.object({ params }),
      answer: WebhookEndpointAnswer,
      handle: async ({ params: { id } }, { caller }) =>
        changed(await webhooks.disableWebhookEndpoint(id, caller), itself),
    }),
    route({
      ...changes,
      path: `${PATH}/endpoints/:id/rotate-secret`,
      summary:
        'Rotate the secret of a webhook endpoint; only this response contains the new secret, and the previous one stays valid for a while',
      request: z.object({ params, body: SecretRotation }),
      answer: EndpointMade,
      errors: ['Conflict'],
      handle: async ({ params: { id }, body: { overlapMs } }, { caller }) =>
        changed(await webhooks.rotateWebhookSecret(id, overlapMs, caller), made),
    }),
  ];
}

function deliveries({ webhooks, queries }: WebhookRouteNeeds): readonly Route[] {
  return [
    route({
      ...reads,
      path: `${PATH}/endpoints/:id/deliveries`,
      summary:
        'List the deliveries to a webhook endpoint: the payment with the newest message first; waiting ones oldest first',
      request: z.object({ params, query: DeliveryFilter }),
      answer: DeliveryList,
      errors: ['InvalidCursor'],
      async handle({ params: { id }, query: { limit, cursor, ...filters } }, { caller: { accountId } }) {
        const binding = bindingOf('webhook-deliveries', accountId, { id, ...filters });
        const after = cursor === undefined ? undefined : readCursor(cursor, binding, Place);
        if (after !== undefined && 'kind' in after) return after;
        const { status, type: eventType, payment_id: paymentId, from_date: from, to_date: to } = filters;
        const query = {
          accountId,
          endpointId: id,
          ...(status !== undefined && { status }),
          ...(eventType !== undefined && { eventType }),
          ...(paymentId !== undefined && { paymentId }),
          ...(from !== undefined && { from }),
          ...(to !== undefined && { to }),
        };
        const page = await queries.listDeliveries(query, pageSize(limit), after?.place);
        const { state = 'enabled' } = (await queries.endpointsOfDeliveries(page.deliveries)).get(id) ?? {};
        const data = page.deliveries.map((one) => webhookDeliveryAnswer(one, state));
        return found({ data, ...(page.next !== undefined && { nextCursor: writeCursor(binding, page.next) }) });
      },
    }),
    route({
      ...reads,
      path: '/dashboard/api/payments/:id/deliveries',
      summary: 'List the deliveries of webhooks about a payment, newest event first',
      request: z.object({ params: paymentParams }),
      answer: z.strictObject({ data: z.array(PaymentDeliveryAnswer) }).meta({ id: 'DashboardPaymentDeliveries' }),
      async handle({ params: { id: paymentId } }, { caller: { accountId } }) {
        const page = await queries.listDeliveries({ accountId, paymentId }, pageSize(undefined));
        const endpoints = await queries.endpointsOfDeliveries(page.deliveries);
        const data = page.deliveries.map((one) => {
          const { url = one.queue.endpointId, state = 'enabled' } = endpoints.get(one.queue.endpointId) ?? {};
          return { ...webhookDeliveryAnswer(one, state), url };
        });
        return found({ data });
      },
    }),
    route({
      ...reads,
      path: `${PATH}/deliveries/:id`,
      summary: 'Read one delivery with the request and the response of each call',
      request: z.object({ params: deliveryParams }),
      answer: WebhookDeliveryLogAnswer,
      async handle({ params: { id } }, { caller: { accountId } }) {
        const log = await webhooks.readDelivery(id, accountId);
        return 'kind' in log ? log : found(webhookDeliveryLogAnswer(log));
      },
    }),
    route({
      ...common,
      method: 'POST',
      scope: forRoles('owner', 'developer'),
      path: `${PATH}/deliveries/:id/resend`,
      summary: 'Deliver a message again, whatever its outcome so far',
      request: z.object({ params: deliveryParams }),
      answer: WebhookDeliveryAnswer,
      errors: ['Conflict'],
      async handle({ params: { id } }, { caller }) {
        const resent = await webhooks.resendWebhook(id, caller);
        if (resent.kind === 'rejected') return resent;
        const { doc, replayed = false } = resent;
        const delivery =
          doc.status === 'absent' ? undefined : deliveriesIn(resent.id, doc).find((one) => one.id === id);
        return delivery === undefined
          ? notFound()
          : { ...found(webhookDeliveryAnswer(delivery, 'enabled')), ...(replayed && { replayed }) };
      },
    }),
  ];
}

function untaken({ webhooks, queries }: WebhookRouteNeeds): readonly Route[] {
  return [
    route({
      ...reads,
      path: `${PATH}/endpoints/:id/untaken`,
      summary: 'Count the messages that a webhook endpoint has not taken since a time, and that would be resent',
      request: z.object({ params, query: z.strictObject({ since: Time }) }),
      answer: UntakenCount,
      async handle({ params: { id }, query: { since = 0 } }, { caller: { accountId, at } }) {
        const read = await queries.readWebhookEndpoint(id, accountId);
        if ('kind' in read) return read;
        const counted = await queries.countUntaken({ endpointId: id, since, asOf: at }, at);
        return found({ ...counted, asOf: formatTime(at) });
      },
    }),
    route({
      ...common,
      method: 'POST',
      scope: forRoles('owner', 'developer'),
      path: `${PATH}/endpoints/:id/resend`,
      summary:
        'Resend a batch of the messages that a webhook endpoint has not taken since a time; a repetition resends none twice',
      request: z.object({ params, body: Resend }),
      answer: UntakenResent,
      errors: ['Conflict', 'InvalidCursor'],
      async handle({ params: { id }, body: { cursor, ...asked } }, { caller }) {
        const binding = bindingOf('webhook-untaken', caller.accountId, { id, ...asked });
        const place = cursor === undefined ? undefined : readCursor(cursor, binding, UntakenPlace);
        if (place !== undefined && 'kind' in place) return place;
        const [since = 0, asOf = 0] = [parseTime(asked.since), parseTime(asked.asOf)];
        const page = await queries.untakenQueues({ endpointId: id, since, asOf }, caller.at, BATCH, place?.place);
        const done = await webhooks.resendUntaken({ endpointId: id, queueIds: page.queueIds, since, asOf }, caller);
        if (done.kind === 'rejected') return done;
        const { next } = page;
        return found({ resent: done.messages, ...(next !== undefined && { nextCursor: writeCursor(binding, next) }) });
      },
    }),
  ];
}
