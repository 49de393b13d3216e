// POST /webhooks/{processor} and /webhooks/{processor}/{token}: the notifications of a processor (contract §8).
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { type Refusal, refuse } from '../errors.ts';
import { type HandlerCall, notFound, type Reply, type Route, route } from '../route.ts';
import type { RouteParts } from './parts.ts';

const Received = z.strictObject({ status: z.literal('RECEIVED') }).meta({ id: 'NotificationReceived' });
const received: Reply<z.infer<typeof Received>> = { kind: 'reply', status: 202, body: { status: 'RECEIVED' } };

/** Repeated fields joined, as Node joins most of them. */
const flat = (headers: IncomingHttpHeaders): { readonly [name: string]: string | undefined } =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );

const NOTIFICATION = {
  notificationId: 'note-1',
  type: 'authorization.succeeded',
  occurredAt: '2026-01-01T12:00:00.000Z',
  reference: 'pay_3nQX7bM2tGzKc9RwVfYhJe.a1',
  processorTransactionId: 'sbx_1',
  amount: 5_490,
  currencyCode: 'EUR',
};

const Processor = z
  .string()
  .regex(/^[a-z0-9-]{1,64}$/)
  .meta({ description: 'The processor that sends the notification.' });

export function webhookRoutes({ notifications }: RouteParts): readonly Route[] {
  async function receive(
    processor: string,
    { caller, headers, text }: HandlerCall,
  ): Promise<typeof received | Refusal> {
    const result = await notifications.receiveNotification({ processor, raw: text, headers: flat(headers) }, caller);
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
  }
  const common = {
    tag: 'Webhooks',
    method: 'POST',
    scope: 'third_party:webhook_trigger',
    raw: true,
    accepts: true,
    answer: Received,
  } as const;
  return [
    route({
      ...common,
      path: '/webhooks/:processor',
      id: 'receiveNotification',
      example: { on: 'notification', body: NOTIFICATION },
      summary:
        'Receive a notification of a processor, in its own format and with its own signature; it is stored, then handled',
      request: z.object({ params: z.object({ processor: Processor }) }),
      handle: ({ params: { processor } }, call) => receive(processor, call),
    }),
    route({
      ...common,
      path: '/webhooks/:processor/:token',
      keyInPath: true,
      id: 'receiveNotificationByToken',
      example: { on: 'notification', body: NOTIFICATION },
      summary:
        'Receive a notification of a processor that cannot send a header: the token acts as an API key, and ends with the key',
      request: z.object({
        params: z.object({
          processor: Processor,
          token: z.string().meta({ description: 'Created by `counterfoil webhooks incoming add`, and shown once.' }),
        }),
      }),
      handle: ({ params: { processor } }, call) => receive(processor, call),
    }),
  ];
}
