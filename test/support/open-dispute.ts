// A payment whose customer disputes it: the sandbox's own notification, sent as the sandbox would.
import { z } from 'zod';
import { disputeIdOf } from '../../src/processors/sandbox/names.ts';
import { SIGNATURE_HEADER, signatureOf } from '../../src/processors/sandbox/notifications/notification.ts';
import { type NotificationKey, notifications } from '../../src/projections/models/notifications.ts';
import type { Query } from '../../src/stores/read-models.ts';
import { formatTime } from '../../src/world.ts';
import { bodyOf } from './http-merchant.ts';
import type { HttpService } from './http-service.ts';
import { until } from './until.ts';

const DISPUTED = '4000009900004048';
const OPENS_AFTER_MS = 5_000;
const History = z.looseObject({
  data: z.array(z.looseObject({ type: z.string(), data: z.looseObject({ reference: z.string().optional() }) })),
});
const Disputed = z.looseObject({ disputes: z.array(z.looseObject({ id: z.string() })).default([]) });

/** Answers its path, `/payments/{id}/disputes/{disputeId}`. */
export async function openDispute(http: HttpService): Promise<string> {
  const { shop, service, stores, world } = http;
  const { id } = await shop.captured({ card: DISPUTED });
  const { data } = bodyOf(await shop.ask('GET', `/payments/${id}/events`), History);
  const reference = data.find(({ type }) => type === 'CaptureRequested')?.data.reference ?? '';
  world.advance(OPENS_AFTER_MS); // before that the sandbox knows of no dispute
  const money = { amount: 1_000, currencyCode: 'EUR' };
  const text = JSON.stringify({
    notificationId: `opened ${reference}`,
    type: 'dispute.opened',
    occurredAt: formatTime(world.now()),
    reference,
    processorTransactionId: 'sbx_capt',
    ...money,
    dispute: { id: disputeIdOf(reference), status: 'OPEN', ...money },
  });
  const { key } = await shop.keyFor('third_party:webhook_trigger');
  const [secret] = stores.secrets.keys('sandbox-signature');
  if (secret === undefined) throw new Error('no secret to sign with');
  await http.request('POST', '/webhooks/sandbox', {
    key,
    text,
    headers: { 'content-type': 'application/json', [SIGNATURE_HEADER]: signatureOf(secret, text, world.now()) },
  });
  const read = async (): Promise<string | undefined> =>
    bodyOf(await shop.ask('GET', `/payments/${id}`), Disputed).disputes[0]?.id;
  const unhandled: Query<NotificationKey>['where'] = { receivedAt: { from: 0 } };
  await until(async () => (await read()) !== undefined);
  await until(async () => (await service.readModels.find(notifications, { where: unhandled, limit: 1 })).length === 0);
  return `/payments/${id}/disputes/${(await read()) ?? ''}`;
}
