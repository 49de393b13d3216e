// A payment whose customer disputes it: the sandbox's own notification, sent as the sandbox would.
import { z } from 'zod';
import { disputeIdOf } from '../../src/processors/sandbox/names.ts';
import { SIGNATURE_HEADER, signatureOf } from '../../src/processors/sandbox/notifications.ts';
import { type NotificationKey, notifications } from '../../src/projections/models/notifications.ts';
import type { Query } from '../../src/stores/read-models.ts';
import { formatTime } from '../../src/world.ts';
import { bodyOf, type Paying } from './http-merchant.ts';
import type { HttpService } from './http-service.ts';
import { until } from './until.ts';

const DISPUTED = '4000009900004048';
const OPENS_AFTER_MS = 5_000;
const History = z.looseObject({
  data: z.array(z.looseObject({ type: z.string(), data: z.looseObject({ reference: z.string().optional() }) })),
});
const Disputed = z.looseObject({ disputes: z.array(z.looseObject({ id: z.string() })).default([]) });

/** Reports on the dispute as the sandbox does, under a notification id of its own; `members`: further members of it. */
export type Report = (type: 'opened' | 'updated', status: string, members?: object) => Promise<void>;

/** A dispute with its path, `/payments/{id}/disputes/{disputeId}`. */
export interface ReportedDispute {
  readonly path: string;
  readonly paymentId: string;
  readonly report: Report;
}

/** Answers its path. */
export const openDispute = async (http: HttpService): Promise<string> => (await reportedDispute(http)).path;

/** `members`: further members of the report that opens it. */
export async function reportedDispute(
  http: HttpService,
  paying: Omit<Paying, 'card'> = {},
  members: object = {},
): Promise<ReportedDispute> {
  const { shop, service, stores, world } = http;
  const { id } = await shop.captured({ ...paying, card: DISPUTED });
  const { data } = bodyOf(await shop.ask('GET', `/payments/${id}/events`), History);
  const reference = data.find(({ type }) => type === 'CaptureRequested')?.data.reference ?? '';
  world.advance(OPENS_AFTER_MS); // before that the sandbox knows of no dispute
  const money = { amount: 1_000, currencyCode: 'EUR' };
  const { key } = await shop.keyFor('third_party:webhook_trigger');
  const [secret] = stores.secrets.keys('sandbox-signature');
  if (secret === undefined) throw new Error('no secret to sign with');
  let reports = 0;
  const unhandled: Query<NotificationKey>['where'] = { receivedAt: { from: 0 } };
  const report: Report = async (type, status, further = {}) => {
    reports += 1;
    const text = JSON.stringify({
      notificationId: `report ${reports} ${reference}`,
      type: `dispute.${type}`,
      occurredAt: formatTime(world.now()),
      reference,
      processorTransactionId: 'sbx_capt',
      ...money,
      dispute: { id: disputeIdOf(reference), status, ...money },
      ...further,
    });
    const { status: heard } = await http.request('POST', '/webhooks/sandbox', {
      key,
      text,
      headers: { 'content-type': 'application/json', [SIGNATURE_HEADER]: signatureOf(secret, text, world.now()) },
    });
    if (heard >= 300) throw new Error(`the report was answered with ${heard}`);
    await until(
      async () => (await service.readModels.find(notifications, { where: unhandled, limit: 1 })).length === 0,
    );
  };
  await report('opened', 'OPEN', members);
  const read = async (): Promise<string | undefined> =>
    bodyOf(await shop.ask('GET', `/payments/${id}`), Disputed).disputes[0]?.id;
  await until(async () => (await read()) !== undefined);
  return { path: `/payments/${id}/disputes/${(await read()) ?? ''}`, paymentId: id, report };
}
