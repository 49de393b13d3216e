// The log of what was delivered to the account's webhook endpoints, with resend: of one message, or of all that an
// endpoint has not taken.
import { z } from 'zod';
import { WEBHOOK_TYPES } from '../../../domain/webhook-endpoint.ts';
import { DELIVERY_STATUSES } from '../../../domain/webhook-queue/state.ts';
import { deliveriesIn } from '../../../queries/list-deliveries.ts';
import { formatTime, parseTime } from '../../../world.ts';
import { Instant } from '../../answers/shapes.ts';
import {
  PaymentDeliveryAnswer,
  WebhookDeliveryAnswer,
  WebhookDeliveryLogAnswer,
  webhookDeliveryAnswer,
  webhookDeliveryLogAnswer,
} from '../../answers/webhooks.ts';
import { CursorText, cursorsOf, listed, paging, Time } from '../../list.ts';
import { found, notFound, type Route, replyTo, route } from '../../route.ts';
import type { RouteParts } from '../parts.ts';
import { paymentParams } from '../payment-filter.ts';
import { MAY } from './ways.ts';
import { params } from './webhook-endpoints.ts';

const DeliveryList = z
  .strictObject({ data: z.array(WebhookDeliveryAnswer), nextCursor: z.string().optional() })
  .meta({ id: 'DashboardWebhookDeliveries' });
const DeliveryFilter = z.strictObject({
  status: z.enum(DELIVERY_STATUSES).optional(),
  type: z.enum(WEBHOOK_TYPES).optional(),
  payment_id: paymentParams.shape.id.optional(),
  from_date: Time.optional(),
  to_date: Time.optional(),
  ...paging,
});

export const Resend = z
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
    asOf: Instant,
  })
  .meta({ id: 'DashboardUntakenMessages' });
export const UntakenResent = z
  .strictObject({
    resent: z.int().min(0),
    /** The next batch begins there; absent after the last one. */
    nextCursor: z.string().optional(),
  })
  .meta({ id: 'DashboardMessagesResent' });
/** Queues in one batch of a resend. */
export const BATCH = 100;
/** Deliveries about a payment that are shown. */
const PAGE = 20;

const ENDPOINT = '/dashboard/api/webhook-endpoints/:id';
const DELIVERY = '/dashboard/api/webhook-deliveries/:id';
const reads = { tag: 'Webhook endpoints', method: 'GET', scope: MAY.deliveries.read } as const;
const resends = { tag: 'Webhook endpoints', method: 'POST', scope: MAY.deliveries.resend } as const;
const deliveryParams = z.object({ id: z.string().regex(/^we_[0-9a-f]+\.(?:pay|agr)_[0-9A-Za-z]+\.\d{1,9}$/) });
const Place = z.strictObject({ key: z.number(), id: z.string() });
export const UntakenPlace = z.strictObject({ by: z.enum(['failedAt', 'retryingAt']), after: Place.optional() });

export const webhookDeliveryRoutes = (parts: RouteParts): readonly Route[] => [...deliveries(parts), ...untaken(parts)];

function deliveries({ webhooks, queries }: RouteParts): readonly Route[] {
  return [
    route({
      ...reads,
      path: `${ENDPOINT}/deliveries`,
      summary:
        'List the deliveries to a webhook endpoint: the payment with the newest message first; waiting ones oldest first',
      request: z.object({ params, query: DeliveryFilter }),
      answer: DeliveryList,
      errors: ['InvalidCursor'],
      async handle({ params: { id }, query: { limit, cursor, ...filters } }, { caller: { accountId } }) {
        const { status, type: eventType, payment_id: paymentId, from_date: from, to_date: to } = filters;
        const query = { accountId, endpointId: id, status, eventType, paymentId, from, to };
        return listed(
          { limit, cursor },
          {
            list: 'webhook-deliveries',
            accountId,
            filters: { id, ...filters },
            place: Place,
            async read(size, after) {
              const { deliveries: rows, next } = await queries.listDeliveries(query, size, after);
              return { rows, next };
            },
            itemsOf: async (rows) => {
              const { state = 'enabled' } = (await queries.endpointsOfDeliveries(rows)).get(id) ?? {};
              return rows.map((one) => webhookDeliveryAnswer(one, state));
            },
          },
        );
      },
    }),
    route({
      ...reads,
      path: '/dashboard/api/payments/:id/deliveries',
      summary: 'List the deliveries of webhooks about a payment, newest event first',
      request: z.object({ params: paymentParams }),
      answer: z.strictObject({ data: z.array(PaymentDeliveryAnswer) }).meta({ id: 'DashboardPaymentDeliveries' }),
      async handle({ params: { id: paymentId } }, { caller: { accountId } }) {
        const page = await queries.listDeliveries({ accountId, paymentId }, PAGE);
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
      path: DELIVERY,
      summary: 'Read one delivery with the request and the response of each call',
      request: z.object({ params: deliveryParams }),
      answer: WebhookDeliveryLogAnswer,
      async handle({ params: { id } }, { caller: { accountId } }) {
        const log = await webhooks.readDelivery(id, accountId);
        return 'kind' in log ? log : found(webhookDeliveryLogAnswer(log));
      },
    }),
    route({
      ...resends,
      path: `${DELIVERY}/resend`,
      summary: 'Deliver a message again, whatever its outcome so far',
      request: z.object({ params: deliveryParams }),
      answer: WebhookDeliveryAnswer,
      errors: ['Conflict'],
      async handle({ params: { id } }, { caller }) {
        const resent = await webhooks.resendWebhook(id, caller);
        if (resent.kind === 'rejected') return resent;
        const { doc } = resent;
        const delivery =
          doc.status === 'absent' ? undefined : deliveriesIn(resent.id, doc).find((one) => one.id === id);
        return delivery === undefined ? notFound() : replyTo(resent, webhookDeliveryAnswer(delivery, 'enabled'));
      },
    }),
  ];
}

function untaken({ webhooks, queries }: RouteParts): readonly Route[] {
  return [
    route({
      ...reads,
      path: `${ENDPOINT}/untaken`,
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
      ...resends,
      path: `${ENDPOINT}/resend`,
      summary:
        'Resend a batch of the messages that a webhook endpoint has not taken since a time; a repetition resends none twice',
      request: z.object({ params, body: Resend }),
      answer: UntakenResent,
      errors: ['Conflict', 'InvalidCursor'],
      async handle({ params: { id }, body: { cursor, ...asked } }, { caller }) {
        const bound = { list: 'webhook-untaken', accountId: caller.accountId, filters: { id, ...asked } };
        const cursors = cursorsOf(bound, UntakenPlace);
        const after = cursors.after(cursor);
        if ('kind' in after) return after;
        const [since = 0, asOf = 0] = [parseTime(asked.since), parseTime(asked.asOf)];
        const page = await queries.untakenQueues({ endpointId: id, since, asOf }, caller.at, BATCH, after.place);
        const done = await webhooks.resendUntaken({ endpointId: id, queueIds: page.queueIds, since, asOf }, caller);
        return done.kind === 'rejected' ? done : found({ resent: done.messages, ...cursors.next(page.next) });
      },
    }),
  ];
}
