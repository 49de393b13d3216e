// counterfoil webhooks resend: delivers a message once more, also one that was delivered.
import type { Command } from 'commander';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { print } from '../output.ts';

export function webhooksResend(parent: Command): void {
  declare(parent, {
    usage: 'resend <id>',
    summary: 'Deliver a message once more; a running service does it within a second or two',
    examples: ['webhooks resend we_0123.pay_0123.4'],
    settings: STORE_SETTINGS,
  }).action(async (id: string, options: CommonOptions) => {
    const { withService } = await import('../open/with-stores.ts');
    const { unlessRefused, untilEffective } = await import('../effect.ts');
    const { webhookQueues } = await import('../../projections/models/webhook-queues.ts');
    const { deliveriesIn } = await import('../../queries/list-deliveries.ts');
    const { deliveryView } = await import('./delivery-view.ts');
    await withService(options, async ({ service }) => {
      const resent = unlessRefused(await service.webhooks.resendWebhook(id));
      await untilEffective(service, webhookQueues, resent);
      if (resent.doc.status === 'absent') throw new TypeError('a queue that was just changed is absent');
      const delivery = deliveriesIn(resent.id, resent.doc).find((one) => one.id === id);
      if (delivery === undefined) throw new TypeError('a delivery that was just resent is absent');
      print({ json: deliveryView(delivery), text: `${id} is delivered once more.` }, options);
    });
  });
}
