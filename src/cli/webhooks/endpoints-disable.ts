// counterfoil webhooks endpoints disable: nothing is sent to it any more.
import type { Command } from 'commander';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { print } from '../output.ts';

export function webhooksEndpointsDisable(parent: Command): void {
  declare(parent, {
    usage: 'disable <id>',
    summary: 'Send nothing more to an endpoint; what waits for it is not delivered either',
    examples: ['webhooks endpoints disable we_0123'],
    settings: STORE_SETTINGS,
  }).action(async (id: string, options: CommonOptions) => {
    const { withService } = await import('../open/with-stores.ts');
    const { unlessRefused, untilEffective } = await import('../effect.ts');
    const { webhookEndpoints } = await import('../../projections/models/webhook-endpoints.ts');
    const { endpointView } = await import('./endpoint-view.ts');
    await withService(options, async ({ service }) => {
      const disabled = unlessRefused(await service.webhooks.disableWebhookEndpoint(id));
      await untilEffective(service, webhookEndpoints, disabled);
      print({ json: endpointView(id, disabled.doc), text: `${id} is disabled.` }, options);
    });
  });
}
