// counterfoil webhooks incoming revoke: the URL is refused from the very next request on.
import type { Command } from 'commander';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { print } from '../output.ts';

export function webhooksIncomingRevoke(parent: Command): void {
  declare(parent, {
    usage: 'revoke <id>',
    summary: 'End a URL for good; holds for the very next request',
    examples: ['webhooks incoming revoke key_0123.1'],
    settings: STORE_SETTINGS,
  }).action(async (id: string, options: CommonOptions) => {
    const { withService } = await import('../open/with-stores.ts');
    const { unlessRefused, untilEffective } = await import('../effect.ts');
    const { apiKeys } = await import('../../projections/models/api-keys.ts');
    const { incomingWebhookView } = await import('./view.ts');
    await withService(options, async ({ service, world }) => {
      const revoked = unlessRefused(await service.access.revokeIncomingWebhook(id));
      await untilEffective(service, apiKeys, revoked);
      const { doc } = revoked;
      const webhook = doc.status === 'absent' ? undefined : doc.webhooks?.find(({ webhookId }) => webhookId === id);
      if (doc.status === 'absent' || webhook === undefined) throw new TypeError('an incoming webhook that was just revoked is absent');
      print({ json: incomingWebhookView(revoked.id, doc, webhook, world.now()), text: `${id} is revoked.` }, options);
    });
  });
}
