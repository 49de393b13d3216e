// counterfoil webhooks deliveries and resend: what was sent to endpoints, and sends one message again.
import type { Command } from 'commander';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { parseWholeNumber } from '../duration.ts';
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
      const { listDeliveries } = await import('../../queries/list-deliveries.ts');
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
        const data = deliveries.map(deliveryView);
        print({ json: { data }, text: asTable(data) }, options);
        if (next !== undefined) tell(`There are deliveries of more than ${limit} payments; --limit shows up to 100.`);
      });
    });
}

export function webhooksResend(parent: Command): void {
  declare(parent, {
    usage: 'resend <id>',
    summary: 'Deliver a message again; a running service does so within a second or two',
    examples: ['webhooks resend we_0123.pay_0123.4'],
    settings: STORE_SETTINGS,
  }).action(async (named: string, options: CommonOptions) => {
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
      print({ json: deliveryView(delivery), text: `${id} will be delivered again.` }, options);
    });
  });
}

const asTable = (deliveries: readonly DeliveryView[]): string =>
  listing(
    'deliveries',
    ['queued', 'type', 'status', 'tries', 'last response', 'next', 'id'],
    deliveries.map((view) => [
      toSecond(view.queuedAt),
      view.eventType,
      view.status,
      String(view.attempts.length),
      lastAnswer(view),
      view.nextAttemptAt === null ? '' : toSecond(view.nextAttemptAt),
      view.id,
    ]),
  );
