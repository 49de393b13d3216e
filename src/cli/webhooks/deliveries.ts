// counterfoil webhooks deliveries and resend: what was sent to endpoints, and sends messages again.
import type { Command } from 'commander';
import type { UntakenPage } from '../../queries/list-deliveries.ts';
import { parseTime } from '../../world.ts';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { parseDuration, parseWholeNumber } from '../duration.ts';
import { Refused, WrongUsage } from '../exit.ts';
import { print, tell } from '../output.ts';
import { listing, toSecond } from '../table.ts';
import { type DeliveryView, lastAnswer } from './delivery-view.ts';

interface WebhooksDeliveriesOptions extends CommonOptions {
  readonly account?: string;
  readonly endpoint?: string;
  readonly payment?: string;
  readonly failed?: boolean;
  readonly limit: number;
}

export function webhooksDeliveries(parent: Command): void {
  declare(parent, {
    usage: 'deliveries',
    summary: 'Deliveries of webhooks by payment, newest first',
    examples: ['webhooks deliveries --failed', 'webhooks deliveries --endpoint we_0123'],
    settings: STORE_SETTINGS,
  })
    .option('--failed', 'only permanently failed deliveries')
    .option('--endpoint <id>', 'only deliveries to this endpoint')
    .option('--payment <id>', 'only deliveries about this payment')
    .option('--account <id>', 'only deliveries of this account')
    .option('--limit <n>', 'the largest number of payments', parseWholeNumber(1, 100), 20)
    .action(async ({ account, endpoint, payment, failed = false, limit, ...options }: WebhooksDeliveriesOptions) => {
      const { withService } = await import('../open/with-stores.ts');
      const { endpointsOfDeliveries, listDeliveries } = await import('../../queries/list-deliveries.ts');
      const { deliveryView } = await import('./delivery-view.ts');
      const { wholeId } = await import('../whole-id.ts');
      await withService(options, async ({ service }) => {
        const whole = (id: string): Promise<string> => wholeId(service.readModels, id);
        const query = {
          ...(failed && { status: 'failed' as const }),
          ...(account !== undefined && { accountId: await whole(account) }),
          ...(endpoint !== undefined && { endpointId: await whole(endpoint) }),
          ...(payment !== undefined && { paymentId: await whole(payment) }),
        };
        const { deliveries, next } = await listDeliveries(service.readModels, query, limit);
        const endpoints = await endpointsOfDeliveries(service.readModels)(deliveries);
        const data = deliveries.map((one) =>
          deliveryView(one, endpoints.get(one.queue.endpointId)?.state ?? 'enabled'),
        );
        print({ json: { data }, text: asTable(data) }, options);
        if (next !== undefined) tell(`There are deliveries of more than ${limit} payments; --limit shows up to 100.`);
      });
    });
}

interface ResendOptions extends CommonOptions {
  readonly endpoint?: string;
  readonly since?: Since;
  readonly dryRun?: boolean;
}

export function webhooksResend(parent: Command): void {
  declare(parent, {
    usage: 'resend [id]',
    summary: 'Deliver a message again, or all that an endpoint has not taken since a time, within a second or two',
    examples: ['webhooks resend we_0123.pay_0123.4', 'webhooks resend --endpoint we_0123 --since 24h'],
    rules: [
      '--since is a duration before now, such as 24h, or an RFC 3339 time. Everything queued then or later that the endpoint has not taken is sent again.',
    ],
    json: '{endpointId, since, messages, dryRun}',
    settings: STORE_SETTINGS,
  })
    .option('--endpoint <id>', 'with --since: the endpoint whose messages are resent')
    .option('--since <time>', 'a duration such as 24h, or a time such as 2026-11-27T08:00:00Z', parseSince)
    .option('--dry-run', 'with --since: only count the messages')
    .action(async (id: string | undefined, { endpoint, since, dryRun = false, ...options }: ResendOptions) => {
      if (id !== undefined && endpoint === undefined && since === undefined && !dryRun) return resendOne(id, options);
      if (id !== undefined || endpoint === undefined || since === undefined)
        throw new WrongUsage('webhooks resend needs the id of a delivery, or --endpoint and --since.');
      return resendUntaken(endpoint, since, dryRun, options);
    });
}

/** A duration before now, or a time; ms. */
type Since = { readonly agoMs: number } | { readonly at: number };

function parseSince(text: string): Since {
  const at = parseTime(text);
  return at === undefined ? { agoMs: parseDuration(text) } : { at };
}

async function resendOne(named: string, options: CommonOptions): Promise<void> {
  const { withService } = await import('../open/with-stores.ts');
  const { unlessRefused, untilEffective } = await import('../effect.ts');
  const { webhookQueues } = await import('../../projections/models/webhook-queues.ts');
  const { deliveriesIn } = await import('../../queries/list-deliveries.ts');
  const { deliveryView } = await import('./delivery-view.ts');
  const { wholeId } = await import('../whole-id.ts');
  await withService(options, async ({ service }) => {
    const id = await wholeId(service.readModels, named);
    const resent = unlessRefused(await service.webhooks.resendWebhook(id));
    await untilEffective(service, webhookQueues, resent);
    if (resent.doc.status === 'absent') throw new TypeError('a queue that was just changed is absent');
    const delivery = deliveriesIn(resent.id, resent.doc).find((one) => one.id === id);
    if (delivery === undefined) throw new TypeError('a delivery that was just resent is absent');
    print({ json: deliveryView(delivery, 'enabled'), text: `${id} will be delivered again.` }, options);
  });
}

/** Queues in one batch. */
const BATCH = 100;

/** Resends in batches. A run that was stopped leaves the rest as it was, and the next one continues with that. */
async function resendUntaken(named: string, since: Since, dryRun: boolean, options: CommonOptions): Promise<void> {
  const { withService } = await import('../open/with-stores.ts');
  const { untakenQueues } = await import('../../queries/list-deliveries.ts');
  const { formatTime } = await import('../../world.ts');
  const { wholeId } = await import('../whole-id.ts');
  await withService(options, async ({ service, world }) => {
    const endpointId = await wholeId(service.readModels, named);
    const receiving = await service.webhooks.receivingEndpoint(endpointId);
    if (receiving.kind === 'rejected') throw new Refused(receiving.description);
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
        if (done.kind === 'rejected') throw new Refused(done.description);
        messages += done.messages;
      }
    } while (page.next !== undefined);
    const which = `${messages === 1 ? '1 message' : `${messages} messages`} not taken since ${formatTime(from)}`;
    const text = dryRun ? `${which}.` : `${which} will be delivered again.`;
    print({ json: { endpointId, since: formatTime(from), messages, dryRun }, text }, options);
  });
}

const asTable = (deliveries: readonly DeliveryView[]): string =>
  listing(
    'deliveries',
    ['queued', 'type', 'status', 'tries', 'last response', 'next', 'id'],
    deliveries.map((view) => [
      toSecond(view.queuedAt),
      view.eventType,
      view.discarded === null ? view.status : `discarded (${view.discarded})`,
      String(view.attempts.length),
      lastAnswer(view),
      view.nextAttemptAt === null ? '' : toSecond(view.nextAttemptAt),
      view.id,
    ]),
  );
