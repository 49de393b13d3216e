// The work of counterfoil webhooks deliveries and resend: what was sent to endpoints, and messages that are sent again.
import type { EndpointState } from '../../domain/webhook-endpoint.ts';
import { lastAttemptAnswer, type WebhookDeliveryAnswer, webhookDeliveryAnswer } from '../../http/answers/webhooks.ts';
import { webhookQueues } from '../../projections/models/webhook-queues.ts';
import {
  type Delivery,
  deliveriesIn,
  endpointsOfDeliveries,
  listDeliveries,
  type UntakenPage,
  untakenQueues,
} from '../../queries/list-deliveries.ts';
import type { Service } from '../../service.ts';
import { formatTime } from '../../world.ts';
import type { GivenValues } from '../command.ts';
import { effective, existing } from '../effect.ts';
import { Refused } from '../exit.ts';
import { wholeId } from '../named.ts';
import type { Opened } from '../open/open.ts';
import type { CommandResult } from '../output.ts';
import type { deliveries as rows, Since } from '../rows/webhooks.ts';
import { listing, toMinute, toSecond } from '../table.ts';

/** A delivery with the fields of the dashboard's API, and every attempt that is kept. */
interface DeliveryView extends Omit<WebhookDeliveryAnswer, 'lastAttempt'> {
  /** Oldest first. */
  readonly attempts: readonly NonNullable<WebhookDeliveryAnswer['lastAttempt']>[];
}

/** `endpoint`: the state of the endpoint. */
function deliveryView(delivery: Delivery, endpoint: EndpointState): DeliveryView {
  const { lastAttempt: _, ...told } = webhookDeliveryAnswer(delivery, endpoint);
  return { ...told, attempts: delivery.message.attempts.map(lastAttemptAnswer) };
}

/** How a call ended, in a word or two: its status, or the system's name of what went wrong. */
export const responseWords = ({ status, fault }: DeliveryView['attempts'][number]): string =>
  status === null ? (/\bE[A-Z_]{3,}\b/.exec(fault ?? '')?.[0] ?? fault ?? 'no response') : String(status);

/** In the list: with what a reader knows the message by. */
interface ListedDelivery extends DeliveryView {
  readonly url: string;
  /** Null of a message about an agreement or a checkpoint. */
  readonly orderId: string | null;
}

export async function list(given: GivenValues<typeof rows.list>, { service }: Opened): Promise<CommandResult> {
  const { account, endpoint, payment, failed, limit } = given;
  const { readModels, queries } = service;
  const query = {
    ...(failed === true && { status: 'failed' as const }),
    ...(account !== undefined && { accountId: await wholeId(readModels, account) }),
    ...(endpoint !== undefined && { endpointId: await wholeId(readModels, endpoint) }),
    ...(payment !== undefined && { paymentId: await wholeId(readModels, payment) }),
  };
  const { deliveries, next } = await listDeliveries(readModels, query, limit);
  const endpoints = await endpointsOfDeliveries(readModels)(deliveries);
  const orders = await ordersOf(queries, deliveries);
  const data = deliveries.map((one): ListedDelivery => {
    const { url = '', state = 'enabled' } = endpoints.get(one.queue.endpointId) ?? {};
    return { ...deliveryView(one, state), url, orderId: orders.get(one.queue.paymentId ?? '') ?? null };
  });
  const more = `There are deliveries of more than ${limit} payments; --limit shows up to 100.`;
  return {
    json: { data },
    text: asTable(data),
    notes: data.length > 0 && process.stdout.isTTY === true ? [WHERE_IDS_ARE] : [],
    warnings: next === undefined ? [] : [more],
  };
}

const WHERE_IDS_ARE =
  'The ids that `counterfoil webhooks resend` takes are in a wider terminal, in a pipe, and in `counterfoil webhooks deliveries --json`.';

/** The order of each payment, by the payment's id. */
async function ordersOf(
  { paymentsById }: Pick<Service['queries'], 'paymentsById'>,
  deliveries: readonly Delivery[],
): Promise<ReadonlyMap<string, string>> {
  const ids = new Set(deliveries.flatMap(({ queue }) => queue.paymentId ?? []));
  return new Map((await paymentsById([...ids])).map(({ id, doc }) => [id, doc.orderId]));
}

export async function resend(given: GivenValues<typeof rows.resend>, opened: Opened): Promise<CommandResult> {
  const { id, endpoint, since, dryRun } = given;
  if (id !== undefined) return resendOne(id, opened);
  if (endpoint === undefined || since === undefined) throw new TypeError('neither a delivery nor an endpoint');
  return resendUntaken(endpoint, since, dryRun === true, opened);
}

async function resendOne(named: string, { service }: Opened): Promise<CommandResult> {
  const id = await wholeId(service.readModels, named);
  const resent = await effective(service, webhookQueues, await service.webhooks.resendWebhook(id));
  const delivery = deliveriesIn(resent.id, existing(resent.doc)).find((one) => one.id === id);
  if (delivery === undefined) throw new TypeError('a delivery that was just resent is absent');
  return { json: deliveryView(delivery, 'enabled'), text: `${id} will be delivered again.` };
}

/** Queues in one batch. */
const BATCH = 100;

/** Resends in batches. A run that was stopped leaves the rest as it was, and the next one continues with that. */
async function resendUntaken(
  named: string,
  since: Since,
  dryRun: boolean,
  { service, world }: Opened,
): Promise<CommandResult> {
  const endpointId = await wholeId(service.readModels, named);
  const receiving = await service.webhooks.receivingEndpoint(endpointId);
  if (receiving.kind === 'rejected') throw new Refused(receiving.description, receiving.errorId);
  const asOf = world.now();
  const from = 'at' in since ? since.at : asOf - since.agoMs;
  const query = { endpointId, since: from, asOf };
  let messages = 0;
  let page: UntakenPage | undefined;
  do {
    page = await untakenQueues(service.readModels, query, world.now(), BATCH, page?.next);
    if (dryRun) messages += page.messages;
    else {
      const { queueIds } = page;
      const done = await service.webhooks.resendUntaken({ ...query, queueIds });
      if (done.kind === 'rejected') throw new Refused(done.description, done.errorId);
      messages += done.messages;
    }
  } while (page.next !== undefined);
  const which = `${messages === 1 ? '1 message' : `${messages} messages`} not taken since ${formatTime(from)}`;
  const text = dryRun ? `${which}.` : `${which} will be delivered again.`;
  return { json: { endpointId, since: formatTime(from), messages, dryRun }, text };
}

const asTable = (deliveries: readonly ListedDelivery[]): string =>
  listing(
    'deliveries',
    [
      'queued',
      { cut: 'type', keeps: 'start', least: 14 },
      'status',
      { cut: 'response', keeps: 'start' },
      { cut: 'order', keeps: 'start', least: 14 },
      { cut: 'url', keeps: 'end' },
      { spare: 'id' },
      { spare: 'tries' },
      { spare: 'next' },
    ],
    deliveries.map((view) => [
      toMinute(view.queuedAt),
      view.eventType,
      view.discarded === null ? view.status : 'discarded',
      lastWords(view),
      view.orderId ?? '',
      view.url,
      view.id,
      String(view.attempts.length),
      view.nextAttemptAt === null ? '' : toSecond(view.nextAttemptAt),
    ]),
  );

function lastWords({ attempts, discarded }: DeliveryView): string {
  const last = attempts.at(-1);
  if (last !== undefined) return responseWords(last);
  return discarded === null ? 'not tried' : `endpoint ${discarded}`;
}
