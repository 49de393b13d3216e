// POST /webhooks/{processor}: what a processor tells us (contract §8).
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { Notifications } from '../../commands/notifications/notifications.ts';
import { refuse } from '../errors.ts';
import { notFound, type Reply, type Route, route } from '../route.ts';

const Received = z.strictObject({ status: z.literal('RECEIVED') }).meta({ id: 'NotificationReceived' });
const received: Reply<z.infer<typeof Received>> = { kind: 'reply', status: 202, body: { status: 'RECEIVED' } };

/** Repeated fields joined, as Node joins most of them. */
const flat = (headers: IncomingHttpHeaders): { readonly [name: string]: string | undefined } =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]));

export const webhookRoutes = ({ receiveNotification }: Pick<Notifications, 'receiveNotification'>): readonly Route[] => [
  route({
    tag: 'Webhooks',
    method: 'POST',
    path: '/webhooks/:processor',
    scope: 'third_party:webhook_trigger',
    summary: 'A notification of a processor, in its own format and with its own signature; stored, then handled',
    raw: true,
    accepts: true,
    request: z.object({ params: z.object({ processor: z.string().regex(/^[a-z0-9-]{1,64}$/) }) }),
    answer: Received,
    async handle({ params: { processor } }, { caller, headers, text }) {
      const result = await receiveNotification({ processor, raw: text, headers: flat(headers) }, caller);
      switch (result.kind) {
        case 'received':
          return received;
        case 'bad_signature':
          return refuse('Unauthorized', "The processor's signature is missing or not valid.");
        case 'unparsable':
          return refuse('MalformedJson', 'The notification cannot be read.');
        case 'unknown_processor':
          return notFound();
        case 'rejected':
          return result;
        default:
          return result satisfies never;
      }
    },
  }),
];
