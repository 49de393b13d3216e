// counterfoil webhooks incoming list
import type { Command } from 'commander';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { print } from '../output.ts';
import { listing, toMinute } from '../table.ts';
import type { IncomingWebhookView } from './view.ts';

export function webhooksIncomingList(parent: Command): void {
  declare(parent, {
    usage: 'list',
    summary: 'The URLs of processors that cannot send a header, without their tokens',
    examples: ['webhooks incoming list'],
    settings: STORE_SETTINGS,
  }).action(async (options: CommonOptions) => {
    const { withService } = await import('../open/with-stores.ts');
    const { allOf } = await import('../../queries/pages.ts');
    const { apiKeys } = await import('../../projections/models/api-keys.ts');
    const { incomingWebhookView } = await import('./view.ts');
    await withService(options, async ({ service, world }) => {
      const data: IncomingWebhookView[] = [];
      for await (const { id, doc } of allOf(service.readModels, apiKeys, { where: {} })) {
        if (doc.status === 'absent') continue;
        data.push(...(doc.webhooks ?? []).map((one) => incomingWebhookView(id, doc, one, world.now())));
      }
      print({ json: { data }, text: asTable(data) }, options);
    });
  });
}

const asTable = (webhooks: readonly IncomingWebhookView[]): string =>
  listing(
    'incoming webhooks',
    ['id', 'processor', 'state', 'added', 'account'],
    webhooks.map(({ id, processor, state, addedAt, accountId }) => [id, processor, state, toMinute(addedAt), accountId]),
  );
